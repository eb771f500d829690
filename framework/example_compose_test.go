package framework_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"maps"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi"
)

// listed is greetings that can be enumerated.
type listed struct{ greetings }

func (l listed) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return framework.PathList(slices.Sorted(maps.Keys(l.greetings))).Paths(ctx, after)
}

// text makes a SKILL.md.
func text(name, description, body string) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, "---\nname: %s\ndescription: %s\n---\n\n%s\n", name, description, body), Mode: 0o644}
}

// printSkills prints each skill that g can enumerate, with its description.
func printSkills(g framework.Generator) {
	catalog, err := framework.NewCatalog([]framework.Mount{{Generator: g}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	page, err := catalog.List(context.Background(), "")
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range page.Entries {
		fmt.Println(entry.URI, "-", entry.Frontmatter.Description)
	}
}

func ExampleFilter() {
	all := listed{greetings{"greet-world": "the world", "greet-moon": "the moon", "draft-greet-mars": "Mars"}}
	g := framework.Filter(all, func(path string) bool { return !strings.HasPrefix(path, "draft-") })
	printSkills(g)

	_, err := g.Skill(context.Background(), "draft-greet-mars")
	fmt.Println(errors.Is(err, framework.ErrNotFound))
	// Output:
	// skill://greet-moon/SKILL.md - Greets the moon.
	// skill://greet-world/SKILL.md - Greets the world.
	// true
}

func ExampleOverlay() {
	base := listed{greetings{"greet-moon": "the moon", "greet-world": "the world"}}
	over := listed{greetings{"greet-world": "the whole world", "greet-you": "you"}}
	printSkills(framework.Overlay(base, over))
	// Output:
	// skill://greet-moon/SKILL.md - Greets the moon.
	// skill://greet-world/SKILL.md - Greets the whole world.
	// skill://greet-you/SKILL.md - Greets you.
}

func ExampleWithTimeout() {
	// slow asks a server that does not answer.
	slow := framework.WithTimeout(generatorFunc(func(ctx context.Context, path string) (*framework.Skill, error) {
		<-ctx.Done()
		return nil, fmt.Errorf("skill %q: %w", path, ctx.Err())
	}), time.Millisecond)
	_, err := slow.Skill(context.Background(), "status")
	fmt.Println(errors.Is(err, context.DeadlineExceeded), err)
	// Output:
	// true skill "status": context deadline exceeded
}

type generatorFunc func(ctx context.Context, path string) (*framework.Skill, error)

func (f generatorFunc) Skill(ctx context.Context, path string) (*framework.Skill, error) {
	return f(ctx, path)
}

func ExampleFromFS() {
	folder := fstest.MapFS{ // as a rule os.DirFS("skills"), or an embed.FS
		"deploy/SKILL.md":          text("deploy", "Deploys the shop.", "Run scripts/run.sh."),
		"deploy/scripts/run.sh":    {Data: []byte("make deploy\n")},
		"deploy/rollback/SKILL.md": text("rollback", "Undoes a deployment.", "Run make undo."),
		"Old Notes/SKILL.md":       text("old-notes", "What was.", ""),
	}
	g := framework.FromFS(folder, &framework.FSOptions{Name: "skills"})
	printSkills(g)

	if diagnoser, ok := framework.As[framework.Diagnoser](g); ok {
		for d := range diagnoser.Diagnostics(context.Background()) {
			fmt.Println(d.File, d.Severity, d.Rule)
		}
	}
	// Output:
	// skill://deploy/SKILL.md - Deploys the shop.
	// skill://deploy/rollback/SKILL.md - Undoes a deployment.
	// skills/Old Notes error invalid-skill-name
}

func ExampleOverlayFS() {
	generated := framework.FromFS(fstest.MapFS{
		"pets/list-pets/SKILL.md":          text("list-pets", "Lists the pets.", "GET /pets"),
		"pets/list-pets/references/api.md": {Data: []byte("generated\n")},
		"pets/add-pet/SKILL.md":            text("add-pet", "Adds a pet.", "POST /pets"),
	}, nil)
	byHand := fstest.MapFS{
		"pets/add-pet/SKILL.md":            text("add-pet", "Adds a pet, by hand.", "Ask for its name."),
		"pets/list-pets/references/api.md": {Data: []byte("by hand\n")},
		"pets/sell-pet/notes.md":           {Data: []byte("for a skill that is not there\n")},
	}
	g := framework.OverlayFS(generated, byHand, nil)
	catalog, err := framework.NewCatalog([]framework.Mount{{Prefix: "shop", Generator: g}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, uri := range []string{"skill://shop/pets/list-pets/references/api.md", "skill://shop/pets/add-pet/SKILL.md"} {
		content, err := catalog.Read(context.Background(), uri)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", content.Bytes)
	}
	for d := range catalog.Diagnostics(context.Background()) {
		fmt.Println(d.File, d.Severity, d.Rule)
	}
	// Output:
	// by hand
	//
	// ---
	// name: add-pet
	// description: Adds a pet, by hand.
	// ---
	//
	// Ask for its name.
	//
	// pets/sell-pet/notes.md warning file-of-no-skill
}

// A team that documents an API generates a skill for each operation, and writes
// the way in by hand: a skill of its own, which stands first, and an example for
// one of the generated skills.
func Example_gettingStarted() {
	document := []byte(`{
		"openapi": "3.1.0",
		"info": {"title": "Bookshop", "version": "1"},
		"servers": [{"url": "https://api.bookshop.example"}],
		"paths": {"/books": {"get": {
			"operationId": "listBooks", "tags": ["books"], "summary": "List the books",
			"responses": {"200": {"description": "The books"}}
		}}}
	}`)
	api, err := openapi.New("openapi.json", document, &openapi.Options{Name: "bookshop"})
	if err != nil {
		log.Fatal(err)
	}
	byHand := fstest.MapFS{ // os.DirFS("docs/skills") beside the document
		"getting-started/SKILL.md": text("getting-started", "How to begin with the bookshop. Use it before the first call.",
			"Ask for a key, then list the books (skill://bookshop/books/list-books/SKILL.md)."),
		"getting-started/keys.md":            {Data: []byte("Keys are in the account's settings.\n")},
		"books/list-books/examples/first.md": {Data: []byte("Ten books a page are enough to begin with.\n")},
	}
	catalog, err := framework.NewCatalog(
		[]framework.Mount{{Prefix: "bookshop", Generator: framework.OverlayFS(api, byHand, nil)}},
		&framework.Options{Featured: []string{"bookshop/getting-started"}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	page, err := catalog.List(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range page.Entries {
		fmt.Println(entry.URI)
	}
	example, err := catalog.Read(ctx, "skill://bookshop/books/list-books/examples/first.md")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", example.Bytes)
	// Output:
	// skill://bookshop/bookshop-guide/SKILL.md
	// skill://bookshop/getting-started/SKILL.md
	// skill://bookshop/books/list-books/SKILL.md
	// Ten books a page are enough to begin with.
}

// loud is a wrapper that changes what is featured and passes all else on.
type loud struct{ framework.Generator }

func (l loud) Unwrap() framework.Generator { return l.Generator }

func (l loud) As(target any) bool {
	featurer, ok := target.(*framework.Featurer)
	if ok {
		*featurer = firstOf(l)
	}
	return ok
}

// firstOf features the first skill.
type firstOf struct{ framework.Generator }

func (f firstOf) Featured(ctx context.Context) ([]string, error) {
	lister, ok := framework.As[framework.Lister](f.Generator)
	if !ok {
		return nil, nil
	}
	for path, err := range lister.Paths(ctx, "") {
		return []string{path}, err
	}
	return nil, nil
}

func ExampleAs() {
	g := loud{listed{greetings{"greet-moon": "the moon", "greet-world": "the world"}}}
	featurer, _ := framework.As[framework.Featurer](g)
	paths, err := featurer.Featured(context.Background())
	fmt.Println(paths, err)

	_, ok := framework.As[framework.Lister](g)
	fmt.Println("a Lister:", ok)
	_, ok = framework.As[framework.Watcher](g)
	fmt.Println("a Watcher:", ok)
	// Output:
	// [greet-moon] <nil>
	// a Lister: true
	// a Watcher: false
}
