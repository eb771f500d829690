package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A document is one line of the manifest.
type document struct {
	name    string // slash-separated, below the corpus
	path    string
	refRoot string // "" for the document's own folder
	bytes   int    // with the files that it refers to
}

// readManifest returns the documents of the corpus in dir.
func readManifest(dir string) ([]document, error) {
	file := filepath.Join(dir, "MANIFEST.tsv")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	header := strings.Split(lines[0], "\t")
	name, size := slices.Index(header, "file"), slices.Index(header, "bytes")
	if name < 0 || size < 0 {
		return nil, fmt.Errorf("%s:1: the columns file and bytes are not there", file)
	}
	var docs []document
	for i, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != len(header) {
			return nil, fmt.Errorf("%s:%d: %d columns, want %d", file, i+2, len(fields), len(header))
		}
		d := document{name: fields[name], path: filepath.Join(dir, filepath.FromSlash(fields[name]))}
		if d.bytes, err = strconv.Atoi(fields[size]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+2, err)
		}
		if strings.Count(d.name, "/") >= 3 {
			d.refRoot = filepath.Join(filepath.Dir(d.path), "..", "..")
		}
		docs = append(docs, d)
	}
	if len(docs) == 0 {
		return nil, fmt.Errorf("%s lists no documents", file)
	}
	return docs, nil
}
