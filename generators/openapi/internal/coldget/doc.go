// Command coldget measures what making the skills of the OpenAPI document FILE
// costs, one at a time, beside what kin-openapi needs to load the small document
// that each is made from. It prints both as JSON, for the bench command, which
// cannot see small documents.
package main
