package archtest

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the listings of the public API in docs/api anew")

// publicPackages returns the packages that others can import: all that are neither
// programs, nor internal, nor examples.
func publicPackages(t *testing.T) []goPackage {
	t.Helper()
	return slices.DeleteFunc(list(t, "./..."), func(p goPackage) bool {
		path := strings.TrimPrefix(p.ImportPath, module+"/")
		return p.Name == "main" || slices.Contains(strings.Split(path, "/"), "internal") || in(path, "examples")
	})
}

// TestPublicAPIIsTheOneThatIsWrittenDown compares each public package with its
// listing in docs/api, so that nobody changes by accident what others build on.
func TestPublicAPIIsTheOneThatIsWrittenDown(t *testing.T) {
	const dir = root + "/docs/api"
	public := publicPackages(t)
	load := typesOf(t, public)
	stale, err := filepath.Glob(dir + "/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range public {
		path := strings.TrimPrefix(p.ImportPath, module+"/")
		file := filepath.Join(dir, strings.ReplaceAll(path, "/", "-")+".txt")
		stale = slices.DeleteFunc(stale, func(name string) bool { return name == file })
		got := apiOf(load(p.ImportPath))
		if *update {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if diff := lineDiff(strings.Split(strings.TrimSpace(string(text)), "\n"), got); diff != "" {
			t.Errorf("the API of %s is not that of %s:\n%s"+
				"A line with - is taken from those who import the package, one with + is promised to them.\n"+
				"If that is meant: go test ./internal/archtest -run PublicAPI -update, and docs/rough-edges.md if it is there.",
				path, filepath.ToSlash(strings.TrimPrefix(file, filepath.Clean(root)+string(filepath.Separator))), diff)
		}
	}
	for _, file := range stale {
		if !*update {
			t.Errorf("%s is of no public package; delete it, or run with -update", file)
		} else if err := os.Remove(file); err != nil {
			t.Error(err)
		}
	}
}

// typesOf returns what gives the types of public packages, from what the compiler
// exports of them.
func typesOf(t *testing.T, public []goPackage) func(importPath string) *types.Package {
	t.Helper()
	args := []string{"-export", "-deps"}
	for _, p := range public {
		args = append(args, p.ImportPath)
	}
	exports := map[string]string{}
	for _, p := range list(t, args...) {
		exports[p.ImportPath] = p.Export
	}
	i := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s does not compile", path)
		}
		return os.Open(exports[path])
	})
	return func(path string) *types.Package {
		p, err := i.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// apiOf lists what p exports, a line for each name, ascending. Names of parameters
// are left out: nobody depends on them.
func apiOf(p *types.Package) []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	qualify := func(other *types.Package) string {
		if other == p {
			return ""
		}
		return other.Name()
	}
	of := func(t types.Type) string { return types.TypeString(nameless(t), qualify) }
	signature := func(f *types.Func) string { return strings.TrimPrefix(of(f.Signature()), "func") }
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch o := object.(type) {
		case *types.Const:
			add("const %s %s = %s", name, of(o.Type()), o.Val().ExactString())
		case *types.Var:
			add("var %s %s", name, of(o.Type()))
		case *types.Func:
			add("func %s%s", name, signature(o))
		case *types.TypeName:
			if o.IsAlias() {
				add("type %s = %s", name, of(types.Unalias(o.Type())))
				continue
			}
			whole := name
			if named, ok := o.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
				whole = of(named)
			}
			switch u := o.Type().Underlying().(type) {
			case *types.Struct:
				hidden := ""
				for _, f := range fieldsOf(u) {
					switch {
					case !f.Exported():
						hidden = ", with unexported fields"
					case f.tag != "":
						add("type %s struct, %s %s `%s`", whole, fieldName(f.Var), of(f.Type()), f.tag)
					default:
						add("type %s struct, %s %s", whole, fieldName(f.Var), of(f.Type()))
					}
				}
				add("type %s struct%s", whole, hidden)
			case *types.Interface:
				hidden := ""
				for m := range u.Methods() {
					if m.Exported() {
						add("type %s interface, %s%s", whole, m.Name(), signature(m))
					} else {
						hidden = ", with unexported methods"
					}
				}
				for e := range u.EmbeddedTypes() {
					if _, ok := e.Underlying().(*types.Interface); !ok { // what a type parameter may be
						add("type %s interface, %s", whole, of(e))
					}
				}
				add("type %s interface%s", whole, hidden)
				continue
			default:
				add("type %s %s", whole, of(u))
			}
			values := types.NewMethodSet(o.Type())
			for method := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
				m := method.Obj().(*types.Func)
				if !m.Exported() {
					continue
				}
				receiver := "*" + whole
				if values.Lookup(m.Pkg(), m.Name()) != nil {
					receiver = whole
				}
				add("method (%s) %s%s", receiver, m.Name(), signature(m))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// A field is one of a struct, or of one that it embeds under an unexported name.
type field struct {
	*types.Var
	tag string
}

// fieldsOf returns the fields of a struct that others may write down, and those that
// are not exported.
func fieldsOf(u *types.Struct) (fields []field) {
	for i := range u.NumFields() {
		f := u.Field(i)
		fields = append(fields, field{f, u.Tag(i)})
		t := f.Type()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if inner, ok := t.Underlying().(*types.Struct); ok && f.Embedded() && !f.Exported() {
			fields = append(fields, fieldsOf(inner)...)
		}
	}
	return fields
}

func fieldName(f *types.Var) string {
	if f.Embedded() {
		return "embedded"
	}
	return f.Name()
}

// nameless returns a signature without the names of its parameters, and any other
// type as it is.
func nameless(t types.Type) types.Type {
	s, ok := t.(*types.Signature)
	if !ok {
		return t
	}
	tuple := func(t *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", nameless(v.Type())))
		}
		return types.NewTuple(vars...)
	}
	var params []*types.TypeParam
	for p := range s.TypeParams().TypeParams() {
		params = append(params, types.NewTypeParam(types.NewTypeName(token.NoPos, nil, p.Obj().Name(), nil), p.Constraint()))
	}
	return types.NewSignatureType(nil, nil, params, tuple(s.Params()), tuple(s.Results()), s.Variadic())
}

// lineDiff returns the lines of two ascending lists that are in one of them alone.
func lineDiff(was, is []string) string {
	var b strings.Builder
	for len(was)+len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0] < is[0]:
			if was[0] != "" {
				b.WriteString("\t- " + was[0] + "\n")
			}
			was = was[1:]
		case len(was) == 0 || is[0] < was[0]:
			b.WriteString("\t+ " + is[0] + "\n")
			is = is[1:]
		default:
			was, is = was[1:], is[1:]
		}
	}
	return b.String()
}

// TestListingShowsEachKindOfChange lists a small package and changes of it.
func TestListingShowsEachKindOfChange(t *testing.T) {
	const begin = `package p
const Max = 3
var Err error
type hidden int
type inner struct { Depth int }
type Outer struct { inner }
type Number interface { ~int | ~string }
type Kind string
type Reader interface { Read(name string, n int) error; hide() }
type Box[T any] struct { Value T; Size int ` + "`json:\"size\"`" + `; hidden }
func (b *Box[T]) Open(f func(name string) T) (T, error) { panic(0) }
func (b Box[T]) Len() int { return 0 }
func Make[T comparable](values ...T) *Box[T] { return nil }
type Old = Kind
`
	want := []string{
		"const Max untyped int = 3",
		"func Make[T comparable](...T) *Box[T]",
		"method (*Box[T any]) Open(func(string) T) (T, error)",
		"method (Box[T any]) Len() int",
		"type Box[T any] struct, Size int `json:\"size\"`",
		"type Box[T any] struct, Value T",
		"type Box[T any] struct, with unexported fields",
		"type Kind string",
		"type Number interface",
		"type Number interface, ~int | ~string",
		"type Old = Kind",
		"type Outer struct, Depth int",
		"type Outer struct, with unexported fields",
		"type Reader interface, Read(string, int) error",
		"type Reader interface, with unexported methods",
		"var Err error",
	}
	before := apiOf(check(t, begin))
	if diff := lineDiff(want, before); diff != "" {
		t.Errorf("the listing differs:\n%s", diff)
	}
	for _, test := range []struct{ old, new, diff string }{
		{"n int)", "size int)", ""},
		{"hidden int", "hidden string", ""},
		{"Max = 3", "Max = 4", "\t- const Max untyped int = 3\n\t+ const Max untyped int = 4\n"},
		{"(b Box[T]) Len", "(b *Box[T]) Len", "\t+ method (*Box[T any]) Len() int\n\t- method (Box[T any]) Len() int\n"},
		{"; hide()", "; Close()", "\t+ type Reader interface\n\t+ type Reader interface, Close()\n\t- type Reader interface, with unexported methods\n"},
		{`"size"`, `"length"`, "\t+ type Box[T any] struct, Size int `json:\"length\"`\n\t- type Box[T any] struct, Size int `json:\"size\"`\n"},
		{"comparable", "any", "\t+ func Make[T any](...T) *Box[T]\n\t- func Make[T comparable](...T) *Box[T]\n"},
		{"~string }", "~bool }", "\t+ type Number interface, ~int | ~bool\n\t- type Number interface, ~int | ~string\n"},
		{"Depth int }", "depth int }", "\t- type Outer struct, Depth int\n"},
		{"type Old = Kind\n", "", "\t- type Old = Kind\n"},
	} {
		after := apiOf(check(t, strings.Replace(begin, test.old, test.new, 1)))
		if diff := lineDiff(before, after); diff != test.diff {
			t.Errorf("%q for %q:\n%swant\n%s", test.new, test.old, diff, test.diff)
		}
	}
}

// check returns the types of a package of one file.
func check(t *testing.T, source string) *types.Package {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEachExportedNameSaysWhatItIs asks for a comment at each name that a public
// package exports, methods included: one of its own, or one for the
// group that it stands in.
func TestEachExportedNameSaysWhatItIs(t *testing.T) {
	for _, p := range publicPackages(t) {
		files := token.NewFileSet()
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		d, err := doc.NewFromFiles(files, parsed, p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		need := func(text, kind, name string) {
			if strings.TrimSpace(text) == "" && token.IsExported(name) {
				t.Errorf("%s: the %s %s has no doc comment", p.ImportPath, kind, name)
			}
		}
		values := func(kind string, groups []*doc.Value) {
			for _, v := range groups {
				for _, spec := range v.Decl.Specs {
					spec := spec.(*ast.ValueSpec)
					for _, name := range spec.Names {
						need(v.Doc+spec.Doc.Text()+spec.Comment.Text(), kind, name.Name)
					}
				}
			}
		}
		funcs := func(kind string, list []*doc.Func) {
			for _, f := range list {
				need(f.Doc, kind, f.Name)
			}
		}
		values("const", d.Consts)
		values("var", d.Vars)
		funcs("func", d.Funcs)
		for _, typ := range d.Types {
			need(typ.Doc, "type", typ.Name)
			values("const", typ.Consts)
			values("var", typ.Vars)
			funcs("func", typ.Funcs)
			funcs("method of "+typ.Name, typ.Methods)
		}
	}
}
