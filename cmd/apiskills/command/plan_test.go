package command

import (
	"bytes"
	"io"
	"testing"
)

// What plan counts is what a client gets.
func TestPlanCountsTheBytesOfTheRealListing(t *testing.T) {
	for _, budget := range []int{1, 400, 1 << 20} {
		a := program.newApp(bytes.NewReader(nil), io.Discard, io.Discard)
		flags := a.planCommand().Flags()
		s, err := a.configure(flags, []string{"shop=../../../examples/bookshop/openapi.yaml"})
		if err != nil {
			t.Fatal(err)
		}
		p, err := a.plan(t.Context(), s, budget)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range p.Modes {
			s.Listing = m.Mode
			catalog, _, err := a.open(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			binding, err := bind(catalog, s, newMonitor(catalog))
			if err != nil {
				t.Fatal(err)
			}
			response, err := ask(t.Context(), binding.Handler(), "skills/list", "")
			if err != nil || len(response) != m.Bytes || m.Pages != 1 {
				t.Errorf("%s: %d bytes on %d pages, the response has %d, %v", m.Mode, m.Bytes, m.Pages, len(response), err)
			}
			entries := 0
			for _, err := range pages(t.Context(), catalog) {
				if err != nil {
					t.Fatal(err)
				}
				entries++
			}
			if entries != m.Listed || m.Listed+m.Unlisted != p.Served || m.Shown+m.Lost != m.Listed {
				t.Errorf("%+v, but %d entries", m, entries)
			}
		}
	}
}
