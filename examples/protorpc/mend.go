package protorpc

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Messages that are nowhere to be found are declared, empty, in a file that no
// folder has, so that what mentions them compiles.
const (
	absentFile    = "\x00absent.proto"
	absentPackage = "absent__"
)

// symbols are the names that the files declare, with the file of each.
type symbols map[string]string

// file returns the file that declares a full name, or "".
func (s symbols) file(name string) string {
	if file, ok := s[name]; ok {
		return file
	}
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return ""
	}
	return d.ParentFile().Path()
}

// resolve returns the file that declares what a name means where scope is, the
// full name of what encloses it, or "".
func (s symbols) resolve(scope, name string) string {
	if full, ok := strings.CutPrefix(name, "."); ok {
		return s.file(full)
	}
	for {
		if file := s.file(join(scope, name)); file != "" {
			return file
		}
		if scope == "" {
			return ""
		}
		scope = parent(scope)
	}
}

func join(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

func parent(name string) string {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)]
}

// declared yields the full names of what can be referred to in a file, and of
// what no other file may declare.
func declared(file *descriptorpb.FileDescriptorProto, yield func(name string)) {
	var message func(scope string, m *descriptorpb.DescriptorProto)
	body := func(scope string, messages []*descriptorpb.DescriptorProto, enums []*descriptorpb.EnumDescriptorProto, extensions []*descriptorpb.FieldDescriptorProto) {
		for _, m := range messages {
			message(scope, m)
		}
		for _, e := range enums {
			yield(join(scope, e.GetName()))
		}
		for _, x := range extensions {
			yield(join(scope, x.GetName()))
		}
	}
	message = func(scope string, m *descriptorpb.DescriptorProto) {
		full := join(scope, m.GetName())
		yield(full)
		body(full, m.NestedType, m.EnumType, m.Extension)
	}
	body(file.GetPackage(), file.MessageType, file.EnumType, file.Extension)
	for _, s := range file.Service {
		yield(join(file.GetPackage(), s.GetName()))
	}
}

// builtIn reports whether an import is of a file that comes with this program.
func builtIn(name string) bool {
	_, err := protoregistry.GlobalFiles.FindFileByPath(name)
	return err == nil
}

// find returns the file that an import means, "" if there is none or several.
// sure is false where the name alone does not say so.
func (f *folder) find(from, name string, known func(string) bool) (file string, sure bool) {
	if builtIn(name) || known(name) {
		return name, true
	}
	for dir := path.Dir(from); dir != "."; dir = path.Dir(dir) {
		if known(dir + "/" + name) {
			return dir + "/" + name, false
		}
	}
	for file := range f.files {
		if strings.HasSuffix(file, "/"+name) && known(file) {
			if f.hasOther(file, name, known) {
				return "", false
			}
			return file, false
		}
	}
	// The folder may be one below that which imports begin at.
	for _, rest, ok := strings.Cut(name, "/"); ok; _, rest, ok = strings.Cut(rest, "/") {
		if known(rest) {
			return rest, false
		}
	}
	return "", false
}

// hasOther reports whether a file beside the one given ends in name, too.
func (f *folder) hasOther(file, name string, known func(string) bool) bool {
	for other := range f.files {
		if other != file && strings.HasSuffix(other, "/"+name) && known(other) {
			return true
		}
	}
	return false
}

// A mender takes from one file what would keep it from compiling.
type mender struct {
	symbols symbols
	absent  *descriptorpb.FileDescriptorProto
	names   map[string]string // of messages of absent, by the name that was meant
	fault   func(m proto.Message, format string, args ...any)

	// Of the file that is at hand: the files that declare what it mentions.
	uses map[string]bool
}

func newMender(s symbols) *mender {
	return &mender{symbols: s, names: map[string]string{}, absent: &descriptorpb.FileDescriptorProto{
		Name: proto.String(absentFile), Package: proto.String(absentPackage), Syntax: proto.String("proto3"),
	}}
}

// mend puts the files that are meant in place of the imports as they are
// written, replaces the types that are nowhere declared, and drops the options
// that are not. Where an import is missing, or a guess, what declares the names
// that the file mentions is imported.
func (m *mender) mend(file *descriptorpb.FileDescriptorProto, find func(name string) (string, bool), missing func(name string)) {
	m.uses = map[string]bool{}
	scope := file.GetPackage()
	for _, d := range file.MessageType {
		m.message(scope, d)
	}
	file.Extension = m.extensions(scope, file.Extension)
	for _, s := range file.Service {
		for _, r := range s.Method {
			m.reference(join(scope, s.GetName()), r.InputType, r)
			m.reference(join(scope, s.GetName()), r.OutputType, r)
		}
	}
	m.options(scope, file.ProtoReflect())

	var deps []string
	var public []int32
	guess := m.uses[absentFile]
	for i, name := range file.Dependency {
		target, sure := find(name)
		guess = guess || !sure
		if target == "" {
			missing(name)
			continue
		}
		at := slices.Index(deps, target)
		if at < 0 {
			at = len(deps)
			deps = append(deps, target)
		}
		if slices.Contains(file.PublicDependency, int32(i)) && !slices.Contains(public, int32(at)) {
			public = append(public, int32(at))
		}
	}
	if guess {
		for _, used := range slices.Sorted(maps.Keys(m.uses)) {
			if used != file.GetName() && !slices.Contains(deps, used) {
				deps = append(deps, used)
			}
		}
	}
	file.Dependency, file.PublicDependency, file.WeakDependency = deps, public, nil
}

// known reports whether a name means something, and notes where.
func (m *mender) known(scope, name string) bool {
	file := m.symbols.resolve(scope, name)
	if file != "" {
		m.uses[file] = true
	}
	return file != ""
}

func (m *mender) message(scope string, d *descriptorpb.DescriptorProto) {
	scope = join(scope, d.GetName())
	for _, f := range d.Field {
		m.field(scope, f)
	}
	for _, nested := range d.NestedType {
		m.message(scope, nested)
	}
	d.Extension = m.extensions(scope, d.Extension)
}

func (m *mender) field(scope string, f *descriptorpb.FieldDescriptorProto) {
	if f.TypeName != nil && m.reference(scope, f.TypeName, f) {
		f.DefaultValue = nil
		if f.Options != nil {
			f.Options.UninterpretedOption = slices.DeleteFunc(f.Options.UninterpretedOption, func(o *descriptorpb.UninterpretedOption) bool {
				return len(o.Name) == 1 && o.Name[0].GetNamePart() == "default"
			})
		}
	}
}

func (m *mender) extensions(scope string, list []*descriptorpb.FieldDescriptorProto) []*descriptorpb.FieldDescriptorProto {
	return slices.DeleteFunc(list, func(x *descriptorpb.FieldDescriptorProto) bool {
		if !m.known(scope, x.GetExtendee()) {
			m.fault(x, "it extends %s, which is not there; the extension is left out", x.GetExtendee())
			return true
		}
		m.field(scope, x)
		return false
	})
}

// reference puts an empty message in place of a name that means nothing.
func (m *mender) reference(scope string, name *string, at proto.Message) bool {
	if m.known(scope, *name) {
		return false
	}
	meant := strings.TrimPrefix(*name, ".")
	m.fault(at, "%s is not declared in any file that could be read; it is shown as its name alone", meant)
	stand, ok := m.names[meant]
	if !ok {
		stand = fmt.Sprintf("T%d", len(m.names))
		m.names[meant] = stand
		m.absent.MessageType = append(m.absent.MessageType, &descriptorpb.DescriptorProto{Name: proto.String(stand)})
	}
	m.uses[absentFile] = true
	*name = "." + absentPackage + "." + stand
	return true
}

// options drops, everywhere below d, options by names that nobody declares.
func (m *mender) options(scope string, d protoreflect.Message) {
	d.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Name() == "uninterpreted_option":
			list := v.List()
			kept := 0
			for i := range list.Len() {
				option := list.Get(i).Message().Interface().(*descriptorpb.UninterpretedOption)
				if slices.ContainsFunc(option.Name, func(part *descriptorpb.UninterpretedOption_NamePart) bool {
					return part.GetIsExtension() && !m.known(scope, part.GetNamePart())
				}) {
					continue
				}
				list.Set(kept, list.Get(i))
				kept++
			}
			list.Truncate(kept)
		case field.Kind() != protoreflect.MessageKind || field.IsMap():
		case field.IsList():
			for i := range v.List().Len() {
				m.options(scope, v.List().Get(i).Message())
			}
		default:
			m.options(scope, v.Message())
		}
		return true
	})
}

// absentNames returns the names that were meant by those of the stand-ins.
func (m *mender) absentNames() map[protoreflect.FullName]string {
	names := map[protoreflect.FullName]string{}
	for meant, stand := range m.names {
		names[protoreflect.FullName(absentPackage+"."+stand)] = meant
	}
	return names
}
