package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("corpus", flag.ContinueOnError)
	dir := flags.String("dir", "", "folder of documents, with a MANIFEST.tsv (required)")
	rounds := flags.Int("rounds", 5, "rounds, of each of which the median is taken")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" || *rounds < 1 {
		flags.Usage()
		return fmt.Errorf("-dir DIR is required, and at least one round")
	}
	docs, err := readManifest(*dir)
	if err != nil {
		return err
	}
	// What a process does only once is not part of any document's time.
	smallest := slices.MinFunc(docs, func(a, b document) int { return cmp.Compare(a.bytes, b.bytes) })
	if _, err := measure(ctx, smallest, 1); err != nil {
		return err
	}
	rows := make([]*row, len(docs))
	for i, d := range docs {
		fmt.Fprintf(os.Stderr, "%d of %d: %s\n", i+1, len(docs), d.name)
		if rows[i], err = measure(ctx, d, *rounds); err != nil {
			return err
		}
	}
	return write(stdout, rows, *rounds)
}

const degraded = "degraded-operation" // the rule

const intro = `# Real documents

What becomes of %d public documents. Each operation and each webhook is one skill, and each document has its guide.
` + "`APISKILLS_CORPUS=DIR go test ./internal/corpus`" + ` checks every skill of them; ` + "`go run ./internal/corpus -dir DIR > docs/corpus.md`" + `
writes this page.

Operations and webhooks are counted by a plain walk of the document, not by the generator. *Degraded* are the operations
that kin-openapi cannot load, even mended: their skills are made of the raw JSON, and say so. *First* is the time to load
the document and make one skill of its middle, *All* that to make every skill with its digests, one after the other.

*Faults of ours* and *Found in the document* are the findings of the command ` + "`check`" + `; [check.md](check.md) explains the rules. What
is found once in the document is counted once, however many skills have the part.

Times are multiples of kin-openapi's load of the whole document (Swagger 2.0: converted) in the same process; "-": it loads nothing.
Median of %d interleaved rounds; %s/%s, %d cores, %s.

`

// write writes the page.
func write(w io.Writer, rows []*row, rounds int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, intro, len(rows), rounds, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	fmt.Fprintln(b, "| Document | OpenAPI | Operations | Webhooks | Skills | Degraded | First | All | Faults of ours | Found in the document, by rule |")
	fmt.Fprintln(b, "|---|---|---:|---:|---:|---:|---:|---:|---:|---|")
	total := row{}
	operations, webhooks := 0, 0
	for _, r := range rows {
		calls, hooks := r.calls, r.webhooks
		operations, webhooks, total.skills = operations+calls, webhooks+hooks, total.skills+r.skills
		fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %d | %s | %s | %d | %s |\n", r.name, r.version, calls, hooks, r.skills,
			r.degraded, ratio(r.first), ratio(r.all), r.ours, byRule(r.found))
	}
	fmt.Fprintf(b, "\nTogether: %d operations and %d webhooks of %d documents; %d skills.\n", operations, webhooks, len(rows), total.skills)
	return b.Flush()
}

func ratio(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}

// byRule lists the rules, the most frequent first.
func byRule(rules map[string]int) string {
	names := slices.SortedFunc(maps.Keys(rules), func(a, b string) int {
		return cmp.Or(rules[b]-rules[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, rules[name])
	}
	return strings.Join(names, ", ")
}
