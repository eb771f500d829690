package openapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/openapi/internal/endpoint"
	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
	"github.com/apiskills/apiskills/generators/templates"
	"github.com/getkin/kin-openapi/openapi3"
)

// Limits of one skill (Skills extension, "Limits").
const (
	maxFiles = 512
	maxBytes = 16 << 20
)

// Skill implements [framework.Generator].
func (g *Generator) Skill(ctx context.Context, path string) (*framework.Skill, error) {
	i, found := g.find(path)
	if !found {
		return nil, fmt.Errorf("%s has no skill %.200q: %w", g.api, path, framework.ErrNotFound)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var files []templates.RenderedFile
	var diags []framework.Diagnostic
	var err error
	if op := g.entries[i].op; op == guideEntry {
		var guide *templates.Guide
		if guide, err = g.guide(ctx); err == nil {
			files, err = g.templates.RenderGuide(guide)
		}
	} else {
		files, diags, err = g.endpoint(ctx, op)
	}
	if err != nil {
		return nil, fmt.Errorf("skill %s/%s: %w", g.api, path, err)
	}
	for i := range diags {
		diags[i].Skill = path
	}
	return &framework.Skill{Files: content(files), Version: version(files), Diagnostics: diags}, nil
}

// endpoint renders the skill of an operation.
func (g *Generator) endpoint(ctx context.Context, n int32) ([]templates.RenderedFile, []framework.Diagnostic, error) {
	op := &g.ops[n]
	group, name, _ := strings.Cut(g.path(n), "/")
	view := &endpoint.Operation{
		API: g.api, Group: group, Name: name,
		URI:      func(group, name string) string { return g.uri(group + "/" + name) },
		GuideURI: g.uri(g.guideName()),
		Method:   op.Method, Path: op.Path, Webhook: op.Webhook, OperationID: op.OperationID,
		Pointer: op.Pointer, File: g.doc.File,
		Raw:         g.doc.Raw(op),
		PathServers: g.pathServers(op),
		Target:      g.target,
		Quoted:      g.prose != ProseFull,
		Author:      g.author(op, name),
		Server:      g.server, ServerBase: g.serverBase,
	}
	small, diags := g.doc.Small(op, g.budget)
	if g.prose == ProseNone {
		view.Raw, small = withoutProse(view.Raw), withoutProse(small)
	}
	if g.doc.OpenAPI == "2.0" { // the view knows OpenAPI 3 alone
		view.Raw = operationIn(small, op)
	}
	err := cutAddress(view)
	if err == nil {
		err = load(ctx, small, view)
	}
	if err != nil {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return nil, nil, ctxErr
		}
		if raw := operationIn(small, op); raw != nil { // its references are resolved there
			view.Raw = raw
		}
		reason := "kin-openapi cannot load it"
		if errors.Is(err, errAddress) {
			reason = "its path is too long to be shown"
		}
		diags = append(diags, g.degrade(view, small, reason, err))
	}
	files, more, err := g.render(view)
	if err != nil && view.Degraded == "" {
		diags = append(diags, g.degrade(view, small, "its description cannot be rendered", err))
		files, more, err = g.render(view)
	}
	return files, append(diags, more...), err
}

var errAddress = errors.New("the path or the name of the webhook is too long")

// cutAddress shortens an address that a skill cannot show, and reports it.
func cutAddress(op *endpoint.Operation) error {
	n := max(len(op.Path), len(op.Webhook))
	if n <= ingest.MaxAddress {
		return nil
	}
	op.Path, op.Webhook, op.Pointer = address(op.Path), address(op.Webhook), address(op.Pointer)
	op.AddressCut = true
	return fmt.Errorf("%w: %d bytes", errAddress, n)
}

// address returns a path, a name of a webhook or a pointer to it as it is shown.
func address(s string) string {
	if len(s) <= ingest.MaxAddress {
		return s
	}
	return strings.ToValidUTF8(s[:200], "") + "..."
}

// operationIn returns the JSON of the operation in its small document.
func operationIn(small []byte, op *ingest.Operation) []byte {
	items, name := member(small, "paths"), op.Path
	if op.Webhook != "" {
		items, name = member(small, "webhooks"), op.Webhook
	}
	item := member(items, name)
	if raw := member(item, strings.ToLower(op.Method)); raw != nil {
		return raw
	}
	return member(member(item, "additionalOperations"), op.Method)
}

// render describes and lays out an operation.
func (g *Generator) render(op *endpoint.Operation) ([]templates.RenderedFile, []framework.Diagnostic, error) {
	view, diags := endpoint.View(op)
	files, err := g.templates.RenderEndpoint(view)
	if err != nil {
		return nil, nil, err
	}
	total := 0
	for _, f := range files {
		total += len(f.Content)
	}
	if len(files) > maxFiles || total > maxBytes {
		return nil, nil, fmt.Errorf("%d files of %d bytes are more than a skill may have (%d, %d)", len(files), total, maxFiles, maxBytes)
	}
	return files, diags, nil
}

// degrade makes op one that is rendered from its raw JSON, and reports it. The
// reason in the skill is constant, so that an upgrade of a library that words
// its errors anew changes no digest. Of the small document the servers are
// kept: a call without its host is of no use.
func (g *Generator) degrade(op *endpoint.Operation, small []byte, reason string, err error) framework.Diagnostic {
	op.Degraded = reason
	op.Doc, op.Item, op.Op = onlyServers(small), nil, nil
	return framework.Diagnostic{
		Severity: framework.Error, Rule: "degraded-operation", File: op.File, Pointer: op.Pointer,
		Message: fmt.Sprintf("%s: %s; the skill is made of what can be read", reason, shortError(err)),
	}
}

// onlyServers returns a document with the servers of small, as far as they can
// be read, or nil if there are none.
func onlyServers(small []byte) *openapi3.T {
	doc := &openapi3.T{}
	elements(member(small, "servers"), func(raw []byte) bool {
		s := &openapi3.Server{}
		if json.Unmarshal(raw, s) == nil && s.URL != "" {
			doc.Servers = append(doc.Servers, s)
		}
		return len(doc.Servers) < 100
	})
	if len(doc.Servers) == 0 {
		return nil
	}
	return doc
}

func shortError(err error) string {
	s := templates.Line(err.Error())
	if len(s) > 400 {
		s = strings.ToValidUTF8(s[:400], "") + " ..."
	}
	return s
}

var errExternal = errors.New("references to other documents are not followed")

// load reads the small document into op.
func load(ctx context.Context, small []byte, op *endpoint.Operation) (err error) {
	defer func() {
		// The library has met documents that it did not expect before.
		if r := recover(); r != nil {
			err = fmt.Errorf("kin-openapi: %v", r)
		}
	}()
	loader := &openapi3.Loader{
		Context:               ctx,
		IsExternalRefsAllowed: false,
		ReadFromURIFunc:       func(*openapi3.Loader, *url.URL) ([]byte, error) { return nil, errExternal },
	}
	doc, err := loader.LoadFromData(small)
	if err != nil {
		return err
	}
	item := doc.Webhooks[op.Webhook]
	if op.Webhook == "" {
		item = doc.Paths.Value(op.Path)
	}
	if item == nil {
		return errors.New("the path item is not there after loading")
	}
	operation := item.GetOperation(op.Method)
	if operation == nil {
		return fmt.Errorf("the method %.40q is not there after loading", op.Method)
	}
	op.Doc, op.Item, op.Op = doc, item, operation
	return nil
}

// target finds the operation that a link names, by its address alone.
func (g *Generator) target(operationID, operationRef string) (endpoint.Target, bool) {
	op, ok := g.lookup(operationID, operationRef)
	if !ok {
		return endpoint.Target{}, false
	}
	o := &g.ops[op]
	t := endpoint.Target{URI: g.uri(g.path(op)), Method: o.Method, Path: address(o.Path)}
	if o.Webhook != "" {
		t.Path = address(o.Webhook)
	}
	return t, true
}

func (g *Generator) lookup(operationID, operationRef string) (int32, bool) {
	var op *ingest.Operation
	ok := false
	if operationID != "" {
		op, ok = g.doc.OperationByID(operationID)
	} else if operationRef != "" {
		op, ok = g.doc.OperationByPointer(operationRef)
	}
	if !ok {
		return 0, false
	}
	i, ok := slices.BinarySearchFunc(g.ops, op, func(a ingest.Operation, b *ingest.Operation) int {
		return cmp.Or(cmp.Compare(a.Webhook, b.Webhook), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return int32(i), ok
}

// content makes rendered files the files of a snapshot.
func content(files []templates.RenderedFile) []framework.File {
	out := make([]framework.File, len(files))
	for i, f := range files {
		out[i] = framework.File{Name: f.Name, Content: func(context.Context) ([]byte, error) { return bytes.Clone(f.Content), nil }}
	}
	return out
}

// version stands for the bytes of all files, so it is made of them.
func version(files []templates.RenderedFile) string {
	sum := sha256.New()
	for _, f := range files {
		fmt.Fprintf(sum, "%d %s %d\n", len(f.Name), f.Name, len(f.Content))
		sum.Write(f.Content)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
