package swagger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// An object is a JSON object. Numbers in it are json.Number. What comes from the
// source is never changed in place, since references may lead to it repeatedly.
type object = map[string]any

// maxDocument is up to what size a document is converted, in bytes.
const maxDocument = 16 << 20

// decode reads a JSON object.
func decode(data []byte) (object, error) {
	if len(data) > maxDocument {
		return nil, fmt.Errorf("the document has %d bytes, more than %d", len(data), maxDocument)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows the document")
	}
	o, ok := finite(v).(object)
	if !ok {
		return nil, errors.New("the document is no object")
	}
	return o, nil
}

// finite replaces numbers that no float64 can hold by their text, because
// kin-openapi would refuse all that surrounds them.
func finite(v any) any {
	switch v := v.(type) {
	case object:
		for k, e := range v {
			switch e.(type) {
			case object, []any, json.Number:
				v[k] = finite(e)
			}
		}
	case []any:
		for i, e := range v {
			v[i] = finite(e)
		}
	case json.Number:
		if len(v) > 300 || strings.ContainsAny(string(v), "eE") {
			if f, err := v.Float64(); err != nil || math.IsInf(f, 0) {
				return string(v)
			}
		}
	}
	return v
}

// encode writes canonical JSON: compact, members sorted by name.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// weight is about how many bytes v takes in JSON.
func weight(v any) int {
	n := 4
	switch v := v.(type) {
	case object:
		for k, e := range v {
			n += len(k) + 4 + weight(e)
		}
	case []any:
		for _, e := range v {
			n += 1 + weight(e)
		}
	case string:
		n += len(v)
	case json.Number:
		n += len(v)
	}
	return n
}

// sorted returns the names of the members of o in order.
func sorted[V any](o map[string]V) []string {
	names := make([]string, 0, len(o))
	for k := range o {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

// The functions as... read a value as what it was meant to be: they take a
// number for its text and "true" for true, but nothing that needs a guess.

func asText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return string(v), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

func asFlag(v any) (flag, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		switch strings.ToLower(v) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
	}
	return false, false
}

func asNumber(v any) (json.Number, bool) {
	switch v := v.(type) {
	case json.Number:
		return v, true
	case string:
		f, err := strconv.ParseFloat(v, 64)
		if err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && json.Valid([]byte(v)) {
			return json.Number(v), true
		}
	}
	return "", false
}

// asCount reads an integer of 0 or more.
func asCount(v any) (json.Number, bool) {
	n, ok := asNumber(v)
	if !ok {
		return "", false
	}
	if _, err := strconv.ParseUint(string(n), 10, 63); err == nil {
		return n, true
	}
	f, err := n.Float64()
	if err != nil || f < 0 || f >= 1<<53 || f != math.Trunc(f) {
		return "", false
	}
	return json.Number(strconv.FormatUint(uint64(f), 10)), true
}

// asTexts reads an array of strings, or a string in the place of one.
func asTexts(v any) ([]string, bool) {
	list, ok := v.([]any)
	if !ok {
		s, ok := v.(string)
		return []string{s}, ok
	}
	texts := make([]string, 0, len(list))
	for _, e := range list {
		if s, ok := asText(e); ok {
			texts = append(texts, s)
		}
	}
	return texts, true
}

// listOf makes a JSON array of strings.
func listOf(texts []string) []any {
	list := make([]any, len(texts))
	for i, s := range texts {
		list[i] = s
	}
	return list
}

func isExtension(name string) bool { return strings.HasPrefix(name, "x-") }

// copyExtensions adds the extensions of from to to.
func copyExtensions(to, from object) {
	for k, v := range from {
		if isExtension(k) {
			to[k] = v
		}
	}
}
