// Command bench measures the apiskills command on one document and prints a
// table of ratios:
//
//	go run ./internal/bench -doc openapi.json
//
// On a shared machine a time alone says little. So every figure stands beside
// an anchor that is measured in the same run: each round measures the anchor
// and then every row once, and the table has the median and the range of the
// rounds. The anchor is what one would do without apiskills: a process that
// loads the whole document with kin-openapi.
//
// What is measured is the real command, built once, in a process of its own
// with an empty cache directory, asked over HTTP on the loopback interface.
// A further figure is a further row of the table in rows.go.
package main
