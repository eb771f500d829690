package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// rowList is the value of the flag -row: numbers, with commas between them, and
// more of them each time that the flag is there.
type rowList []string

func (l *rowList) String() string { return strings.Join(*l, ",") }

func (l *rowList) Set(text string) error {
	for number := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 || n > lastRow {
			return fmt.Errorf("rows have the numbers 1 to %d", lastRow)
		}
		*l = append(*l, strconv.Itoa(n))
	}
	return nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var only rowList
	flags.Var(&only, "row", "measure these `ROWS` alone: numbers with commas; may be repeated")
	doc := flags.String("doc", "", "OpenAPI document `FILE` for the rows about a large document; default github-api.json in $APISKILLS_CORPUS")
	rounds := flags.Int("rounds", 5, "rounds; each measures every row and its anchor once")
	load := flags.Float64("load", 1, "factor of the number of requests that are sent")
	asJSON := flags.Bool("json", false, "print JSON in the place of a table")
	nginx := flags.String("nginx", "nginx", "the nginx `COMMAND` that is the anchor of row 6")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 || *load <= 0 || flags.NArg() > 0 {
		flags.Usage()
		return errors.New("at least one round and some load are needed, and there are no arguments")
	}
	if *doc == "" {
		if corpus := os.Getenv("APISKILLS_CORPUS"); corpus != "" {
			*doc = filepath.Join(corpus, "github-api.json")
		}
	}
	b, err := prepare(ctx, *doc, *nginx, *load, stderr)
	if err != nil {
		return err
	}
	defer b.close()
	var wanted []*group
	for _, g := range groups() {
		if len(only) > 0 && !slices.ContainsFunc(g.rows, func(r row) bool { return slices.Contains(only, r.number) }) {
			continue
		}
		wanted = append(wanted, g)
	}
	results, err := b.measure(ctx, wanted, *rounds)
	if err != nil {
		return err
	}
	results = slices.DeleteFunc(results, func(r result) bool { return len(only) > 0 && !slices.Contains(only, r.number) })
	if *asJSON {
		return writeJSON(stdout, results)
	}
	return b.writeTable(stdout, results, *rounds)
}

// measure measures groups of rows, round after round.
func (b *bench) measure(ctx context.Context, wanted []*group, rounds int) ([]result, error) {
	var ready []*group
	for _, g := range wanted {
		if g.needsDocument && b.document == "" {
			fmt.Fprintf(b.log, "skipped: %s; give a document with -doc, or set APISKILLS_CORPUS\n", g.numbers())
			continue
		}
		if g.prepare != nil {
			if err := g.prepare(ctx, b); errors.Is(err, errSkip) {
				fmt.Fprintf(b.log, "skipped: %s: %v\n", g.numbers(), err)
				continue
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", g.numbers(), err)
			}
		}
		ready = append(ready, g)
	}
	samples := make([][][]sample, len(ready)) // per group, round and row
	for round := range rounds {
		fmt.Fprintf(b.log, "round %d of %d\n", round+1, rounds)
		for i, g := range ready {
			s, err := g.measure(ctx, b)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", g.numbers(), err)
			}
			samples[i] = append(samples[i], s)
		}
	}
	var results []result
	for i, g := range ready {
		for j, r := range g.rows {
			of := result{row: r}
			for _, s := range samples[i] {
				if len(s) > j && s[j].measured() {
					of.samples = append(of.samples, s[j])
				}
			}
			if len(of.samples) > 0 {
				results = append(results, of)
			}
		}
	}
	slices.SortStableFunc(results, func(a, b result) int {
		x, _ := strconv.Atoi(a.number)
		y, _ := strconv.Atoi(b.number)
		return x - y
	})
	return results, nil
}
