package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func init() { cobra.AddTemplateFunc("flagUsages", flagUsages) }

// usageTemplate is cobra's, but "apiskills" alone does not count as a use: it
// can be run only to be told that this is not enough.
func usageTemplate(cobras string) string {
	return strings.NewReplacer(
		"{{if .Runnable}}", "{{if and .Runnable .HasParent}}",
		".LocalFlags.FlagUsages", "flagUsages .LocalFlags",
		".InheritedFlags.FlagUsages", "flagUsages .InheritedFlags",
	).Replace(cobras)
}

// flagUsages is as that of a FlagSet, but a flag that is given or not is shown
// by its name alone.
func flagUsages(flags *pflag.FlagSet) string {
	shown := pflag.NewFlagSet("", pflag.ContinueOnError)
	shown.SortFlags = false
	flags.VisitAll(func(f *pflag.Flag) {
		f2 := *f
		if f.Value.Type() == "bool" {
			f2.Value = namedValue{f.Value}
		}
		shown.AddFlag(&f2)
	})
	return shown.FlagUsages()
}

// A namedValue is a truth value for which the flag's name stands.
type namedValue struct{ pflag.Value }

func (namedValue) Type() string { return "boolfunc" }
