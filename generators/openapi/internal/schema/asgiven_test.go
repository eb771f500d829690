package schema

import (
	"slices"
	"testing"
)

func TestAnExampleKeepsReadOnlyMembersOnlyWhereItWouldSayNothing(t *testing.T) {
	for _, c := range []struct {
		name, doc, want string
		kept            []string
	}{
		{"beside others they go", `
    X: {type: object, properties: {id: {type: string, readOnly: true}, a: {type: string}}, example: {id: x, a: y}}
`, `{"a": "y"}`, nil},
		{"an object that would be empty keeps them, the one around it does not", `
    X:
      type: object
      properties:
        id: {type: string, readOnly: true}
        to: {type: array, items: {$ref: '#/components/schemas/Ref'}}
      example: {id: x, to: [{id: y}, {id: z}]}
    Ref: {type: object, properties: {id: {type: string, readOnly: true}}}
`, `{"to": [{"id": "y"}, {"id": "z"}]}`, []string{"id"}},
		{"one that is not valid without them keeps all", `
    X:
      type: object
      minProperties: 2
      properties: {id: {type: string, readOnly: true}, a: {type: string}}
      example: {id: x, a: y}
`, `{"a": "y", "id": "x"}`, []string{"id"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Sample(refTo(load(t, "3.1.0", c.doc), "X"), Request, nil)
			if e.Value.Line() != c.want || !slices.Equal(e.ReadOnly, c.kept) || e.Origin != FromDocument {
				t.Errorf("got %s, %v, of origin %v; want %s, %v", e.Value.Line(), e.ReadOnly, e.Origin, c.want, c.kept)
			}
		})
	}
}
