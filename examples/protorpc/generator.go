package protorpc

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/names"
	"github.com/apiskills/apiskills/generators/templates"
)

// A Source is a folder of .proto files, and what its skills are called.
type Source struct {
	// Dir is the folder: the one that imports begin at.
	Dir string
	// Name is what the skills are about, "parcels" as a rule the first segment of
	// their URIs. The guide is NAME-guide.
	Name string
	// URI returns the URI of the SKILL.md of the skill at a path. Without it
	// skills name others by their paths.
	URI func(path string) string
}

// The limits of what is served.
const (
	maxServices = 300
	maxRPCs     = 10_000
)

// A Generator has the RPCs of a folder as it was when it was loaded. It never
// changes: to take in changes make a new one.
type Generator struct {
	framework.PathList
	source   Source
	options  Options
	schema   *schema
	services []*service // ascending by full name
	rpcs     map[string]*rpc
	guide    string // its path
	faults   []framework.Diagnostic
}

type service struct {
	protoreflect.ServiceDescriptor
	name string // its segment of paths
	rpcs []*rpc // in the order of the file
}

type rpc struct {
	protoreflect.MethodDescriptor
	service *service
	name    string
}

func (r *rpc) path() string { return r.service.name + "/" + r.name }

// full is the name of the RPC as grpcurl has it.
func (r *rpc) full() string { return string(r.Parent().FullName()) + "/" + string(r.Name()) }

var (
	_ framework.Lister     = (*Generator)(nil)
	_ framework.Featurer   = (*Generator)(nil)
	_ framework.Diagnoser  = (*Generator)(nil)
	_ framework.Summarizer = (*Generator)(nil)
	_ framework.Templater  = (*Generator)(nil)
	_ framework.Watcher    = (*Generator)(nil)
)

// Load reads a folder. It fails if the folder cannot be read, has no .proto
// files, or none of its files has an RPC that is served; what is wrong with
// single files is for Diagnostics.
func Load(ctx context.Context, source Source, options Options) (*Generator, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	f, err := readFolder(ctx, source.Dir)
	if err != nil {
		return nil, err
	}
	schema, err := f.compile(ctx)
	if err != nil {
		return nil, err
	}
	if source.URI == nil {
		source.URI = func(path string) string { return path + "/SKILL.md" }
	}
	g := &Generator{source: source, options: options, schema: schema, rpcs: map[string]*rpc{}}
	g.guide = names.Slug(source.Name + " guide")
	g.index(f)
	g.faults = f.faults
	if len(g.rpcs) == 0 {
		if len(g.faults) > 0 {
			return nil, fmt.Errorf("%s: no RPC is left to serve; %s", source.Dir, g.faults[0])
		}
		return nil, fmt.Errorf("%s: no RPC is there to serve; see that the folder has services, and include those wanted", source.Dir)
	}
	return g, nil
}

// index names the RPCs. The names are those of all that there are, so that what
// is included does not change them.
func (g *Generator) index(f *folder) {
	var all []*service
	count := 0
	for _, file := range g.schema.files {
		for i := range file.Services().Len() {
			s := &service{ServiceDescriptor: file.Services().Get(i)}
			count += s.Methods().Len()
			if len(all) >= maxServices || count > maxRPCs {
				f.fault(framework.Error, "limits", file.Path(), 0, "there are more than %d services or %d RPCs; those from %s on are left out", maxServices, maxRPCs, s.FullName())
				break
			}
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *service) int { return strings.Compare(string(a.FullName()), string(b.FullName())) })
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = string(s.FullName())
	}
	for i, name := range names.Unique(texts, g.guide) {
		s := all[i]
		s.name = name
		if g.options.includes(s.ParentFile().Path()) && s.Methods().Len() > 0 {
			g.add(s)
		}
	}
	g.PathList = append(slices.Sorted(maps.Keys(g.rpcs)), g.guide)
	slices.Sort(g.PathList)
}

func (g *Generator) add(s *service) {
	g.services = append(g.services, s)
	texts := make([]string, s.Methods().Len())
	for i := range texts {
		texts[i] = string(s.Methods().Get(i).Name())
	}
	for i, name := range names.Unique(texts) {
		r := &rpc{MethodDescriptor: s.Methods().Get(i), service: s, name: name}
		s.rpcs = append(s.rpcs, r)
		g.rpcs[r.path()] = r
	}
}

// Skill implements framework.Generator. The skill is whole when it is returned:
// which files it has depends on how much there is to say.
func (g *Generator) Skill(_ context.Context, path string) (*framework.Skill, error) {
	if path == g.guide {
		return g.guideSkill()
	}
	r, ok := g.rpcs[path]
	if !ok {
		return nil, fmt.Errorf("RPC %q: %w", path, framework.ErrNotFound)
	}
	return g.rpcSkill(r)
}

// A page is a file of a skill and its text.
type page struct{ name, text string }

// skill makes a skill of its files.
func skill(pages ...page) *framework.Skill {
	files := map[string]string{}
	for _, p := range pages {
		files[p.name] = p.text
	}
	return framework.TextSkill(files)
}

// Featured implements framework.Featurer: the guide.
func (g *Generator) Featured(context.Context) ([]string, error) { return []string{g.guide}, nil }

// Diagnostics implements framework.Diagnoser: the faults of the files.
func (g *Generator) Diagnostics(context.Context) iter.Seq[framework.Diagnostic] {
	return slices.Values(g.faults)
}

// Templates implements framework.Templater.
func (g *Generator) Templates(context.Context) ([]framework.Template, error) {
	return []framework.Template{{Path: "{service}/{rpc}", Name: "rpc", Description: "The skill of an RPC."}}, nil
}

// Summaries implements framework.Summarizer.
func (g *Generator) Summaries(context.Context) iter.Seq2[framework.Summary, error] {
	return func(yield func(framework.Summary, error) bool) {
		for _, path := range g.PathList {
			text := "guide to the services and RPCs of " + g.source.Name
			if r, ok := g.rpcs[path]; ok {
				text = r.full() + " " + words(string(r.Name())) + " " + templates.Plain(comment(r), 1000)
			}
			if !yield(framework.Summary{Path: path, Text: text}, nil) {
				return
			}
		}
	}
}

// Watch implements framework.Watcher: nothing changes here. The command makes a
// new generator when the folder does.
func (g *Generator) Watch(ctx context.Context, _ func(path string)) error {
	<-ctx.Done()
	return nil
}

// comment returns the words of the author about d, those above it or else
// behind it, without the lines that are for tools.
func comment(d protoreflect.Descriptor) templates.Prose {
	file := d.ParentFile()
	if file == nil {
		return ""
	}
	at := file.SourceLocations().ByDescriptor(d)
	text := at.LeadingComments
	if strings.TrimSpace(text) == "" {
		text = at.TrailingComments
	}
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimRight(line, " \t\r\n"), " ")
		if !strings.HasPrefix(line, "buf:lint:") && !strings.HasPrefix(line, "@exclude") {
			lines = append(lines, line)
		}
	}
	return templates.Prose(strings.TrimSpace(strings.Join(lines, "\n")))
}

// words returns an identifier as words: "Create parcel" for CreateParcel.
func words(name string) string {
	text := strings.ReplaceAll(names.Slug(name), "-", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// includes reports whether the RPCs of a file are served.
func (o *Options) includes(file string) bool {
	if len(o.Include) == 0 {
		return true
	}
	for at := file; at != "."; at = path.Dir(at) {
		for _, glob := range o.Include {
			if ok, _ := path.Match(glob, at); ok {
				return true
			}
		}
	}
	return false
}
