//go:build unix

package templates

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestNobodyWaitsForAPipe(t *testing.T) {
	for _, pipe := range []string{"skills.yaml", "SKILL.md.tmpl", "r.ndjson", "x.md"} {
		dir := t.TempDir()
		for name, f := range folderOf(map[string]string{"r.ndjson": `{"name":"a"}`}) {
			if name != pipe {
				write(t, filepath.Join(dir, name), string(f.Data))
			}
		}
		if err := syscall.Mkfifo(filepath.Join(dir, pipe), 0o600); err != nil {
			t.Skip(err)
		}
		if _, err := Load(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", pipe, err)
		}
	}
}
