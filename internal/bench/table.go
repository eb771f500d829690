package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// A row is one line of the table.
type row struct {
	number string
	name   string
	unit   string // of the value and the anchor
	anchor string // what that is; "" if there is none, and the value has the goal
	// goal and stretch bound the ratio, or without an anchor the value: from
	// above, or from below if atLeast is set.
	goal, stretch float64
	atLeast       bool
	reported      bool // no goal
}

// A sample is what one round measured. The ratio is of the two, in the direction
// that the row's name says.
type sample struct {
	value, anchor, ratio float64
	none                 bool // it could not be measured
}

func (s sample) measured() bool { return !s.none }

// over is the sample of a value that its anchor divides.
func over(value, anchor float64) sample {
	return sample{value: value, anchor: anchor, ratio: value / anchor}
}

// under is the sample of a value that divides its anchor.
func under(value, anchor float64) sample {
	return sample{value: value, anchor: anchor, ratio: anchor / value}
}

// A result is a row with what all rounds measured.
type result struct {
	row
	samples []sample
}

func (r *result) values() []float64  { return r.each(func(s sample) float64 { return s.value }) }
func (r *result) anchors() []float64 { return r.each(func(s sample) float64 { return s.anchor }) }
func (r *result) ratios() []float64  { return r.each(func(s sample) float64 { return s.ratio }) }

func (r *result) each(f func(sample) float64) []float64 {
	var out []float64
	for _, s := range r.samples {
		out = append(out, f(s))
	}
	return out
}

// judged is the figure that the goal is about.
func (r *result) judged() float64 {
	if r.anchor == "" {
		return median(r.values())
	}
	return median(r.ratios())
}

func (r *row) meets(v, bound float64) bool {
	if r.reported {
		return true
	}
	if r.atLeast {
		return v >= bound
	}
	return v <= bound
}

// bound formats a goal.
func (r *row) bound(v float64) string {
	if r.reported {
		return "–"
	}
	sign, unit := "≤", "×"
	if r.atLeast {
		sign = "≥"
	}
	if r.anchor == "" {
		unit = r.unit
	}
	return strings.TrimSpace(fmt.Sprintf("%s %g %s", sign, v, unit))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[n/2]
}

// spread formats values as "median (least–most) unit".
func spread(values []float64, unit string) string {
	return strings.TrimSpace(fmt.Sprintf("%s (%s–%s) %s", short(median(values)), short(slices.Min(values)), short(slices.Max(values)), unit))
}

// short formats a number with three digits that count.
func short(v float64) string {
	switch {
	case v >= 100 || v == 0:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

func (b *bench) writeTable(w io.Writer, results []result, rounds int) error {
	fmt.Fprintln(w, facts())
	if b.document != "" {
		fmt.Fprintf(w, "document: %s; ", filepath.Base(b.document))
	}
	fmt.Fprintf(w, "%d rounds: median (least–most)\n\n", rounds)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "row\twhat\tours\tanchor\tratio\tgoal\tstretch\t")
	for i := range results {
		r := &results[i]
		anchor, ratio := "–", "–"
		if r.anchor != "" {
			anchor, ratio = r.anchor+": "+spread(r.anchors(), r.unit), spread(r.ratios(), "×")
		}
		met := "missed"
		switch v := r.judged(); {
		case r.reported:
			met = ""
		case r.meets(v, r.stretch):
			met = "stretch"
		case r.meets(v, r.goal):
			met = "met"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.number, r.name, spread(r.values(), r.unit), anchor, ratio, r.bound(r.goal), r.bound(r.stretch), met)
	}
	return table.Flush()
}

func writeJSON(w io.Writer, results []result) error {
	type jsonRow struct {
		Row     string   `json:"row"`
		Name    string   `json:"name"`
		Value   float64  `json:"value"`
		Anchor  *float64 `json:"anchor"`
		Ratio   *float64 `json:"ratio"`
		Goal    string   `json:"goal"`
		Stretch string   `json:"stretch"`
		Met     bool     `json:"met"`
	}
	out := struct {
		Machine string    `json:"machine"`
		Rows    []jsonRow `json:"rows"`
	}{facts(), []jsonRow{}}
	for i := range results {
		r := &results[i]
		line := jsonRow{
			Row: r.number, Name: r.name, Value: median(r.values()), Goal: r.bound(r.goal), Stretch: r.bound(r.stretch),
			Met: r.meets(r.judged(), r.goal),
		}
		if r.anchor != "" {
			anchor, ratio := median(r.anchors()), median(r.ratios())
			line.Anchor, line.Ratio = &anchor, &ratio
		}
		out.Rows = append(out.Rows, line)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// facts describes the machine, and how busy it is.
func facts() string {
	text := fmt.Sprintf("%s, %s/%s, %d cores", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if name, ok := strings.CutPrefix(lines.Text(), "model name"); ok {
				text += ", " + strings.TrimSpace(strings.TrimLeft(name, "\t :"))
				break
			}
		}
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		first, _, _ := strings.Cut(string(load), " ")
		text += ", load average " + first
	}
	return text
}
