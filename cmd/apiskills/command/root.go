package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An app is one run of the command.
type app struct {
	name, version  string
	kinds          []Kind
	stdin          io.Reader
	stdout, stderr io.Writer

	// begun is set when a command was found and its flags were understood.
	begun bool

	configFile string
	verbose    bool
	documents  documentFlags

	broken []error         // of documents that are not served, where others are
	shown  map[string]bool // diagnostics that were printed

	mu     sync.Mutex
	opened []io.Closer // generators to close at the end
}

func (a *app) run(ctx context.Context, args []string) int {
	defer a.closeAll()
	root := a.root()
	// Not nil: cobra would take os.Args.
	root.SetArgs(append([]string{}, args...))
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // what went wrong after that is of no interest
	}
	return a.exit(cmd, err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   a.name,
		Short: "Serve documents as Agent Skills over MCP",
		Long:  a.long(),
		Example: `  apiskills serve openapi.yaml
  apiskills serve shop=shop.yaml pay=payments.json --listing guide
  apiskills list shop=shop.yaml --exclude deprecated
  apiskills export shop=shop.yaml --out skills
  apiskills check shop=shop.yaml`,
		RunE: func(*cobra.Command, []string) error {
			return unusable(fmt.Errorf("no command is given; \"%s help\" lists them", a.name))
		},
		PersistentPreRun: func(*cobra.Command, []string) { a.begun = true },
		SilenceErrors:    true,
		SilenceUsage:     true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	flags := root.PersistentFlags()
	flags.StringVar(&a.configFile, "config", "", "configuration `FILE` (default "+config.DefaultFile+", where there is one)")
	config.AddFlags(flags, "log.level", "log.format")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "print every diagnostic of the documents")
	flags.SortFlags = false
	root.SetHelpCommand(a.helpCommand())
	root.AddCommand(a.serveCommand(), a.listCommand(), a.showCommand(), a.readCommand(), a.lsCommand(), a.exportCommand(), a.checkCommand(), a.planCommand(), a.versionCommand())
	for _, c := range root.Commands() {
		c.Flags().SortFlags = false
		c.DisableFlagsInUseLine = true
		c.Example = a.named(c.Example)
	}
	root.Example = a.named(root.Example)
	root.DisableFlagsInUseLine = true
	return root
}

// named is text that shows the command in use, with the name of this build.
func (a *app) named(text string) string {
	return strings.ReplaceAll(text, "apiskills ", a.name+" ")
}

// long says what the command is for.
func (a *app) long() string {
	var b strings.Builder
	fmt.Fprintf(&b, `%s makes Agent Skills of documents, and serves them over the Model Context
Protocol. A document (DOC) is a path, or what else its kind reads:

`, a.name)
	width := 0
	for _, k := range a.kinds {
		width = max(width, len(k.name+":PATH"))
	}
	for i, k := range a.kinds {
		fmt.Fprintf(&b, "  %-*s  %s", width, k.name+":PATH", k.summary)
		if i == 0 {
			b.WriteString(" (PATH alone, too)")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, `
"%s help KIND" says more. NAME=DOC gives it a name, which is the first segment of
its skills' URIs; without one that is made of its path.
Without any DOC the documents of the configuration file are taken.`, a.name)
	if a.readsOpenAPI() {
		b.WriteString(`

An OpenAPI document is a file in YAML or JSON, an http or https URL, or - for
standard input; without a name its title gives one.

A RULE picks operations: operation="GET /pets/**" (or a path alone), tag=Pets*,
group=pets, operationId=list*, deprecated, internal (x-internal). Values are
globs: * stops at a slash, /** does not.`)
	}
	return b.String()
}

// helpCommand is "help": as cobra's own, but an unknown topic is wrong usage, and
// the configuration file and the kinds of documents are topics.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|KIND|config]",
		Short: "Explain a command, a kind of document, or the configuration file",
		Example: `  apiskills help serve
  apiskills help config > apiskills.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "config" {
				_, err := io.WriteString(a.stdout, config.Example())
				return err
			}
			if len(args) == 1 {
				if k, ok := a.kind(args[0]); ok {
					_, err := io.WriteString(a.stdout, k.help(a.name))
					return err
				}
			}
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unusable(fmt.Errorf("no help for %q", strings.Join(args, " ")))
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}

// A session is what the commands that work on documents share: the validated
// configuration and the log.
type session struct {
	*config.Config
	program, version string

	log       *slog.Logger
	stdin     io.Reader
	templates *templates.Set // nil: the built-in ones
	callers   callers        // nil: anybody may call
	cacheDir  string         // "": none

	// onDiagnostics gets what making a skill finds; nil: nobody wants to know.
	onDiagnostics func([]framework.Diagnostic)
	// onRead gets the bytes of documents, several at once; nil: nobody wants them.
	onRead func(doc config.Document, file string, data []byte)
	// ifNoneMatch is the ETag that a document at a URL had.
	ifNoneMatch string
	// quiet: what open would print is reported otherwise.
	quiet bool
}

// configure reads the configuration. Documents in args replace those of the
// file.
func (a *app) configure(flags *pflag.FlagSet, args []string) (*session, error) {
	c, err := config.Load(&config.Options{File: a.configFile, Flags: flags, Kinds: a.kindNames()})
	if err != nil {
		return nil, unusable(err)
	}
	for i, arg := range args {
		if i == 0 {
			c.Documents = nil
		}
		d, err := config.ParseDocument(arg, a.kindNames())
		if err != nil {
			return nil, unusable(err)
		}
		c.Documents = append(c.Documents, d)
	}
	if err := a.applyFlags(c.Documents); err != nil {
		return nil, unusable(err)
	}
	set, err := loadTemplates(c.Templates)
	if err != nil {
		return nil, unusable(err)
	}
	options := &slog.HandlerOptions{Level: c.Log.Level}
	var handler slog.Handler = slog.NewTextHandler(a.stderr, options)
	if c.Log.Format == "json" {
		handler = slog.NewJSONHandler(a.stderr, options)
	}
	s := &session{Config: c, program: a.name, version: a.version, log: slog.New(handler), stdin: a.stdin, templates: set}
	if c.Cache && !a.documents.noCache {
		s.cacheDir = cacheDir()
	}
	for _, w := range c.Warnings {
		s.log.Warn(w)
	}
	return s, nil
}
