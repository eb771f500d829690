package config

import "github.com/spf13/pflag"

// AddFlags registers the flags of the settings with these keys. A value is
// checked when the flag is parsed. It panics if a setting has no flag: the keys
// are the program's own.
func AddFlags(flags *pflag.FlagSet, keys ...string) {
	for _, key := range keys {
		s := find(key)
		if s == nil || s.flag == "" {
			panic("config: no flag for " + key)
		}
		f := flags.VarPF(&flagValue{s: s, text: s.def}, s.flag, "", s.doc)
		f.DefValue = s.def
		if s.isTruth() {
			f.NoOptDefVal = "true"
		}
	}
}

// flagValue is the text of a setting given as a flag.
type flagValue struct {
	s    *setting
	text string
}

func (f *flagValue) String() string { return f.text }

// Type is what usage shows.
func (f *flagValue) Type() string {
	if f.s.isTruth() {
		return "boolfunc" // nothing
	}
	return f.s.arg
}

func (f *flagValue) Set(text string) error {
	if err := f.s.scalar.set(new(Config), text); err != nil {
		return err
	}
	f.text = text
	return nil
}
