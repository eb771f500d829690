package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/apiskills/apiskills/config"
	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An app is one run of the command.
type app struct {
	generators     []generatorKind
	stdin          io.Reader
	stdout, stderr io.Writer

	// begun is set when a command was found and its flags were understood.
	begun bool

	configFile string
	verbose    bool
	documents  documentFlags

	broken []error         // of documents that are not served, where others are
	shown  map[string]bool // diagnostics that were printed
}

func (a *app) run(ctx context.Context, args []string) int {
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
		Use:   "apiskills",
		Short: "Serve OpenAPI documents as Agent Skills over MCP",
		Long: `apiskills turns each operation of an OpenAPI document into an Agent Skill and
serves the skills over the Model Context Protocol.

A document (DOC) is the path of an OpenAPI document in YAML or JSON, its http or
https URL, or - for standard input. NAME=DOC gives it a name, which is the first
segment of its skills' URIs; without one the title of the document gives it.
Without any DOC the documents of the configuration file are taken.

A RULE picks operations: operation="GET /pets/**" (or a path alone), tag=Pets*,
group=pets, operationId=list*, deprecated, internal (x-internal). Values are
globs: * stops at a slash, /** does not.`,
		Example: `  apiskills serve openapi.yaml
  apiskills serve shop=shop.yaml pay=payments.json --listing guide
  apiskills list shop=shop.yaml --exclude deprecated
  apiskills export shop=shop.yaml --out skills
  apiskills check shop=shop.yaml`,
		RunE: func(*cobra.Command, []string) error {
			return unusable(errors.New(`no command is given; "apiskills help" lists them`))
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
	}
	root.DisableFlagsInUseLine = true
	return root
}

// helpCommand is "help": as cobra's own, but an unknown topic is wrong usage,
// and the configuration file is a topic.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|config]",
		Short: "Explain a command, or the configuration file",
		Example: `  apiskills help serve
  apiskills help config > apiskills.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "config" {
				_, err := io.WriteString(a.stdout, config.Example())
				return err
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
	c, err := config.Load(&config.Options{File: a.configFile, Flags: flags})
	if err != nil {
		return nil, unusable(err)
	}
	for i, arg := range args {
		if i == 0 {
			c.Documents = nil
		}
		d, err := config.ParseDocument(arg)
		if err != nil {
			return nil, unusable(err)
		}
		c.Documents = append(c.Documents, d)
	}
	if err := a.documents.apply(c.Documents); err != nil {
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
	s := &session{Config: c, log: slog.New(handler), stdin: a.stdin, templates: set}
	if c.Cache && !a.documents.noCache {
		s.cacheDir = cacheDir()
	}
	for _, w := range c.Warnings {
		s.log.Warn(w)
	}
	return s, nil
}
