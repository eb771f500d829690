package framework

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// A byteCache is an LRU cache bounded by the bytes its values stand for.
type byteCache[K comparable, V any] struct {
	mu     sync.Mutex
	lru    *simplelru.LRU[K, sized[V]]
	bytes  int64
	budget int64
	stats  CacheStats
}

type sized[V any] struct {
	value V
	bytes int64
}

func newByteCache[K comparable, V any](budget int64) *byteCache[K, V] {
	c := &byteCache[K, V]{budget: budget}
	c.lru, _ = simplelru.NewLRU(math.MaxInt, func(_ K, v sized[V]) { c.bytes -= v.bytes }) // fails for sizes below 1 only
	return c
}

func (c *byteCache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.lru.Get(key)
	if ok {
		c.stats.Hits++
	} else {
		c.stats.Misses++
	}
	return v.value, ok
}

func (c *byteCache[K, V]) statistics() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Len, s.Bytes = c.lru.Len(), c.bytes
	return s
}

// add keeps value, unless it is larger than the whole budget.
func (c *byteCache[K, V]) add(key K, value V, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Remove(key)
	if bytes > c.budget {
		return
	}
	c.lru.Add(key, sized[V]{value, bytes})
	c.bytes += bytes
	for c.bytes > c.budget {
		c.lru.RemoveOldest()
	}
}

func (c *byteCache[K, V]) remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Remove(key)
}

func (c *byteCache[K, V]) purge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Purge()
}
