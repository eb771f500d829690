package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/generators/openapi"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/spf13/cobra"
)

// documentFlags are flags that hold for every document.
type documentFlags struct {
	server, refRoot  string
	overlays         []string
	snippets         string
	include, exclude []string
	noCache          bool

	options []string
	skills  string
}

// addDocumentFlags registers what the commands that work on documents share.
func (a *app) addDocumentFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	if slices.ContainsFunc(a.kinds, func(k Kind) bool { return len(k.about) > 0 }) {
		flags.StringArrayVar(&a.documents.options, "option", nil, "option `KEY=VALUE` of the documents that are not OpenAPI; may be repeated")
	}
	flags.StringVar(&a.documents.skills, "skills", "", "folder `DIR` of skills and single files that take the place of those made of the document, or come to them")
	if !a.readsOpenAPI() {
		return
	}
	flags.StringArrayVar(&a.documents.include, "include", nil, "serve only operations that meet `RULE`, or another --include; in place of the file's")
	flags.StringArrayVar(&a.documents.exclude, "exclude", nil, "do not serve operations that meet `RULE`; may be repeated, and adds to the file's")
	flags.StringVar(&a.documents.server, "server", "", "`URL` of the API, where a document's is relative or missing")
	flags.StringVar(&a.documents.refRoot, "ref-root", "", "folder `DIR` within which references to other files are followed")
	flags.StringArrayVar(&a.documents.overlays, "overlay", nil, "apply the OpenAPI Overlay `FILE` to the document; may be repeated, and adds to the file's")
	flags.StringVar(&a.documents.snippets, "snippets", "", "folder `DIR` of Markdown that skills show as guidance: operations/NAME.md, groups/GROUP.md, guide.md")
	flags.BoolVar(&a.documents.noCache, "no-cache", false, "parse documents anew, and keep nothing of them in the user's cache directory")
	config.AddFlags(flags, "allowPrivate", "templates", "prose")
}

// applyFlags gives the documents what the flags say, and checks the outcome.
func (a *app) applyFlags(docs []config.Document) error {
	f := &a.documents
	include, err := parseRules("include", f.include)
	if err != nil {
		return err
	}
	exclude, err := parseRules("exclude", f.exclude)
	if err != nil {
		return err
	}
	if len(docs) > 1 && (len(f.overlays) > 0 || f.snippets != "" || f.skills != "") {
		return errors.New("--overlay, --snippets and --skills are for one document; give several their own in a configuration file")
	}
	stdin, optional, openAPI := 0, 0, 0
	for i := range docs {
		d := &docs[i]
		if d.Path == config.Stdin {
			stdin++
		}
		if f.skills != "" {
			d.Skills = f.skills
		}
		if d.Kind != config.OpenAPI {
			optional++
			d.Options = d.Options.WithFlags(f.options)
			if err := a.checkOptions(*d); err != nil {
				return err
			}
			continue
		}
		openAPI++
		if f.server != "" {
			d.Server = f.server
		}
		if f.refRoot != "" {
			d.RefRoot = f.refRoot
		}
		if f.snippets != "" {
			d.Snippets = f.snippets
		}
		d.Overlays = append(d.Overlays[:len(d.Overlays):len(d.Overlays)], f.overlays...)
		if include != nil {
			d.Include = include
		}
		d.Exclude = append(d.Exclude[:len(d.Exclude):len(d.Exclude)], exclude...)
		if err := checkDocument(*d); err != nil {
			return err
		}
	}
	if len(f.options) > 0 && optional == 0 {
		return errors.New("--option is for documents that are not OpenAPI, and there is none")
	}
	if openAPI == 0 && len(docs) > 0 && (include != nil || exclude != nil || f.server != "" || f.refRoot != "" || len(f.overlays) > 0 || f.snippets != "") {
		return errors.New("--include, --exclude, --server, --ref-root, --overlay and --snippets are for OpenAPI documents, and there is none")
	}
	if stdin > 1 {
		return errors.New("standard input is one document; give the others as files")
	}
	return nil
}

func parseRules(flag string, texts []string) ([]config.Rule, error) {
	var rules []config.Rule
	for _, text := range texts {
		r, err := config.ParseRule(text)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// checkOptions refuses options that the kind of the document does not take.
func (a *app) checkOptions(d config.Document) error {
	kind, _ := a.kind(d.Kind)
	switch {
	case kind.check != nil:
		return kind.check(d.Options)
	case d.Options.Given():
		return fmt.Errorf("documents of the kind %s have no options", d.Kind)
	}
	return nil
}

// checkDocument refuses what the generator would refuse for any document: it is
// a fault of the command line, or of the configuration.
func checkDocument(d config.Document) error {
	if d.Options.Given() {
		return fmt.Errorf("%s: an OpenAPI document has no options; what there is to say of one stands beside its path", display(d))
	}
	if d.Server != "" {
		if err := openapi.CheckServer(d.Server); err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	for _, list := range []struct {
		name  string
		rules []config.Rule
	}{{"include", d.Include}, {"exclude", d.Exclude}} {
		for _, r := range list.rules {
			if err := openapi.Rule(r).Check(); err != nil {
				return fmt.Errorf("%s: %w", list.name, err)
			}
		}
	}
	return nil
}

func rules(list []config.Rule) []openapi.Rule {
	out := make([]openapi.Rule, len(list))
	for i, r := range list {
		out[i] = openapi.Rule(r)
	}
	return out
}

// loadTemplates returns the templates to render with, nil for the built-in ones.
func loadTemplates(dir string) (*templates.Set, error) {
	if dir == "" {
		return nil, nil
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("templates in %s: %w", dir, err)
	}
	set, err := templates.Override(os.DirFS(dir))
	if fault := new(templates.Error); errors.As(err, &fault) {
		fault.File = filepath.Join(dir, fault.File)
		return nil, fault
	}
	if err != nil {
		return nil, fmt.Errorf("templates in %s: %w", dir, err)
	}
	return set, nil
}

// display is a document's place as it may be shown: a URL without its query,
// which may be secret.
func display(d config.Document) string {
	switch {
	case d.Path == config.Stdin:
		return "standard input"
	case d.IsURL():
		return openapi.DisplayURL(d.Path)
	}
	return d.Path
}

// argument writes d as config.ParseDocument reads it, with the path where says.
func argument(d config.Document, where func(path string) string) string {
	path := d.Path
	switch {
	case d.Path == config.Stdin:
	case d.IsURL():
		path = openapi.DisplayURL(path)
	default:
		path = where(path)
	}
	if d.Kind != "" && d.Kind != config.OpenAPI {
		path = d.Kind + ":" + path
	}
	if d.Name == "" {
		return path
	}
	return d.Name + "=" + path
}
