package protorpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/ast"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/reporter"
	_ "google.golang.org/genproto/googleapis/api/annotations" // built in, with the files below
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/apipb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/sourcecontextpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/typepb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/apiskills/apiskills/framework"
)

// A schema is what compiled of a folder.
type schema struct {
	files linker.Files // ascending by name
	// absent has the names that were meant, by those of the messages that
	// stand in for what is not there.
	absent map[protoreflect.FullName]string
}

// compile makes descriptors of the files. A file with a fault of its own is
// left out, and the others are tried again without it.
func (f *folder) compile(ctx context.Context) (*schema, error) {
	parsed := f.parse(ctx)
	f.dropTwins(parsed)
	for said := map[string]bool{}; ; {
		schema, broken, err := f.link(ctx, parsed, said)
		if err == nil {
			return schema, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		before := len(parsed)
		for name := range broken {
			delete(parsed, name)
		}
		if len(parsed) == before {
			return nil, fmt.Errorf("%s: %w", f.dir, err)
		}
	}
}

// parse returns what the files say, each for itself.
func (f *folder) parse(ctx context.Context) map[string]parser.Result {
	parsed := map[string]parser.Result{}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if ctx.Err() != nil {
			break
		}
		if vendored(name) {
			continue // what is built in is used
		}
		handler := reporter.NewHandler(reporter.NewReporter(f.reports(map[string]bool{}, map[string]int{}), nil))
		result, err := parse(name, f.files[name], handler)
		if err == nil {
			parsed[name] = result
		} else if handler.Error() == nil {
			f.fault(framework.Error, "proto", name, 0, "%v; the file is left out", err)
		}
	}
	return parsed
}

func parse(name string, text []byte, handler *reporter.Handler) (_ parser.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser failed: %v", r)
		}
	}()
	node, err := parser.Parse(name, bytes.NewReader(text), handler)
	if err != nil {
		return nil, err
	}
	return parser.ResultFromAST(node, true, handler)
}

// reports returns a function that makes diagnostics of the first errors of each
// file, and has the compiler go on. count gets how many each has.
func (f *folder) reports(said map[string]bool, count map[string]int) reporter.ErrorReporter {
	const most = 5
	return func(err reporter.ErrorWithPos) error {
		at := err.GetPosition()
		count[at.Filename]++
		key := err.Error()
		if count[at.Filename] <= most && !said[key] && f.files[at.Filename] != nil {
			f.fault(framework.Error, "proto", at.Filename, at.Line, "%v; the file is left out", err.Unwrap())
		}
		said[key] = true
		return nil
	}
}

// vendored reports whether a file is a copy of one that is built in.
func vendored(name string) bool {
	for at := name; at != ""; {
		if builtIn(at) {
			return true
		}
		_, at, _ = strings.Cut(at, "/")
	}
	return false
}

// dropTwins leaves out files that declare what a file before them does.
func (f *folder) dropTwins(parsed map[string]parser.Result) {
	all := symbols{}
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		own := symbols{}
		twin, what := "", ""
		declared(parsed[name].FileDescriptorProto(), func(s string) {
			own[s] = name
			if first, ok := all[s]; ok && twin == "" {
				twin, what = first, s
			}
		})
		if twin == "" {
			maps.Copy(all, own)
			continue
		}
		delete(parsed, name)
		severity := framework.Error
		if bytes.Equal(f.files[name], f.files[twin]) {
			severity = framework.Note
		}
		f.fault(severity, "declared-twice", name, 0, "%s is declared in %s too; this file is left out", what, twin)
	}
}

// link compiles what was parsed, all of it or nothing, and returns the files
// that are to blame.
func (f *folder) link(ctx context.Context, parsed map[string]parser.Result, said map[string]bool) (*schema, map[string]int, error) {
	declares := symbols{}
	for name, result := range parsed {
		declared(result.FileDescriptorProto(), func(s string) { declares[s] = name })
	}
	order := slices.Sorted(maps.Keys(parsed))
	m := newMender(declares)
	mended := map[string]parser.Result{}
	for _, name := range order {
		result := parser.Clone(parsed[name])
		m.fault = func(at proto.Message, format string, args ...any) {
			f.faultOnce(said, name, position(result, at), format, args...)
		}
		m.mend(result.FileDescriptorProto(), func(imported string) (string, bool) {
			return f.find(name, imported, func(file string) bool { return parsed[file] != nil })
		}, func(imported string) {
			f.faultOnce(said, name, importLine(result.AST(), imported), "the import %q is of no file in the folder that could be read, or of several", imported)
		})
		mended[name] = result
	}
	blame := map[string]int{}
	compiler := protocompile.Compiler{
		Resolver: protocompile.ResolverFunc(func(name string) (protocompile.SearchResult, error) {
			if result, ok := mended[name]; ok {
				return protocompile.SearchResult{ParseResult: result}, nil
			}
			if name == absentFile {
				return protocompile.SearchResult{Proto: m.absent}, nil
			}
			file, err := protoregistry.GlobalFiles.FindFileByPath(name)
			return protocompile.SearchResult{Desc: file}, err
		}),
		MaxParallelism: 1,
		SourceInfoMode: protocompile.SourceInfoStandard,
		Reporter:       reporter.NewReporter(f.reports(said, blame), nil),
	}
	files, err := compiler.Compile(ctx, order...)
	var panicked protocompile.PanicError
	if errors.As(err, &panicked) {
		blame[panicked.File]++
		f.fault(framework.Error, "proto", panicked.File, 0, "the compiler failed: %v; the file is left out", panicked.Value)
	}
	if err != nil {
		return nil, blame, err
	}
	return &schema{files: files, absent: m.absentNames()}, nil, nil
}

func (f *folder) faultOnce(said map[string]bool, file string, line int, format string, args ...any) {
	key := fmt.Sprint(file, ":", line, ":", fmt.Sprintf(format, args...))
	if !said[key] {
		said[key] = true
		f.fault(framework.Warning, "missing", file, line, format, args...)
	}
}

func position(result parser.Result, m proto.Message) int {
	node := result.Node(m)
	if node == nil || result.AST() == nil {
		return 0
	}
	return result.AST().NodeInfo(node).Start().Line
}

func importLine(file *ast.FileNode, name string) int {
	for _, d := range file.Decls {
		if d, ok := d.(*ast.ImportNode); ok && d.Name.AsString() == name {
			return file.NodeInfo(d).Start().Line
		}
	}
	return 0
}
