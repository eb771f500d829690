// Command bench measures the apiskills command and prints a table of ratios:
//
//	go run ./internal/bench -doc openapi.json
//
// On a shared machine a time alone says little. So every figure stands beside
// an anchor that is measured in the same run: each round measures every row and
// its anchor once, one after the other, and the table has the median and the
// range of the rounds. The anchors are what one would do without apiskills: load
// the whole document with kin-openapi, answer the same bytes with net/http or
// nginx, or write a server with an MCP library, all skills made beforehand.
//
// What is measured is the real command, built once, in a process of its own
// with an empty cache directory, asked over HTTP on the loopback interface by a
// client that this package has. The processor time of the server for a request
// is steadier than the number of requests a second, which the client and its
// neighbours on the machine share.
//
// Rows about a large document need one. Those about serving make one of their
// own; those about pages and heap measure package framework in this process. A
// further figure is a further row of the table in rows.go.
package main
