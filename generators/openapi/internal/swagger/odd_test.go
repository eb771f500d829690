package swagger

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// oddValues are what stands where something else should.
var oddValues = []string{
	`null`, `"x"`, `1e999`, `[null,"a",{}]`, `{"a":null}`, `{"$ref":"#/definitions/Moth"}`, `{"$ref":1}`,
}

// replaced calls f for the document with each node in it replaced by v and, if
// twins is set, with each member doubled under a name that differs in case.
func replaced(root any, v any, twins bool, f func(pointer string)) {
	var walk func(node any, pointer string)
	walk = func(node any, pointer string) {
		switch node := node.(type) {
		case map[string]any:
			for _, k := range sorted(node) {
				old := node[k]
				node[k] = v
				f(pointer + "/" + escape(k))
				node[k] = old
				if up := strings.ToUpper(k); twins && up != k {
					node[up] = v
					f(pointer + "/" + escape(up))
					delete(node, up)
				}
				walk(old, pointer+"/"+escape(k))
			}
		case []any:
			for i, old := range node {
				node[i] = v
				f(fmt.Sprint(pointer, "/", i))
				node[i] = old
				walk(old, fmt.Sprint(pointer, "/", i))
			}
		}
	}
	walk(root, "")
}

func TestAnyValueAnywhereIsMendedOrAnError(t *testing.T) {
	root, err := decode(document(t, sampleDocument))
	if err != nil {
		t.Fatal(err)
	}
	failed := map[string]bool{}
	for i, odd := range oddValues {
		replaced(root, json.RawMessage(odd), i == 2, func(pointer string) {
			data, err := encode(root)
			if err != nil {
				t.Fatal(err)
			}
			v3, _, err := Upgrade(data)
			if err != nil {
				if d, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/"); d != "paths" || strings.Count(pointer, "/") > 3 {
					t.Errorf("%s as %s: %v", pointer, odd, err)
				}
				return
			}
			if _, err := openapi3.NewLoader().LoadFromData(v3); err != nil && !failed[pointer] {
				failed[pointer] = true
				t.Errorf("%s as %s does not load: %v", pointer, odd, err)
			}
			if strings.HasPrefix(pointer, "/paths/") || strings.HasPrefix(pointer, "/definitions/") {
				return
			}
			if _, err := UpgradeRoot(data); err != nil {
				t.Errorf("%s as %s: root: %v", pointer, odd, err)
			}
		})
	}
}
