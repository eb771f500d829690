package swagger

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"gopkg.in/yaml.v3"
)

// closure makes the small document of an operation: the root members, and all
// definitions that it reaches. It shares no code with the package.
type closure struct {
	root map[string]any
	out  map[string]any
}

func (c *closure) walk(v any) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && strings.HasPrefix(ref, "#/") {
			parts := strings.Split(ref[2:], "/")
			if len(parts) < 2 {
				return
			}
			name := strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[1])
			kind, _ := c.root[parts[0]].(map[string]any)
			target, ok := kind[name]
			if !ok {
				return
			}
			set, _ := c.out[parts[0]].(map[string]any)
			if set == nil {
				set = map[string]any{}
				c.out[parts[0]] = set
			}
			if _, done := set[name]; !done {
				set[name] = target
				c.walk(target)
			}
		}
		for _, e := range v {
			c.walk(e)
		}
	case []any:
		for _, e := range v {
			c.walk(e)
		}
	}
}

func readDocument(t *testing.T, file string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if strings.HasSuffix(file, ".json") {
		err = json.Unmarshal(data, &doc)
	} else {
		var v any
		if err = yaml.Unmarshal(data, &v); err == nil {
			doc, _ = plain(v).(map[string]any)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// plain makes string keys and values of what YAML reads as numbers and dates.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = plain(e)
		}
	case map[any]any:
		out := map[string]any{}
		for k, e := range v {
			s, ok := k.(string)
			if !ok {
				b, _ := json.Marshal(k)
				s = string(b)
			}
			out[s] = plain(e)
		}
		return out
	case []any:
		for i, e := range v {
			v[i] = plain(e)
		}
	case time.Time:
		return v.Format(time.DateOnly)
	}
	return v
}

func TestEveryOperationOfTheCorpusUpgradesAndLoads(t *testing.T) {
	dir := os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS names no directory of documents")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*swagger2*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Swagger documents in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			root := readDocument(t, file)
			count, bytes := 0, 0
			var spent, loading time.Duration
			rules := map[string]int{}
			paths := root["paths"].(map[string]any)
			for _, path := range slices.Sorted(maps.Keys(paths)) {
				item := paths[path].(map[string]any)
				for _, method := range slices.Sorted(maps.Keys(item)) {
					op, ok := item[method].(map[string]any)
					if !ok || strings.HasPrefix(method, "x-") {
						continue
					}
					count++
					c := &closure{root: root, out: map[string]any{}}
					for _, k := range []string{"swagger", "info", "host", "basePath", "schemes", "consumes", "produces", "security", "securityDefinitions"} {
						if v, ok := root[k]; ok {
							c.out[k] = v
						}
					}
					one := map[string]any{method: op}
					if p, ok := item["parameters"]; ok {
						one["parameters"] = p
					}
					c.walk(one)
					c.out["paths"] = map[string]any{path: one}
					small, err := json.Marshal(c.out)
					if err != nil {
						t.Fatal(err)
					}
					bytes += len(small)
					start := time.Now()
					v3, diags, err := Upgrade(small)
					spent += time.Since(start)
					if err != nil {
						t.Errorf("%s %s: %v", method, path, err)
						continue
					}
					for _, d := range diags {
						rules[string(d.Severity)+" "+d.Rule]++
						if d.Severity == "error" {
							t.Errorf("%s %s: %s", method, path, d)
						}
					}
					start = time.Now()
					doc, err := openapi3.NewLoader().LoadFromData(v3)
					loading += time.Since(start)
					if err != nil {
						t.Errorf("%s %s: load: %v", method, path, err)
						continue
					}
					account(t, root, path, method, item, op, doc)
				}
			}
			t.Logf("%d operations, %d bytes and %v to upgrade each, %v to load; %v", count, bytes/max(count, 1),
				spent/time.Duration(max(count, 1)), loading/time.Duration(max(count, 1)), rules)
		})
	}
}

// account checks that nothing of an operation got lost.
func account(t *testing.T, root map[string]any, path, method string, item, op map[string]any, doc *openapi3.T) {
	t.Helper()
	where := strings.ToUpper(method) + " " + path
	to := doc.Paths.Value(path)
	o := to.GetOperation(strings.ToUpper(method))
	if o == nil {
		t.Errorf("%s: not there", where)
		return
	}
	follow := func(v any) map[string]any {
		x, _ := v.(map[string]any)
		if ref, ok := x["$ref"].(string); ok {
			parts := strings.Split(ref, "/")
			x = root[parts[1]].(map[string]any)[parts[2]].(map[string]any)
		}
		return x
	}
	stated := func(k string) []any {
		l, _ := op[k].([]any)
		if len(l) == 0 {
			l, _ = root[k].([]any)
		}
		return l
	}
	own, _ := op["parameters"].([]any)
	inherited, _ := item["parameters"].([]any)
	form := false
	for _, v := range slices.Concat(own, inherited) {
		p := follow(v)
		in, name := p["in"].(string), p["name"].(string)
		switch in {
		case "body":
			if o.RequestBody == nil || len(o.RequestBody.Value.Content) == 0 {
				t.Errorf("%s: no body", where)
				continue
			}
			for _, mt := range stated("consumes") {
				if o.RequestBody.Value.Content[mt.(string)] == nil {
					t.Errorf("%s: the body has no %s", where, mt)
				}
			}
		case "formData":
			form = true
			for mt, media := range o.RequestBody.Value.Content {
				if media.Schema.Value.Properties[name] == nil {
					t.Errorf("%s: the form %s has no %s", where, mt, name)
				}
			}
		default:
			if o.Parameters.GetByInAndName(in, name) == nil && to.Parameters.GetByInAndName(in, name) == nil {
				t.Errorf("%s: no parameter %s in %s", where, name, in)
			}
		}
	}
	if form {
		for _, mt := range stated("consumes") {
			if s := mt.(string); (strings.HasPrefix(s, "multipart/") || strings.HasSuffix(s, "urlencoded")) && o.RequestBody.Value.Content[s] == nil {
				t.Errorf("%s: the form has no %s", where, s)
			}
		}
	}
	responses := op["responses"].(map[string]any)
	if o.Responses.Len() != len(responses) {
		t.Errorf("%s: %d responses of %d", where, o.Responses.Len(), len(responses))
	}
	for status, v := range responses {
		r := o.Responses.Value(status)
		if r == nil || r.Value == nil {
			t.Errorf("%s: no response %s", where, status)
			continue
		}
		from := follow(v)
		if from["schema"] != nil {
			if len(r.Value.Content) == 0 {
				t.Errorf("%s %s: no content", where, status)
			}
			for _, mt := range stated("produces") {
				if m := r.Value.Content[mt.(string)]; m == nil || m.Schema == nil {
					t.Errorf("%s %s: no schema for %s", where, status, mt)
				}
			}
		}
		headers, _ := from["headers"].(map[string]any)
		for name := range headers {
			if r.Value.Headers[name] == nil {
				t.Errorf("%s %s: no header %s", where, status, name)
			}
		}
		examples, _ := from["examples"].(map[string]any)
		for mt := range examples {
			if m := r.Value.Content[mt]; m == nil || m.Example == nil {
				t.Errorf("%s %s: no example for %s", where, status, mt)
			}
		}
	}
}
