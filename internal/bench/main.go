package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	doc := flags.String("doc", "", "OpenAPI document to measure on (required)")
	rounds := flags.Int("rounds", 5, "rounds, each of the anchor and every row")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *doc == "" || *rounds < 1 {
		flags.Usage()
		return fmt.Errorf("-doc FILE is required, and at least one round")
	}
	b, err := prepare(ctx, *doc)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	return b.table(ctx, *rounds, stdout)
}

// table measures the anchor and every row, round after round, and writes how
// they compare.
func (b *bench) table(ctx context.Context, rounds int, stdout io.Writer) error {
	anchors := make(map[quantity][]float64)
	samples := make([][]float64, len(rows)) // per row, one value a round
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		a, err := b.kinLoad(ctx)
		if err != nil {
			return err
		}
		for q, v := range a {
			anchors[q] = append(anchors[q], v)
		}
		for i, r := range rows {
			v, err := r.measure(ctx, b)
			if err != nil {
				return fmt.Errorf("row %s: %w", r.number, err)
			}
			samples[i] = append(samples[i], v)
		}
	}
	return writeTable(stdout, b.document, rounds, anchors, samples)
}

// A bench is what the rows measure with.
type bench struct {
	dir      string // scratch
	binary   string // the apiskills command
	kinload  string // the anchor
	document string
	skills   []string // URIs of the document's skills, of which rows ask some
	reads    int      // files that row 12 reads
}

// prepare builds the commands, outside every measurement.
func prepare(ctx context.Context, doc string) (*bench, error) {
	dir, err := os.MkdirTemp("", "apiskills-bench-*")
	if err != nil {
		return nil, err
	}
	b := &bench{
		dir:      dir,
		binary:   filepath.Join(dir, "apiskills"),
		kinload:  filepath.Join(dir, "kinload"),
		document: doc,
		reads:    10_000,
	}
	for binary, pkg := range map[string]string{b.binary: "cmd/apiskills", b.kinload: "internal/bench/kinload"} {
		build := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/apiskills/apiskills/"+pkg)
		if out, err := build.CombinedOutput(); err != nil {
			os.RemoveAll(dir)
			return nil, fmt.Errorf("building %s: %w\n%s", pkg, err, out)
		}
	}
	if b.skills, err = b.listSkills(ctx); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return b, nil
}

// kinLoad runs the anchor once.
func (b *bench) kinLoad(ctx context.Context) (map[quantity]float64, error) {
	cmd := exec.CommandContext(ctx, b.kinload, b.document)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("kin-openapi does not load %s: %w", b.document, err)
	}
	var result struct{ Milliseconds, PeakMB float64 }
	if err := json.Unmarshal(out, &result); err != nil {
		return nil, err
	}
	return map[quantity]float64{milliseconds: result.Milliseconds, megabytes: result.PeakMB}, nil
}

func writeTable(w io.Writer, doc string, rounds int, anchors map[quantity][]float64, samples [][]float64) error {
	fmt.Fprintf(w, "%s, %d rounds, %s/%s, %d cores\n", filepath.Base(doc), rounds, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Fprintf(w, "kin-openapi, whole load: %s, peak %s\n\n", spread(anchors[milliseconds], milliseconds), spread(anchors[megabytes], megabytes))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "row\twhat\tmedian (range)\t÷ kin load\tgoal\tstretch")
	for i, r := range rows {
		ratios := make([]float64, rounds)
		for j := range ratios {
			ratios[j] = samples[i][j] / anchors[r.in][j]
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.number, r.what, spread(samples[i], r.in), spread(ratios, ratio), r.goal, r.stretch)
	}
	return table.Flush()
}

// A quantity is what a row measures.
type quantity string

const (
	milliseconds quantity = "ms"
	megabytes    quantity = "MB"
	ratio        quantity = "×"
)

// spread formats values as "median (least–most) unit".
func spread(values []float64, q quantity) string {
	sorted := slices.Sorted(slices.Values(values))
	median := sorted[len(sorted)/2]
	if len(sorted)%2 == 0 {
		median = (sorted[len(sorted)/2-1] + median) / 2
	}
	format := "%.1f (%.1f–%.1f) %s"
	if q == ratio {
		format = "%.3f (%.3f–%.3f) %s"
	}
	return fmt.Sprintf(format, median, sorted[0], sorted[len(sorted)-1], q)
}
