package framework

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCodeOfThePackageCommentIsCompiled looks for each block of it in the
// examples.
func TestCodeOfThePackageCommentIsCompiled(t *testing.T) {
	files, err := filepath.Glob("example*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var examples strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		examples.Write(text)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks, block := 0, ""
	for _, line := range strings.Split(string(doc), "\n") {
		if code, ok := strings.CutPrefix(line, "//\t"); ok {
			block += code + "\n"
		} else if line == "//" && block != "" {
			block += "\n" // an empty line in a block, or its end
		} else if block != "" {
			blocks++
			if code := strings.TrimRight(block, "\n") + "\n"; !strings.Contains(examples.String(), code) {
				t.Errorf("no example has\n%s", code)
			}
			block = ""
		}
	}
	if blocks < 3 {
		t.Errorf("%d blocks of code", blocks)
	}
}
