package framework

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// A Catalog serves the skills of its mounts. It is safe for concurrent use.
type Catalog struct {
	opts   Options
	log    *slog.Logger
	mounts atomic.Pointer[mounts]

	guard    *guard // of walks over the paths of several mounts
	flights  singleflight.Group
	records  *byteCache[string, *record]
	contents *byteCache[Digest, []byte]
	failures *byteCache[string, failure]
	reported *byteCache[string, struct{}]
	pages    *byteCache[pageKey, *Page]
	maxScan  int

	// generation counts the changes told by watchers. What was begun in an
	// earlier generation is not kept.
	generation atomic.Uint64
	auto       atomic.Pointer[autoMode]
	begin      atomic.Pointer[featuredList]

	counts  counts

