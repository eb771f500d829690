package framework

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// What a host must accept of one skill, the files of nested skills included
// (Skills extension, "Limits"). A skill with more is an ErrInvalidSkill.
const (
	MaxResources  = 512      // files
	MaxTotalBytes = 16 << 20 // of the contents of all files
)

// Listing says which of the served skills skills/list shows. A skill that it
// does not show is served all the same.
type Listing string

// The listing modes. ListAuto, the zero value, is ListAll for up to 256 skills
// and ListFeatured above.
const (
	ListAuto     Listing = "auto"
	ListAll      Listing = "all"      // featured skills, then the others
	ListFeatured Listing = "featured" // what generators and options feature
	ListGuide    Listing = "guide"    // what generators feature
	ListNone     Listing = "none"
)

// autoListMax is the number of skills up to which ListAuto lists them all.
const autoListMax = 256

// Options configure a Catalog. The zero value of each field stands for its
// default.
type Options struct {
	// Scheme of the URIs, in lower case. Default "skill".
	Scheme string

	// Listing is the listing mode. Default ListAuto.
	Listing Listing
	// Featured are further skills to list first, after those that the
	// generators feature: paths with the mount's prefix, or globs of such paths,
	// as in "bookshop/orders/*": * stops at a slash, ** between slashes does
	// not. At most 2,048 skills are featured.
	Featured []string

	// PageSize and PageBytes bound a page of a listing: entries, and bytes of
	// JSON. An entry larger than PageBytes goes out alone. Defaults 250 and
	// 1 MiB. A page of a directory has 1,000 children.
	PageSize  int
	PageBytes int
	// MaxPages is the number of pages after which a listing ends, partial.
	// Default 48, since clients in use give up at 50 or 64; negative: no limit.
	MaxPages int

	// MaxAge is how long a skill is kept without asking its generator again,
	// where no Watcher is running. Default one minute.
	MaxAge time.Duration
	// SkillTimeout bounds the making of one skill. Default ten seconds.
	SkillTimeout time.Duration
	// Concurrency bounds the skills of one mount that are being made at once.
	// Default twice GOMAXPROCS, at least 4. Others wait, and are refused with
	// ErrBusy when that takes too long.
	Concurrency int

	// EntryCacheBytes and ContentCacheBytes bound the caches of entries and of the
	// contents of files, in bytes; pages of listings have a quarter of the first
	// beside it. Defaults 16 MiB and 32 MiB; negative: nothing is kept.
	EntryCacheBytes   int64
	ContentCacheBytes int64

	// Allow, if not nil, reports whether the caller that ctx belongs to may see
	// the skill at path, mount prefix included. What it refuses looks unknown,
	// to listings, gets, reads, directories and completions alike. A skill that
	// others are nested in is seen by those who may see all of them, since its
	// manifest has their files. Allow is asked often, at once from several
	// goroutines, and about the same path again and again: it must be quick.
	Allow func(ctx context.Context, path string) bool

	// OnDiagnostics is called with the diagnostics of a skill each time that it
	// is made and has some; their Skill is its path, prefix included. Calls come
	// at once from several goroutines, and hold up the skill.
	OnDiagnostics func([]Diagnostic)

	// Logger gets the faults of generators, each once while it is remembered, and
	// diagnostics at debug level. Default slog.Default.
	Logger *slog.Logger
}

func (o *Options) resolve() (Options, error) {
	var r Options
	if o != nil {
		r = *o
	}
	setDefault(&r.Scheme, "skill")
	setDefault(&r.Listing, ListAuto)
	setDefault(&r.PageSize, 250)
	setDefault(&r.PageBytes, 1<<20)
	setDefault(&r.MaxPages, 48)
	setDefault(&r.MaxAge, time.Minute)
	setDefault(&r.SkillTimeout, 10*time.Second)
	setDefault(&r.Concurrency, max(4, 2*runtime.GOMAXPROCS(0)))
	setDefault(&r.EntryCacheBytes, 16<<20)
	setDefault(&r.ContentCacheBytes, 32<<20)
	if r.Logger == nil {
		r.Logger = slog.Default()
	}
	if !validScheme(r.Scheme) {
		return r, fmt.Errorf("the scheme %q is not a URI scheme in lower case", r.Scheme)
	}
	switch r.Listing {
	case ListAuto, ListAll, ListFeatured, ListGuide, ListNone:
	default:
		return r, fmt.Errorf("the listing mode %q is unknown; use auto, all, featured, guide or none", r.Listing)
	}
	for _, pattern := range r.Featured {
		if isGlob(pattern) && !doublestar.ValidatePattern(pattern) {
			return r, fmt.Errorf("featured: %q is not a glob; a bracket or brace in it is not closed", pattern)
		}
	}
	if r.PageSize < 1 || r.PageBytes < 1 || r.Concurrency < 1 || r.MaxAge < 0 || r.SkillTimeout < 0 {
		return r, fmt.Errorf("PageSize, PageBytes, Concurrency, MaxAge and SkillTimeout must not be negative")
	}
	return r, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
