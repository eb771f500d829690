package templates

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestTemplatesThatNeverEndAreRefused(t *testing.T) {
	defer func(d time.Duration) { trialTime = d }(trialTime)
	trialTime = 200 * time.Millisecond
	const front = "{{front .Name .Description .Metadata}}"
	for name, tt := range map[string]struct {
		file *fstest.MapFile
		want string
	}{
		"without output": {&fstest.MapFile{Data: []byte(front + "{{range $i := 20000000}}{{end}}")}, "does not end"},
		"endless output": {&fstest.MapFile{Data: []byte(front + "{{range $i := 999999999999}}" + strings.Repeat("x", 1<<19) + "{{end}}")}, "larger than"},
		"no file":        {&fstest.MapFile{Mode: fs.ModeNamedPipe}, "regular file"},
		"too large":      {&fstest.MapFile{Data: make([]byte, maxTemplate+1)}, "regular file"},
	} {
		if name == "endless output" {
			trialTime = time.Minute
		}
		_, err := Override(fstest.MapFS{"endpoint.md.tmpl": tt.file})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		trialTime = 200 * time.Millisecond
		if fault := new(Error); tt.want != "does not end" && !errors.As(err, &fault) {
			t.Errorf("%s: the error does not name the file: %v", name, err)
		}
	}
}
