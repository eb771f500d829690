package check

import (
	"bufio"
	"encoding/json"
	"io"
)

// WriteJSON writes the report as {"findings":[...]}, one finding a line.
func (r *Report) WriteJSON(out io.Writer) error {
	w := bufio.NewWriter(out)
	w.WriteString(`{"findings":[`)
	before := "\n"
	for f := range r.Findings() {
		w.WriteString(before)
		before = ",\n"
		text, err := json.Marshal(f)
		if err != nil {
			return err
		}
		w.Write(text)
	}
	if before != "\n" {
		w.WriteByte('\n')
	}
	w.WriteString("]}\n")
	return w.Flush()
}
