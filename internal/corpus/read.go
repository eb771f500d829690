package main

import (
	"os"
	"path/filepath"

	"github.com/apiskills/apiskills/internal/ledger"
)

// read reads a document a second time, with the files that it refers to.
func read(path string) (*ledger.Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ledger.Read(filepath.Base(path), data, func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(filepath.Dir(path), filepath.FromSlash(name)))
	})
}

// count returns the numbers of operations that can be called and of webhooks.
func count(d *ledger.Document) (calls, webhooks int) {
	for _, op := range d.Operations() {
		if op.Webhook {
			webhooks++
		} else {
			calls++
		}
	}
	return calls, webhooks
}
