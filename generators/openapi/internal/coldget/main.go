package main

import (
	"encoding/json"
	"log"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"context"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
	"github.com/getkin/kin-openapi/openapi3"
)

// budget is that of both the skills and the documents that are loaded.
const budget = 32 << 10

// Of many skills a sample is measured, after some that only warm the process up.
const (
	sample = 400
	warmUp = 20
)

type quantiles struct{ P50, P95 float64 } // milliseconds

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: coldget FILE")
	}
	get, kin, err := measure(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	err = json.NewEncoder(os.Stdout).Encode(map[string]quantiles{"get": of(get), "kin": of(kin)})
	if err != nil {
		log.Fatal(err)
	}
}

func measure(ctx context.Context, file string) (get, kin []time.Duration, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	g, err := openapi.New(file, data, &openapi.Options{Budget: budget})
	if err != nil {
		return nil, nil, err
	}
	doc, err := ingest.Load(file, data)
	if err != nil {
		return nil, nil, err
	}
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: g.API(), Generator: g}}, &framework.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	byPointer := make(map[string]*ingest.Operation)
	for i := range doc.Operations {
		byPointer[doc.Operations[i].Pointer] = &doc.Operations[i]
	}
	var paths []string
	for path, err := range g.Paths(ctx, "") {
		if err != nil {
			return nil, nil, err
		}
		if strings.Contains(path, "/") {
			paths = append(paths, path)
		}
	}
	for i := range min(len(paths), sample+warmUp) {
		path := paths[i*len(paths)/min(len(paths), sample+warmUp)]
		start := time.Now()
		entry, err := catalog.Get(ctx, "skill://"+g.API()+"/"+path+"/SKILL.md")
		took := time.Since(start)
		if err != nil {
			return nil, nil, err
		}
		var metadata struct{ Metadata struct{ Pointer string } }
		if err := json.Unmarshal(entry.Frontmatter.JSON, &metadata); err != nil {
			return nil, nil, err
		}
		op := byPointer[metadata.Metadata.Pointer]
		if op == nil {
			continue
		}
		small, _ := doc.Small(op, budget)
		start = time.Now()
		if _, err := openapi3.NewLoader().LoadFromData(small); err != nil {
			continue // that skill is made from the raw document
		}
		load := time.Since(start)
		if i >= min(warmUp, len(paths)/2) {
			get, kin = append(get, took), append(kin, load)
		}
	}
	return get, kin, nil
}

// of returns the quantiles of times.
func of(times []time.Duration) quantiles {
	if len(times) == 0 {
		return quantiles{}
	}
	slices.Sort(times)
	at := func(percent int) float64 { return float64(times[(len(times)-1)*percent/100].Microseconds()) / 1000 }
	return quantiles{at(50), at(95)}
}
