package replay_test

import (
	"testing"

	"github.com/apiskills/apiskills/internal/replay"
)

// TestCommandsSendWhatTheDocumentAccepts replays every command of the skills of
// documents that this module has.
func TestCommandsSendWhatTheDocumentAccepts(t *testing.T) {
	available(t)
	for _, path := range []string{
		"../../examples/bookshop/openapi.yaml",
		"../../generators/openapi/testdata/harbour.yaml",
		"../../generators/openapi/internal/endpoint/testdata/orchard.yaml",
		"testdata/kiosk.yaml",
		"testdata/styles.yaml",
	} {
		t.Run(path, func(t *testing.T) {
			g, d := load(t, path)
			results, err := d.Replay(t.Context(), skills(t.Context(), g, 1), nil)
			if err != nil {
				t.Fatal(err)
			}
			passed := 0
			for _, r := range results {
				switch r.Status {
				case replay.Failed:
					t.Error(r)
				case replay.Passed:
					passed++
				}
			}
			if passed == 0 {
				t.Errorf("no command of %d results ran", len(results))
			}
		})
	}
}
