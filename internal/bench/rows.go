package main

import "context"

// A group is rows that are measured together, one sample of each a round.
type group struct {
	rows          []row
	needsDocument bool
	prepare       func(context.Context, *bench) error // once, before the rounds; or nil
	measure       func(context.Context, *bench) ([]sample, error)
}

// numbers names the rows of a group.
func (g *group) numbers() string {
	text := "row"
	last := ""
	for _, r := range g.rows {
		if r.number != last {
			text += " " + r.number
		}
		last = r.number
	}
	return text
}

const lastRow = 15

const (
	kin  = "kin-openapi load"
	bare = "bare net/http"
)

// groups are all rows of the table.
func groups() []*group {
	warm := new(warm)
	reload := new(reload)
	return []*group{
		{
			rows: []row{
				{number: "1", name: "process start to first skills/get, nothing cached on disk", unit: "ms", anchor: kin, goal: 0.10, stretch: 0.05},
				{number: "3", name: "process start to first skills/list page of 100", unit: "ms", anchor: kin, goal: 0.25, stretch: 0.12},
				{number: "4", name: "every skill made, digested and written to a folder", unit: "ms", anchor: kin, goal: 1.5, stretch: 0.8},
				{number: "12", name: "resident memory, idle after start", unit: "MB", goal: 40, stretch: 25},
				{number: "12", name: "resident memory, after a full listing and 10,000 reads", unit: "MB", goal: 128, stretch: 80},
			},
			needsDocument: true, prepare: prepareDocument, measure: measureDocument,
		},
		{
			rows: []row{
				{number: "2", name: "process start to first skills/get, index cached on disk", unit: "ms", anchor: "start of net/http", goal: 4, stretch: 2.5},
			},
			needsDocument: true, prepare: prepareDocument, measure: cachedStart,
		},
		{
			rows: []row{
				{number: "5", name: "cold skills/get, median", unit: "ms", anchor: "kin-openapi load of its part", goal: 2, stretch: 1.3},
				{number: "5", name: "cold skills/get, 95th percentile", unit: "ms", anchor: "kin-openapi load of its part", goal: 3, stretch: 2},
			},
			needsDocument: true, measure: coldGets,
		},
		{
			rows: []row{
				{number: "6", name: "warm skills/get, processor time", unit: "µs", anchor: bare, goal: 0.80, stretch: 0.92, atLeast: true},
				{number: "6", name: "warm skills/get, requests a second", unit: "/s", anchor: bare, goal: 0.80, stretch: 0.92, atLeast: true},
				{number: "6", name: "warm skills/get, processor time", unit: "µs", anchor: "nginx", goal: 0.45, stretch: 0.60, atLeast: true},
				{number: "6", name: "warm skills/get, requests a second", unit: "/s", anchor: "nginx", goal: 0.45, stretch: 0.60, atLeast: true},
				{number: "7", name: "warm skills/get, processor time", unit: "µs", anchor: "go-sdk", goal: 5, stretch: 8, atLeast: true},
				{number: "8", name: "warm skills/list page of 100, processor time", unit: "µs", anchor: bare, goal: 0.65, stretch: 0.90, atLeast: true},
				{number: "8", name: "warm skills/list page of 100, requests a second", unit: "/s", anchor: bare, goal: 0.65, stretch: 0.90, atLeast: true},
				{number: "8", name: "warm skills/list page of 100, processor time", unit: "µs", anchor: "go-sdk", goal: 12, stretch: 20, atLeast: true},
				{number: "9", name: "warm resources/read, processor time", unit: "µs", anchor: "mcp-go", goal: 4, stretch: 7, atLeast: true},
				{number: "14", name: "warm skills/get, 99th percentile", unit: "ms", anchor: bare, goal: 2, stretch: 1.3},
			},
			prepare: warm.prepare, measure: warm.measure,
		},
		{
			rows: []row{
				{number: "10", name: "last page of 1,000,000 skills", unit: "µs", anchor: "their first page", goal: 1.3, stretch: 1.1},
				{number: "10", name: "page of 1,000,000 skills", unit: "µs", anchor: "page of 1,000", goal: 1.3, stretch: 1.1},
			},
			measure: measurePages,
		},
		{
			rows: []row{
				{number: "11", name: "heap for each of 1,000,000 uncached skills", unit: "B", goal: 64, stretch: 44},
				{number: "11", name: "heap of the index for each skill of an OpenAPI document", unit: "B", goal: 250, stretch: 250},
			},
			measure: measureHeap,
		},
		{
			rows: []row{
				{number: "13", name: "renders for 64 requests of one skill at once", goal: 1, stretch: 1},
			},
			measure: misses,
		},
		{
			rows: []row{
				{number: "15", name: "requests that fail while a document is read anew", goal: 0, stretch: 0},
				{number: "15", name: "digests too many or too few that change with one operation", goal: 0, stretch: 0},
				{number: "15", name: "99th percentile while a document is read anew", unit: "ms", anchor: "before", reported: true},
			},
			measure: reload.measure,
		},
	}
}
