package skillsmcp

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

func TestInstructionsNameTheGuidesOfTheMomentInBothEras(t *testing.T) {
	c := newCatalog(t, newShelf())
	h := bind(t, c, &Options{Instructions: "Be kind."}).Handler()
	ask := func() [2]string {
		var got [2]string
		for i, r := range []string{`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}`, ``} {
			w := httptest.NewRecorder()
			if i == 0 {
				h.ServeHTTP(w, legacy("initialize", r))
			} else {
				h.ServeHTTP(w, modern("server/discover", r))
			}
			got[i] = w.Body.String()
		}
		return got
	}
	for _, answer := range ask() {
		if !strings.Contains(answer, "Be kind.") || !strings.Contains(answer, guideURI) {
			t.Errorf("no guide in %s", answer)
		}
	}
	if err := c.SetMounts([]framework.Mount{{Prefix: "other", Generator: newShelf()}}); err != nil {
		t.Fatal(err)
	}
	for _, answer := range ask() {
		if strings.Contains(answer, guideURI) || !strings.Contains(answer, "skill://other/shelf-guide/SKILL.md") {
			t.Errorf("the guides are of before: %s", answer)
		}
	}
}
