package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3" // as file.go
)

// DefaultFile is the file that is read from the working directory if no other
// is named.
const DefaultFile = "apiskills.yaml"

// maxFile is the size in bytes of the largest configuration file.
const maxFile = 1 << 20

// Options are where a configuration comes from. Nil is the working directory
// and the environment.
type Options struct {
	// File is the configuration file. If it is empty, DefaultFile is read
	// where it exists.
	File string
	// Flags are those that AddFlags registered, parsed.
	Flags *pflag.FlagSet
	// Kinds are those of documents. The first is that of a document that names none.
	// Default [OpenAPI] alone.
	Kinds []string
}

// Load reads file, environment and flags, in rising precedence. Errors are
// faults of what the user wrote: *Error, several of them joined, or a
// *fs.PathError for a file that cannot be read.
func Load(opts *Options) (*Config, error) {
	if opts == nil {
		opts = new(Options)
	}
	kinds := opts.Kinds
	if len(kinds) == 0 {
		kinds = []string{OpenAPI}
	}
	v := viper.New()
	checked := &checker{kinds: kinds, options: map[string]*yaml.Node{}}
	file, err := readFile(v, opts.File, checked)
	if err != nil {
		return nil, err
	}
	c := &Config{File: file}
	var faults []error
	for _, s := range settings {
		if s.scalar == nil {
			continue
		}
		v.SetDefault(s.key, s.def)
		if err := v.BindEnv(s.key, s.env()); err != nil {
			return nil, fmt.Errorf("bind %s: %w", s.env(), err)
		}
		if f := lookup(opts.Flags, s.flag); f != nil {
			if err := v.BindPFlag(s.key, f); err != nil {
				return nil, fmt.Errorf("bind --%s: %w", s.flag, err)
			}
		}
		// Flags and the file are checked already: a fault here is the
		// environment's.
		value := fmt.Sprint(v.Get(s.key))
		if s.path && v.InConfig(s.key) && os.Getenv(s.env()) == "" && !changed(opts.Flags, s.flag) {
			value = besideFile(file, value)
		}
		if err := s.scalar.set(c, value); err != nil {
			faults = append(faults, &Error{Source: s.env(), Msg: err.Error()})
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if err := v.UnmarshalKey("documents", &c.Documents); err != nil {
		return nil, fmt.Errorf("%s: documents: %w", file, err)
	}
	for i, d := range c.Documents {
		if !d.IsURL() {
			c.Documents[i].Path = besideFile(file, d.Path)
		}
		if d.Kind == "" {
			c.Documents[i].Kind = kinds[0]
		}
		key := fmt.Sprintf("documents[%d].options", i)
		if node := checked.options[key]; node != nil {
			c.Documents[i].Options = DocumentOptions{file: file, key: key, node: node}
		}
		c.Documents[i].Skills = besideFile(file, d.Skills)
		c.Documents[i].RefRoot = besideFile(file, d.RefRoot)
		c.Documents[i].Snippets = besideFile(file, d.Snippets)
		for n, overlay := range d.Overlays {
			d.Overlays[n] = besideFile(file, overlay)
		}
		if s := find("prose"); os.Getenv(s.env()) != "" || changed(opts.Flags, s.flag) {
			c.Documents[i].Prose = "" // they beat the file
		}
	}
	if err := v.UnmarshalKey("tokens", &c.Tokens); err != nil {
		return nil, fmt.Errorf("%s: tokens: %w", file, err)
	}
	for i, t := range c.Tokens {
		c.Tokens[i].File = besideFile(file, t.File)
		if (t.Env == "") == (t.File == "") {
			return nil, &Error{Source: file, Key: fmt.Sprintf("tokens[%d]", i), Msg: "needs either env or file"}
		}
	}
	if (c.HTTP.TLSCert == "") != (c.HTTP.TLSKey == "") {
		return nil, errors.New("a certificate and its key go together: give --tls-cert and --tls-key, or http.tlsCert and http.tlsKey")
	}
	c.HTTP.Hosts = v.GetStringSlice("http.hosts")
	c.HTTP.Origins = v.GetStringSlice("http.origins")
	c.Featured = v.GetStringSlice("featured")
	c.Check.Off = v.GetStringSlice("check.off")
	c.Warnings = unknownVariables(os.Environ())
	return c, nil
}

// readFile gives v the configuration file, after the strict pass, and returns
// its name; "" if there is none.
func readFile(v *viper.Viper, file string, c *checker) (string, error) {
	named := file != ""
	if !named {
		file = DefaultFile
	}
	f, err := os.Open(file)
	if err != nil {
		if !named && errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxFile {
		return "", &Error{Source: file, Msg: fmt.Sprintf("larger than %s; is it a configuration file?", formatSize(maxFile))}
	}
	c.file = file
	if err := c.check(data); err != nil {
		return "", err
	}
	v.SetConfigType("yaml")
	if err := v.ReadConfig(bytes.NewReader(data)); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return file, nil
}

// besideFile is a path of the configuration file, seen from the working
// directory.
func besideFile(file, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

func changed(flags *pflag.FlagSet, name string) bool {
	f := lookup(flags, name)
	return f != nil && f.Changed
}

func lookup(flags *pflag.FlagSet, name string) *pflag.Flag {
	if flags == nil || name == "" {
		return nil
	}
	return flags.Lookup(name)
}

// unknownVariables returns a warning for each variable that looks like ours and
// sets nothing. It is no error: Kubernetes gives every pod APISKILLS_PORT and
// others for a service that is called apiskills.
func unknownVariables(environ []string) []string {
	var known, warnings []string
	lists := map[string]string{}
	for _, s := range settings {
		if s.scalar != nil {
			known = append(known, s.env())
		} else {
			lists[envName(s.key)] = s.key
		}
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, envPrefix) || value == "" || slices.Contains(known, name) {
			continue
		}
		w := fmt.Sprintf("environment variable %s sets nothing", name)
		if key, ok := lists[name]; ok {
			w += fmt.Sprintf("; %s is a list, which only the file holds", key)
		} else if s := suggest(name, known); s != "" {
			w += fmt.Sprintf("; did you mean %s?", s)
		}
		warnings = append(warnings, w)
	}
	slices.Sort(warnings)
	return warnings
}
