package framework

import (
	"sync/atomic"
	"time"
)

// Stats are counts since a catalog was made, for a monitor to sample.
type Stats struct {
	// Renders are the skills that generators made and the catalog rendered,
	// RenderTime is what all of them took together, and Failures are those that
	// ended with an error other than ErrNotFound.
	Renders    uint64
	RenderTime time.Duration
	Failures   uint64
	// Abandoned are the calls of generators that ran past their deadline and
	// have not returned yet.
	Abandoned int
	// Entries, Contents and Pages are the caches of skills, files and pages of
	// listings.
	Entries, Contents, Pages CacheStats
}

// CacheStats are the counts of one cache. A lookup is not a request: one request
// may look several times.
type CacheStats struct {
	Hits, Misses uint64
	Len          int   // the values it holds
	Bytes        int64 // about what they cost in memory
}

// Stats returns the counts as they are now. They are not of one instant.
func (c *Catalog) Stats() Stats {
	c.ready()
	s := Stats{
		Renders: c.counts.renders.Load(), RenderTime: time.Duration(c.counts.renderTime.Load()), Failures: c.counts.failures.Load(),
		Abandoned: c.guard.stuck(),
		Entries:   c.records.statistics(), Contents: c.contents.statistics(), Pages: c.pages.statistics(),
	}
	for _, m := range c.mounts.Load().all {
		s.Abandoned += m.guard.stuck()
	}
	return s
}

type counts struct {
	renders, failures atomic.Uint64
	renderTime        atomic.Int64
}
