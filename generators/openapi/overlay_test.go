package openapi

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// saying is an overlay that sets the guidance of the operation at a JSONPath.
func saying(target, guidance string) Overlay {
	return Overlay{Name: "o.yaml", Data: fmt.Appendf(nil, "overlay: 1.1.0\ninfo: {title: T, version: 1}\nactions:\n- target: %s\n  update: {x-skill: {guidance: %s}}\n", target, guidance)}
}

func TestAnOverlayWithoutEffectChangesNoByte(t *testing.T) {
	for _, file := range []string{harbour, "../../examples/bookshop/openapi.yaml"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := New(file, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		nothing := Overlay{Name: "o.yaml", Data: []byte("overlay: 1.0.0\ninfo: {title: T, version: 1}\nactions: [{target: $, update: {}}]\n")}
		same, err := New(file, data, &Options{Overlays: []Overlay{nothing}})
		if err != nil {
			t.Fatal(err)
		}
		if c := changed(versions(t, plain), versions(t, same)); len(c) > 0 {
			t.Errorf("%s: changed %v", file, c)
		}
	}
}

func TestGuidanceByOverlayChangesExactlyThatSkill(t *testing.T) {
	if testing.Short() {
		t.Skip("one thing after the other, and slow under the race detector")
	}
	data, err := os.ReadFile("../../examples/bookshop/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := New("a.yaml", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := versions(t, plain)
	for i := range plain.ops {
		op := &plain.ops[i]
		if op.Webhook != "" || strings.Contains(op.Pointer, "additionalOperations") {
			continue
		}
		target := fmt.Sprintf(`'$.paths["%s"].%s'`, op.Path, strings.ToLower(op.Method))
		g, err := New("a.yaml", data, &Options{Overlays: []Overlay{saying(target, "Only this one.")}})
		if err != nil {
			t.Fatal(err)
		}
		if got := changed(before, versions(t, g)); !slices.Equal(got, []string{plain.path(int32(i))}) {
			t.Errorf("%s changed %v", target, got)
		}
		if d, want := len(found(g)), len(found(plain)); d != want {
			t.Errorf("%s: %d diagnostics, want %d", target, d, want)
		}
	}
}

func TestWhatAnOverlaySelectsInVainIsADiagnostic(t *testing.T) {
	g, err := New("farm.yaml", []byte(farm), &Options{Overlays: []Overlay{saying("$.paths['/wheat'].get", "x")}})
	if err != nil {
		t.Fatal(err)
	}
	if got := found(g); !slices.Equal(got, []string{"overlay-no-match /actions/0"}) {
		t.Errorf("got %v", got)
	}
}

func TestPointersAreThoseOfTheDocumentAfterOverlays(t *testing.T) {
	move := Overlay{Name: "o.yaml", Data: []byte("overlay: 1.1.0\ninfo: {title: T, version: 1}\nactions:\n- {target: $.paths, update: {/grain: {}}}\n- {target: \"$.paths['/grain']\", copy: \"$.paths['/crops']\"}\n- {target: \"$.paths['/crops']\", remove: true}\n")}
	var read []byte
	g, err := New("farm.yaml", []byte(farm), &Options{Overlays: []Overlay{move}, OnRead: func(_ string, data []byte) { read = data }})
	if err != nil {
		t.Fatal(err)
	}
	if s := filesOf(t, g, "field-work/list-crops")["SKILL.md"]; !strings.Contains(s, "GET https://farm.example/grain") || !strings.Contains(s, "/paths/~1grain/get") {
		t.Errorf("%s", s)
	}
	after, _, err := ApplyOverlays("farm.yaml", []byte(farm), []Overlay{move})
	if err != nil || string(after) != string(read) {
		t.Errorf("another document was read: %v", err)
	}
}

func TestOverlayFilesThatCannotBeReadAreErrors(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, make([]byte, 8<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "no such file; check the path of the overlay",
		dir:                             "is a directory; name the overlay in it",
		large:                           "is larger than 8 MiB; split the overlay",
	} {
		if _, err := ReadOverlay(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

func TestADocumentThatIsBrokenIsSoWithOverlaysToo(t *testing.T) {
	for _, text := range []string{"", "openapi: [", "{}", "[]", "7", `{"openapi":"3.0.0","paths":{}}`} {
		_, plain := New("a.yaml", []byte(text), nil)
		_, err := New("a.yaml", []byte(text), &Options{Overlays: []Overlay{saying("$.paths", "x")}})
		if plain == nil || err == nil {
			t.Errorf("%q: %v without, %v with an overlay", text, plain, err)
		}
	}
}
