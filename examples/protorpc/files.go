package protorpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// The limits of a folder. What is beyond them is left out, and said.
const (
	maxFiles     = 2000
	maxFileBytes = 1 << 20
	maxBytes     = 32 << 20
	maxDepth     = 16 // folders below each other
	maxEntries   = 100_000
	maxNesting   = 64 // brackets in a file; the parser and its like recurse
)

// A folder has the files that were read, and the faults met on the way.
type folder struct {
	dir    string // as the user gave it
	files  map[string][]byte
	faults []framework.Diagnostic
}

func (f *folder) fault(severity framework.Severity, rule, file string, line int, format string, args ...any) {
	const most = 1000
	if len(f.faults) >= most {
		return
	}
	message := fmt.Sprintf(format, args...)
	f.faults = append(f.faults, framework.Diagnostic{
		Severity: severity, Rule: rule, File: filepath.Join(f.dir, filepath.FromSlash(file)), Line: line, Message: message,
	})
}

var errEnough = errors.New("enough")

// readFolder reads the .proto files below dir. A link is not followed, so that
// nothing outside is opened.
func readFolder(ctx context.Context, dir string) (*folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f := &folder{dir: dir, files: map[string][]byte{}}
	entries, total := 0, 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if name == "." {
				return err
			}
			f.fault(framework.Error, "unreadable", name, 0, "cannot be read: %v; it is left out", err)
			return nil
		}
		entries++
		switch {
		case entries > maxEntries:
			f.fault(framework.Error, "limits", "", 0, "there are more than %d files and folders; those from %s on are left out", maxEntries, name)
			return errEnough
		case name != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if strings.Count(name, "/") >= maxDepth {
				f.fault(framework.Error, "limits", name, 0, "the folder is more than %d deep; it is left out", maxDepth)
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".proto":
			return nil
		case !d.Type().IsRegular():
			f.fault(framework.Warning, "no-file", name, 0, "it is a link or a device, and left out")
			return nil
		case len(f.files) >= maxFiles:
			f.fault(framework.Error, "limits", "", 0, "there are more than %d .proto files; those from %s on are left out", maxFiles, name)
			return errEnough
		}
		text, err := readFile(root, name)
		if err != nil {
			f.fault(framework.Error, "unreadable", name, 0, "%v; the file is left out", err)
			return nil
		}
		if line := tooDeep(text); line > 0 {
			f.fault(framework.Error, "limits", name, line, "more than %d brackets are open; the file is left out", maxNesting)
			return nil
		}
		if total += len(text); total > maxBytes {
			f.fault(framework.Error, "limits", "", 0, "the files have more than %d MiB; those from %s on are left out", maxBytes>>20, name)
			return errEnough
		}
		f.files[name] = text
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	if len(f.files) == 0 && len(f.faults) == 0 {
		return nil, fmt.Errorf("%s: there is no .proto file in it; name the folder that imports begin at", dir)
	}
	return f, nil
}

func readFile(root *os.Root, name string) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("it has more than %d MiB", maxFileBytes>>20)
	}
	return text, nil
}

// tooDeep returns the line at which more brackets are open than maxNesting, and
// 0 if there is none. It reads strings and comments as the parser does.
func tooDeep(text []byte) int {
	line, depth := 1, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			line++
		case '"', '\'':
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i < len(text) && text[i] == '\n' {
				line++
			}
		case '/':
			switch {
			case i+1 < len(text) && text[i+1] == '/':
				for i+1 < len(text) && text[i+1] != '\n' {
					i++
				}
			case i+1 < len(text) && text[i+1] == '*':
				for i += 2; i < len(text) && !(text[i] == '*' && i+1 < len(text) && text[i+1] == '/'); i++ {
					if text[i] == '\n' {
						line++
					}
				}
				i++
			}
		case '{', '[', '(', '<':
			if depth++; depth > maxNesting {
				return line
			}
		case '}', ']', ')', '>':
			depth--
		}
	}
	return 0
}
