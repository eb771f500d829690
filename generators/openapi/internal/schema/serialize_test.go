package schema

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

var (
	listValue = []any{"blue", "black", "brown"}
	// In the order of names, as plain maps are written.
	objectValue = map[string]any{"B": 150.0, "G": 200.0, "R": 100.0}
)

// TestSerialize has the rows of the table of styles (OpenAPI 3.1.1, 4.8.12.6),
// percent-encoded, and what the table leaves out.
func TestSerialize(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		in, style string
		explode   *bool
		reserved  bool
		value     any
		want      string
	}{
		{"query", "", nil, false, "blue", "color=blue"},
		{"query", "", nil, false, "", "color="},
		{"query", "", nil, false, nil, ""},
		{"query", "", nil, false, []any{}, ""},
		{"query", "", nil, false, map[string]any{}, ""},
		{"query", "", nil, false, true, "color=true"},
		{"query", "", nil, false, 1.5, "color=1.5"},
		{"query", "", nil, false, "peat | bog", "color=peat%20%7C%20bog"},
		{"query", "", nil, false, "ä&=+#%,/?", "color=%C3%A4%26%3D%2B%23%25%2C%2F%3F"},
		{"query", "", nil, true, "59.91,10.75;500m", "color=59.91,10.75;500m"},
		{"query", "", nil, true, "a&b+c#d%41[e] /?:@", "color=a%26b%2Bc%23d%2541%5Be%5D%20/?:@"},
		{"query", "form", nil, false, listValue, "color=blue&color=black&color=brown"},
		{"query", "form", &no, false, listValue, "color=blue,black,brown"},
		{"query", "form", &no, false, []any{"a,b", "c", nil}, "color=a%2Cb,c"},
		{"query", "form", nil, false, objectValue, "B=150&G=200&R=100"},
		{"query", "form", &no, false, objectValue, "color=B,150,G,200,R,100"},
		{"query", "spaceDelimited", nil, false, listValue, "color=blue%20black%20brown"},
		{"query", "spaceDelimited", &yes, false, listValue, "color=blue&color=black&color=brown"},
		{"query", "spaceDelimited", nil, false, objectValue, "color=B%20150%20G%20200%20R%20100"},
		{"query", "pipeDelimited", nil, false, listValue, "color=blue%7Cblack%7Cbrown"},
		{"query", "pipeDelimited", nil, false, objectValue, "color=B%7C150%7CG%7C200%7CR%7C100"},
		{"query", "deepObject", &yes, false, objectValue, "color%5BB%5D=150&color%5BG%5D=200&color%5BR%5D=100"},
		{"query", "deepObject", &yes, false, map[string]any{"a": map[string]any{"b": []any{"x", "y"}}},
			"color%5Ba%5D%5Bb%5D%5B0%5D=x&color%5Ba%5D%5Bb%5D%5B1%5D=y"},
		{"path", "", nil, false, "a/b c", "a%2Fb%20c"},
		{"path", "", nil, false, listValue, "blue,black,brown"},
		{"path", "simple", nil, false, objectValue, "B,150,G,200,R,100"},
		{"path", "simple", &yes, false, objectValue, "B=150,G=200,R=100"},
		{"path", "label", nil, false, "blue", ".blue"},
		{"path", "label", nil, false, listValue, ".blue,black,brown"},
		{"path", "label", &yes, false, listValue, ".blue.black.brown"},
		{"path", "label", nil, false, objectValue, ".B,150,G,200,R,100"},
		{"path", "label", &yes, false, objectValue, ".B=150.G=200.R=100"},
		{"path", "matrix", nil, false, "blue", ";color=blue"},
		{"path", "matrix", nil, false, "", ";color"},
		{"path", "matrix", nil, false, listValue, ";color=blue,black,brown"},
		{"path", "matrix", &yes, false, listValue, ";color=blue;color=black;color=brown"},
		{"path", "matrix", nil, false, objectValue, ";color=B,150,G,200,R,100"},
		{"path", "matrix", &yes, false, objectValue, ";B=150;G=200;R=100"},
		{"header", "", nil, false, `"r7"`, `"r7"`},
		{"header", "", nil, false, listValue, "blue,black,brown"},
		{"header", "simple", nil, false, objectValue, "B,150,G,200,R,100"},
		{"header", "simple", &yes, false, objectValue, "B=150,G=200,R=100"},
		{"cookie", "", nil, false, "a b", "color=a%20b"},
		{"cookie", "form", &no, false, listValue, "color=blue,black,brown"},
		{"cookie", "form", nil, false, listValue, "color=blue; color=black; color=brown"},
		{"cookie", "cookie", nil, false, "a=b/c", "color=a=b/c"},
	}
	for _, tt := range tests {
		p := &openapi3.Parameter{Name: "color", In: tt.in, Style: tt.style, Explode: tt.explode, AllowReserved: tt.reserved}
		got, err := serialize(p, tt.value)
		if err != nil || got != tt.want {
			t.Errorf("%s %s %v: %q, %v; want %q", tt.in, tt.style, tt.value, got, err, tt.want)
		}
	}
}

func serialize(p *openapi3.Parameter, v any) (string, error) {
	switch p.In {
	case "query":
		return SerializeQuery(p, v)
	case "path":
		return SerializePath(p, v)
	case "header":
		return SerializeHeader(p, v)
	}
	return SerializeCookie(p, v)
}

func TestContentParametersAreJSON(t *testing.T) {
	for in, want := range map[string]string{
		"query":  "f=%7B%22a%22%3A%22x%20y%22%7D",
		"path":   "%7B%22a%22%3A%22x%20y%22%7D",
		"header": `{"a":"x y"}`,
		"cookie": "f=%7B%22a%22%3A%22x%20y%22%7D",
	} {
		p := &openapi3.Parameter{Name: "f", In: in, Content: openapi3.Content{"application/json": {}}}
		if got, err := serialize(p, map[string]any{"a": "x y"}); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestWhatAStyleHasNoFormForIsAnError(t *testing.T) {
	nested := []any{[]any{"a"}}
	for _, p := range []*openapi3.Parameter{
		{Name: "c", In: "query"}, {Name: "c", In: "path"}, {Name: "c", In: "header"}, {Name: "c", In: "cookie"},
		{Name: "c", In: "query", Style: "matrix"}, {Name: "c", In: "path", Style: "form"},
		{Name: "c", In: "header", Style: "form"}, {Name: "c", In: "cookie", Style: "deepObject"},
	} {
		if got, err := serialize(p, nested); err == nil {
			t.Errorf("%s %s: %q, want an error", p.In, p.Style, got)
		}
	}
	if got, err := SerializeHeader(&openapi3.Parameter{Name: "c", In: "header"}, "a\r\nEvil: yes"); err == nil {
		t.Errorf("a header with a line end: %q", got)
	}
}

func TestSerializeForm(t *testing.T) {
	yes := true
	mt := &openapi3.MediaType{Encoding: openapi3.Encodings{
		"deep": {Style: "deepObject", Explode: &yes},
		"list": {Style: "spaceDelimited"},
		"json": {ContentType: "application/json"},
	}}
	v := ValueOf(map[string]any{
		"a": "x y&z", "b": []any{"1", "2"}, "c": map[string]any{"k": "v"}, "d": nil,
		"deep": map[string]any{"k": map[string]any{"l": true}}, "list": []any{"p", "q"}, "json": []any{"1"},
	})
	want := "a=x%20y%26z&b=1&b=2&c=%7B%22k%22%3A%22v%22%7D&deep%5Bk%5D%5Bl%5D=true&json=%5B%221%22%5D&list=p%20q"
	if got, err := SerializeForm(mt, v); err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if _, err := SerializeForm(mt, "text"); err == nil {
		t.Error("a form of a string: no error")
	}
}

// TestAServerReadsWhatIsSerialized lets openapi3filter decode each parameter.
// The schema allows the one value that was sent.
func TestAServerReadsWhatIsSerialized(t *testing.T) {
	str := openapi3.NewStringSchema
	list := func() *openapi3.Schema { return openapi3.NewArraySchema().WithItems(str()) }
	object := func() *openapi3.Schema {
		return openapi3.NewObjectSchema().WithProperty("role", str()).WithProperty("level", openapi3.NewIntegerSchema())
	}
	yes, no := true, false
	hard := "ä &=+#%/?|;,~\"<>"
	values := []struct {
		schema func() *openapi3.Schema
		value  any
		simple bool // holds no delimiter of any style
	}{
		{str, "blue", true},
		{str, hard, false},
		{openapi3.NewIntegerSchema, 42.0, true},
		{openapi3.NewBoolSchema, true, true},
		{list, []any{"blue", "black"}, true},
		{list, []any{"one"}, true},
		{object, map[string]any{"role": "admin", "level": 3.0}, true},
	}
	styles := []struct {
		in, style string
		explode   *bool
	}{
		{"query", "form", &yes}, {"query", "form", &no}, {"query", "spaceDelimited", &no}, {"query", "pipeDelimited", &no},
		{"query", "deepObject", &yes},
		{"path", "simple", &no}, {"path", "simple", &yes}, {"path", "label", &no}, {"path", "label", &yes},
		{"path", "matrix", &no}, {"path", "matrix", &yes},
		{"header", "simple", &no}, {"header", "simple", &yes},
		{"cookie", "form", &no},
	}
	checked := 0
	for _, st := range styles {
		for _, v := range values {
			_, isList := v.value.([]any)
			_, isMap := v.value.(map[string]any)
			switch {
			case st.style == "deepObject" && !isMap,
				(st.style == "spaceDelimited" || st.style == "pipeDelimited") && !isList && !isMap:
				continue // no such form
			case st.in == "cookie" && !v.simple:
				continue // openapi3filter does not decode cookies
			}
			s := v.schema()
			s.Enum = []any{v.value}
			p := &openapi3.Parameter{Name: "color", In: st.in, Style: st.style, Explode: st.explode, Required: true, Schema: s.NewRef()}
			got, err := serialize(p, v.value)
			if err != nil {
				t.Errorf("%s %s %v: %v", st.in, st.style, v.value, err)
				continue
			}
			if err := serverReads(p, got); err != nil {
				t.Errorf("%s %s explode %t, %v sent as %q: %v", st.in, st.style, *st.explode, v.value, got, err)
			}
			checked++
		}
	}
	p := &openapi3.Parameter{Name: "f", In: "query", Required: true, Content: openapi3.Content{"application/json": {
		Schema: &openapi3.SchemaRef{Value: &openapi3.Schema{Type: &openapi3.Types{"object"}, Enum: []any{map[string]any{"k": hard}}}},
	}}}
	got, _ := SerializeQuery(p, map[string]any{"k": hard})
	if err := serverReads(p, got); err != nil {
		t.Errorf("content sent as %q: %v", got, err)
	}
	if checked < 70 {
		t.Errorf("only %d combinations were checked", checked)
	}
}

func serverReads(p *openapi3.Parameter, sent string) error {
	target := "http://server.example/"
	if p.In == "query" {
		target += "?" + sent
	}
	req, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	input := &openapi3filter.RequestValidationInput{Request: req, PathParams: map[string]string{}}
	switch p.In {
	case "path":
		if input.PathParams[p.Name], err = url.PathUnescape(sent); err != nil {
			return err
		}
	case "header":
		req.Header.Set(p.Name, sent)
	case "cookie":
		req.Header.Set("Cookie", sent)
	}
	return openapi3filter.ValidateParameter(context.Background(), input, p)
}
