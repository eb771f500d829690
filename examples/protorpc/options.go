package protorpc

import (
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/apiskills/apiskills/generators/templates"
)

// jsonName is the name of a field in JSON. An author can choose it, of any
// characters; those that cannot stand as they are, are quoted.
func jsonName(f protoreflect.FieldDescriptor) string {
	name := f.JSONName()
	if strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return asciiJSON(name)
	}
	return name
}

func defaultValue(f protoreflect.FieldDescriptor) string {
	if v := f.DefaultEnumValue(); v != nil {
		return string(v.Name())
	}
	text := f.Default().String()
	if f.Kind() == protoreflect.StringKind || f.Kind() == protoreflect.BytesKind {
		if len(text) > 60 {
			text = text[:60]
		}
		return asciiJSON(text)
	}
	return text
}

func isDeprecated(d protoreflect.Descriptor) bool {
	o, ok := d.Options().(interface{ GetDeprecated() bool })
	return ok && o.GetDeprecated()
}

// behaviours returns the google.api.field_behavior of a field.
func behaviours(f protoreflect.FieldDescriptor) []annotations.FieldBehavior {
	options := &descriptorpb.FieldOptions{}
	if !known(f.Options(), options) {
		return nil
	}
	list, _ := proto.GetExtension(options, annotations.E_FieldBehavior).([]annotations.FieldBehavior)
	return list
}

// known copies options with the extensions that this program knows: the
// compiler has them of types of its own.
func known(from, to proto.Message) bool {
	if from == nil || proto.Size(from) == 0 {
		return false
	}
	wire, err := proto.Marshal(from)
	return err == nil && proto.UnmarshalOptions{Resolver: protoregistry.GlobalTypes}.Unmarshal(wire, to) == nil
}

// httpRules are the HTTP calls that mean the same, by google.api.http.
func httpRules(r *rpc) []string {
	options := &descriptorpb.MethodOptions{}
	if !known(r.Options(), options) {
		return nil
	}
	rule, _ := proto.GetExtension(options, annotations.E_Http).(*annotations.HttpRule)
	if rule == nil {
		return nil
	}
	const most = 8
	var texts []string
	for _, rule := range append([]*annotations.HttpRule{rule}, rule.AdditionalBindings...)[:min(most, 1+len(rule.AdditionalBindings))] {
		call := ""
		switch p := rule.Pattern.(type) {
		case *annotations.HttpRule_Get:
			call = "GET " + p.Get
		case *annotations.HttpRule_Put:
			call = "PUT " + p.Put
		case *annotations.HttpRule_Post:
			call = "POST " + p.Post
		case *annotations.HttpRule_Delete:
			call = "DELETE " + p.Delete
		case *annotations.HttpRule_Patch:
			call = "PATCH " + p.Patch
		case *annotations.HttpRule_Custom:
			call = p.Custom.GetKind() + " " + p.Custom.GetPath()
		default:
			continue
		}
		text := templates.Code(call)
		switch rule.Body {
		case "":
		case "*":
			text += " with the request as its body"
		default:
			text += " with " + templates.Code(rule.Body) + " as its body"
		}
		texts = append(texts, text)
	}
	return texts
}
