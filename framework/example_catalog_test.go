package framework_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// kitchen is a catalog with three skills at "kitchen".
func kitchen(opts *framework.Options) *framework.Catalog {
	catalog, err := framework.NewCatalog([]framework.Mount{
		{Prefix: "kitchen", Generator: table{"bread/bake-bread", "bread/cut-bread", "tea/brew-tea"}},
	}, opts)
	if err != nil {
		log.Fatal(err)
	}
	return catalog
}

// Pages follow each other by their cursors, the first of which is empty.
func ExampleCatalog_List() {
	catalog := kitchen(&framework.Options{PageSize: 2})
	for cursor := ""; ; {
		page, err := catalog.List(context.Background(), cursor)
		if err != nil {
			log.Fatal(err)
		}
		for _, entry := range page.Entries {
			fmt.Println(entry.URI)
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
		fmt.Println("more")
	}
	// Output:
	// skill://kitchen/bread/bake-bread/SKILL.md
	// skill://kitchen/bread/cut-bread/SKILL.md
	// more
	// skill://kitchen/tea/brew-tea/SKILL.md
}

// The errors tell what is unknown from what cannot be a URI of this catalog.
func ExampleCatalog_Get() {
	catalog := kitchen(nil)
	for _, uri := range []string{
		"skill://kitchen/tea/brew-tea/SKILL.md",
		"skill://kitchen/tea/brew-coffee/SKILL.md",
		"skill://kitchen/tea/../brew-tea/SKILL.md",
	} {
		entry, err := catalog.Get(context.Background(), uri)
		switch {
		case errors.Is(err, framework.ErrNotFound):
			fmt.Println("unknown:", err)
		case errors.Is(err, framework.ErrInvalidURI):
			fmt.Println("invalid:", err)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println(entry.Frontmatter.Name, entry.Resources[0].Digest)
		}
	}
	// Output:
	// brew-tea sha256:0c62dabcf780a3d5f9b1d9978eb73b8d5b3d5e2d795ea9b1ba1f86303fdf5513
	// unknown: no skill is served at skill://kitchen/tea/brew-coffee/SKILL.md
	// invalid: the URI skill://kitchen/tea/../brew-tea/SKILL.md has an empty or a dot segment, or is not valid UTF-8
}

// What is read has the digest that the entry promises.
func ExampleCatalog_Read() {
	catalog, ctx := kitchen(nil), context.Background()
	entry, err := catalog.Get(ctx, "skill://kitchen/tea/brew-tea/SKILL.md")
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range entry.Resources {
		content, err := catalog.Read(ctx, file.URI)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(content.MIMEType, framework.DigestOf(content.Bytes) == file.Digest)
		fmt.Print(string(content.Bytes))
	}
	// Output:
	// text/markdown true
	// ---
	// name: brew-tea
	// description: "About tea/brew-tea."
	// ---
}

// With os.CopyFS in the place of fs.WalkDir this exports the catalog.
func ExampleCatalog_FS() {
	err := fs.WalkDir(kitchen(nil).FS(context.Background()), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			fmt.Println(path)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// kitchen/bread/bake-bread/SKILL.md
	// kitchen/bread/cut-bread/SKILL.md
	// kitchen/tea/brew-tea/SKILL.md
}

// Who serves the catalog puts the caller into the context; Allow finds it there.
func ExampleOptions_allow() {
	type callerKey struct{}
	catalog := kitchen(&framework.Options{Allow: func(ctx context.Context, path string) bool {
		caller, _ := ctx.Value(callerKey{}).(string)
		return caller == "cook" || caller == "guest" && strings.HasPrefix(path, "kitchen/tea/")
	}})
	for _, caller := range []string{"cook", "guest", "stranger"} {
		ctx := context.WithValue(context.Background(), callerKey{}, caller)
		page, err := catalog.List(ctx, "")
		if err != nil {
			log.Fatal(err)
		}
		_, err = catalog.Get(ctx, "skill://kitchen/bread/bake-bread/SKILL.md")
		fmt.Println(caller, len(page.Entries), err)
	}
	// Output:
	// cook 3 <nil>
	// guest 1 no skill is served at skill://kitchen/bread/bake-bread/SKILL.md
	// stranger 0 no skill is served at skill://kitchen/bread/bake-bread/SKILL.md
}
