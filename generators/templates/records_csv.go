package templates

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// decodeHeader returns the names of the columns.
func decodeHeader(raw []byte) ([]string, error) {
	header, err := decodeRow(raw)
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(header))
	for i, name := range header {
		if name == "" {
			return nil, fmt.Errorf("column %d has no name; the first row names every column", i+1)
		}
		if strings.Contains(name, "\r") {
			return nil, fmt.Errorf("the name of column %d has a carriage return: rows end in a line feed, alone or after one", i+1)
		}
		if first, twice := at[name]; twice {
			return nil, fmt.Errorf("columns %d and %d are both named %.80q", first, i+1, name)
		}
		at[name] = i + 1
	}
	return header, nil
}

// decodeCSV returns the fields of a row.
func decodeCSV(header []string, raw []byte) (map[string]any, error) {
	row, err := decodeRow(raw)
	if err != nil {
		return nil, err
	}
	if len(row) != len(header) {
		return nil, fmt.Errorf("the row has %d cells, and the header has %d; cells with a comma need quotation marks", len(row), len(header))
	}
	fields := make(map[string]any, len(row))
	for i, name := range header {
		fields[name] = row[i]
	}
	return fields, nil
}

func decodeRow(raw []byte) ([]string, error) {
	r := csv.NewReader(bytes.NewReader(raw))
	r.FieldsPerRecord = -1
	row, err := r.Read()
	if e := new(csv.ParseError); errors.As(err, &e) {
		return nil, fmt.Errorf("no row of CSV: %w", e.Err)
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.Read(); err != io.EOF {
		return nil, errors.New("no row of CSV: a quotation mark is missing, or there is one too many")
	}
	return row, nil
}
