package ledger

import "slices"

// impossible reports whether no value fits a schema, or one of the members that
// it requires, because its types and those of its allOf have none in common:
// whatever sample is made breaks it.
func (d *Document) impossible(schema place, depth int) bool {
	s := d.quietly(schema)
	if depth > 8 || s.object() == nil {
		return false
	}
	if only := kinds(s); only != nil && !d.meet(&only, s, 0) {
		return true
	}
	for _, part := range s.get("allOf").items() {
		if d.impossible(part, depth+1) {
			return true
		}
	}
	for _, name := range s.get("required").items() {
		if d.impossible(s.get("properties").get(name.text()), depth+1) {
			return true
		}
	}
	return false
}

// meet leaves of the types those that each part of allOf allows, and reports
// whether there are any.
func (d *Document) meet(only *[]string, s place, depth int) bool {
	for _, part := range s.get("allOf").items() {
		part = d.quietly(part)
		if own := kinds(part); own != nil {
			*only = slices.DeleteFunc(*only, func(t string) bool {
				return !slices.Contains(own, t) && !(t == "integer" && slices.Contains(own, "number")) && !(t == "number" && slices.Contains(own, "integer"))
			})
		}
		if len(*only) == 0 || depth < 16 && !d.meet(only, part, depth+1) {
			return false
		}
	}
	return true
}

// kinds returns the types of a schema, nil if it does not say.
func kinds(s place) []string {
	if one := s.get("type").text(); one != "" {
		return []string{one}
	}
	var out []string
	for _, t := range s.get("type").items() {
		out = append(out, t.text())
	}
	return out
}
