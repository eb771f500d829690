package check

import (
	"context"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
)

// altered replaces a text in the files of another generator's skills.
type altered struct {
	*openapi.Generator
	old, new string
}

func (a altered) Skill(ctx context.Context, path string) (*framework.Skill, error) {
	s, err := a.Generator.Skill(ctx, path)
	if err != nil {
		return nil, err
	}
	s.Version = ""
	for i, f := range s.Files {
		text, err := f.Content(ctx)
		if err != nil {
			return nil, err
		}
		s.Files[i] = framework.TextFile(f.Name, strings.ReplaceAll(string(text), a.old, a.new))
	}
	return s, nil
}

func TestReplayFindsCommandsThatSendWhatTheDocumentDoesNotAccept(t *testing.T) {
	if err := CanReplay(); err != nil {
		t.Skip(err)
	}
	g, err := openapi.New("ferry.yaml", []byte(clean), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		rule, old, new string
	}{
		{"", "nothing", "nothing"},
		{"replay-command", "X-Key: ", "X-Lock: "},
		{"replay-command", "curl ", "rm "},
	} {
		doc := Document{Name: "ferry.yaml", API: g.API(), Generator: altered{g, test.old, test.new}, Data: []byte(clean)}
		r := runOn(t, doc, Options{Replay: true})
		found := false
		for f := range r.Findings() {
			if strings.HasPrefix(f.Rule, "replay-") {
				found = true
				if f.Rule != test.rule || f.Pointer != "/paths/~1boats~1{id}/get" || f.Line == 0 || f.File != skillFile {
					t.Errorf("%+v", *f)
				}
			}
		}
		if found != (test.rule != "") {
			t.Errorf("%s: found: %t\n%s", test.rule, found, describe(r))
		}
	}
}
