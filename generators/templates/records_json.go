package templates

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// maxRecordDepth bounds lists and mappings within each other in a record.
const maxRecordDepth = 64

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// decodeJSON returns the fields of a record that is written in JSON. Numbers
// keep their digits, and no name may stand twice in an object.
func decodeJSON(raw []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return nil, jsonFault(err)
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("a record is an object, and this is none")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the record: write one record a line in NDJSON, or an array in JSON")
	}
	return fields, nil
}

func jsonFault(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON ends too early")
	}
	return err
}

func decodeValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxRecordDepth {
		return nil, fmt.Errorf("more than %d levels of objects and arrays", maxRecordDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		return numberOf(string(t)), nil
	case json.Delim:
		if t == '[' {
			list := []any{}
			for d.More() {
				v, err := decodeValue(d, depth+1)
				if err != nil {
					return nil, err
				}
				list = append(list, v)
			}
			_, err := d.Token()
			return list, err
		}
		object := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			key, _ := name.(string)
			if _, twice := object[key]; twice {
				return nil, fmt.Errorf("the name %.80q stands twice in an object", key)
			}
			if object[key], err = decodeValue(d, depth+1); err != nil {
				return nil, err
			}
		}
		_, err := d.Token()
		return object, err
	default:
		return t, nil
	}
}
