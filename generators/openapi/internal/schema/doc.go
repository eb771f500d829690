// Package schema turns the schemas of a loaded OpenAPI document into the three
// things a skill shows of them: lines of notation (Describe), sample values
// (Sample, MediaTypeSample, ParameterSample) and parameters as they travel over
// the wire (SerializeQuery, SerializePath and so on).
//
// It reads kin-openapi's types and knows nothing of operations, skills or
// Markdown. Every text it returns is a single line without control, bidi or
// zero-width characters, so that a fence is all a caller has to add.
//
// Documents are hostile: schemas may be cyclic, wide, deep or contradictory.
// Each call works within a budget of steps; what does not fit is marked in the
// result and counted, never cut silently.
package schema
