package schema

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

const xmlDocument = `
    X:
      type: object
      xml: {name: order, namespace: 'http://example.com/o?a=1&b=2', prefix: o}
      required: [id, note, lines, tags, when]
      properties:
        id: {type: integer, xml: {attribute: true}}
        note: {allOf: [{type: string}], xml: {name: remark, prefix: o}}
        lines: {type: array, xml: {wrapped: true}, items: {type: object, required: [sku], xml: {name: line}, properties: {sku: {type: string, xml: {attribute: true, namespace: 'http://example.com/s', prefix: s}}}}}
        tags: {type: array, items: {type: string, xml: {name: tag}}}
        when: {type: string, xml: {prefix: unbound}}
`

func TestXMLFollowsTheHints(t *testing.T) {
	comps := load(t, "3.1.0", xmlDocument)
	x := refTo(comps, "X")
	v := Sample(x, Request, nil).Value
	got := XML(x, v, comps)
	want := `<o:order xmlns:o="http://example.com/o?a=1&amp;b=2" id="0">` +
		`<lines><line xmlns:s="http://example.com/s" s:sku="SKU"></line></lines>` +
		`<o:remark>NOTE</o:remark><tag>TAG</tag><when>WHEN</when></o:order>`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d := xml.NewDecoder(strings.NewReader(got))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", got, err)
		}
	}
	b := Describe(x, Request, &Options{XML: true})
	lines := `body: object xml(name order, prefix o, namespace "http://example.com/o?a=1&b=2")
  id*: integer xml(attribute)
  lines*: (object xml(name line))[] xml(wrapped)
    sku*: string xml(attribute, prefix s, namespace "http://example.com/s")
  note*: string xml(name remark, prefix o)
  tags*: (string xml(name tag))[]
  when*: string xml(prefix unbound)
`
	if text(b) != lines {
		t.Errorf("got\n%s\nwant\n%s", text(b), lines)
	}
	for _, l := range b.Lines {
		if err := checkLine(l); err != nil {
			t.Errorf("%q: %v", l, err)
		}
	}
}

func TestXMLKnowsTheNodeTypesOf32(t *testing.T) {
	comps := load(t, "3.2.0", `
    X:
      type: object
      required: [a, b, c]
      properties:
        a: {type: string, xml: {attribute: true}}
        b: {type: string, default: 'x ]]> y', xml: {x-apiskills-xml-node: cdata}}
        c: {type: object, required: [d], xml: {x-apiskills-xml-node: none}, properties: {d: {type: string}}}
`)
	x := refTo(comps, "X")
	got := XML(x, Sample(x, Request, nil).Value, comps)
	if want := `<X a="A"><![CDATA[x ]]]]><![CDATA[> y]]><d>D</d></X>`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
