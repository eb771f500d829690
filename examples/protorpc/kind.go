package protorpc

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"

	"github.com/apiskills/apiskills/cmd/apiskills/command"
	"github.com/apiskills/apiskills/framework"
)

// Options are what a user may say of a folder of .proto files.
type Options struct {
	Server    string   `yaml:"server" doc:"HOST:PORT of the server; without it the commands take it from a variable"`
	Plaintext bool     `yaml:"plaintext" doc:"the server speaks without TLS"`
	Token     string   `yaml:"token" doc:"the environment variable that callers have a bearer token in"`
	Include   []string `yaml:"include" doc:"serve the RPCs of these files alone: globs of files or of folders, below the path"`
}

var (
	address  = regexp.MustCompile(`^[A-Za-z0-9.\-_\[\]:/]+$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Validate reports what is wrong with the options.
func (o *Options) Validate() error {
	var faults []error
	if o.Server != "" && (!address.MatchString(o.Server) || o.Server[0] == '-') {
		faults = append(faults, fmt.Errorf("server: %q is not of the form HOST:PORT", o.Server))
	}
	if o.Token != "" && !variable.MatchString(o.Token) {
		faults = append(faults, fmt.Errorf("token: %q is not the name of a variable", o.Token))
	}
	for _, glob := range o.Include {
		if _, err := path.Match(glob, ""); err != nil {
			faults = append(faults, fmt.Errorf("include: %q: %w", glob, err))
		}
	}
	return errors.Join(faults...)
}

// Kind is the kind of folders of .proto files, for builds of the command.
func Kind() command.Kind {
	return command.NewKind("proto", "a folder of .proto files: a skill for each RPC", Options{},
		func(ctx context.Context, src *command.Source, options Options) (framework.Generator, error) {
			src.Uses(src.Path)
			return Load(ctx, Source{Dir: src.Path, Name: src.Name, URI: src.URI}, options)
		})
}
