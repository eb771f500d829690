package templates

import (
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// Names of the functions that rewritten templates call: show, and what tells
// the meter of a round of a loop, and of the beginning and the end of a
// template.
const (
	showName  = "_show"
	stepName  = "_step"
	enterName = "_enter"
	leaveName = "_leave"
)

// What the latter two write. No text has a NUL.
const (
	entered = "\x00+"
	left    = "\x00-"
)

const (
	maxBlocks = 12 // levels of range, with and if within each other
	maxIndent = 32 // of a call of a template, that its text is indented by
)

// A placer has every action of a set of templates print through show, and
// every loop and call of a template count its steps.
type placer struct {
	sources map[string]*parse.Tree // as they were parsed
	out     *template.Template
	done    map[string]bool // names of rewritten templates in out
}

// rewriteFile adds the file's template to out, as it prints in a place of the
// given kind: "" for a file in Markdown.
func (w *placer) rewriteFile(name, kind string) error {
	_, err := w.template(name, kind, nil)
	return err
}

// template adds a template as it prints after the text before on its line, and
// returns the name that it has.
func (w *placer) template(name, kind string, before []byte) (string, error) {
	key := name
	if len(before) > 0 {
		key += "$" + strconv.Quote(string(before))
	}
	source := w.sources[name]
	if source == nil {
		return "", fmt.Errorf("there is no template %q", name)
	}
	if w.done[key] {
		return key, nil
	}
	w.done[key] = true
	tree := source.Copy()
	b := body{w: w, tree: tree, kind: kind, write: true}
	p := &place{line: before, value: kind == inValue}
	start := p.clone()
	if err := b.list(tree.Root, p, 0); err != nil {
		return "", err
	}
	if p.fence != "" {
		p.endLine() // the last line may lack its end
	}
	if !p.same(start) {
		return "", b.fault(tree.Root, "a code block is not closed at the end of the template; nor may a code span, a link or a tag be open there")
	}
	at := tree.Root.Position()
	nodes := append([]parse.Node{b.tell(at, enterName)}, tree.Root.Nodes...)
	tree.Root.Nodes = append(nodes, b.tell(at, leaveName))
	_, err := w.out.AddParseTree(key, tree)
	return key, err
}

// A body is a template that is being rewritten, or only read.
type body struct {
	w     *placer
	tree  *parse.Tree
	kind  string
	write bool
}

func (b *body) fault(n parse.Node, format string, args ...any) error {
	at, _ := b.tree.ErrorContext(n)
	file, rest, _ := strings.Cut(at, ":")
	line, _, _ := strings.Cut(rest, ":")
	number, _ := strconv.Atoi(line)
	return &Error{File: file, Line: number, Msg: fmt.Sprintf(format, args...)}
}

func (b *body) list(l *parse.ListNode, p *place, depth int) error {
	if l == nil {
		return nil
	}
	if depth > maxBlocks {
		return b.fault(l, "more than %d levels of if, with and range within each other", maxBlocks)
	}
	for _, n := range l.Nodes {
		if err := b.node(n, p, depth); err != nil {
			return err
		}
	}
	return nil
}

func (b *body) node(n parse.Node, p *place, depth int) error {
	switch n := n.(type) {
	case *parse.TextNode:
		p.text(n.Text)
	case *parse.ActionNode:
		if len(n.Pipe.Decl) > 0 {
			return nil
		}
		kind, more := b.kind, ""
		if kind == "" {
			var err error
			if kind, more, err = p.kind(); err != nil {
				return b.fault(n, "%v", err)
			}
		}
		if b.write {
			n.Pipe.Cmds = append(n.Pipe.Cmds, b.call(n.Position(), showName, kind, more))
		}
		p.printed()
	case *parse.IfNode:
		return b.branches(&n.BranchNode, p, depth)
	case *parse.WithNode:
		return b.branches(&n.BranchNode, p, depth)
	case *parse.RangeNode:
		return b.loop(n, p, depth)
	case *parse.BreakNode, *parse.ContinueNode:
		if p.fence != "" {
			return b.fault(n, "a loop cannot be left within a code block")
		}
	case *parse.TemplateNode:
		if p.fence != "" {
			return b.fault(n, "a template cannot be called within a code block: have it write the whole block")
		}
		if c := p.context(); c != "" && c != inSpan {
			return b.fault(n, "a template cannot be called within a link or a tag: have it write the whole of it")
		}
		if b.write {
			name, err := b.w.template(n.Name, b.kind, callClass(p.line))
			if _, ok := err.(*Error); err != nil && !ok {
				return b.fault(n, "%v", err)
			}
			if err != nil {
				return err
			}
			n.Name = name
		}
		p.printed()
	}
	return nil
}

// callClass returns what of a line counts for a template that is called there.
func callClass(line []byte) []byte {
	s := string(line)
	switch inner := s[len(container.FindString(s)):]; {
	case strings.TrimSpace(s) == "" && len(s) <= maxIndent:
		return line[:len(line):len(line)]
	case spanOpen(s):
		return []byte("x`")
	case strings.HasPrefix(inner, "|"):
		return []byte("|")
	}
	return []byte("x")
}

func (b *body) branches(n *parse.BranchNode, p *place, depth int) error {
	other := p.clone()
	if err := b.list(n.List, p, depth+1); err != nil {
		return err
	}
	if err := b.list(n.ElseList, other, depth+1); err != nil {
		return err
	}
	if !p.same(other) {
		return b.fault(n, "a code block, a quotation in one, a code span, a link or a tag begins or ends in one branch and not in the other")
	}
	return nil
}

func (b *body) loop(n *parse.RangeNode, p *place, depth int) error {
	start := p.clone()
	// The second round begins where the first one ended.
	reader := *b
	reader.write = false
	end := p.clone()
	if err := reader.list(n.List, end, depth+1); err != nil {
		return err
	}
	if len(strings.TrimSpace(string(p.line))) == 0 && len(strings.TrimSpace(string(end.line))) > 0 {
		p.line = append(p.line[:0:0], end.line...)
	}
	if err := b.list(n.List, p, depth+1); err != nil {
		return err
	}
	if b.write {
		n.List.Nodes = append([]parse.Node{b.tell(n.Position(), stepName)}, n.List.Nodes...)
	}
	other := start.clone()
	if err := b.list(n.ElseList, other, depth+1); err != nil {
		return err
	}
	if !p.same(start) || !other.same(start) {
		return b.fault(n, "a code block, a quotation in one, a code span, a link or a tag begins in a loop and does not end there, or the other way round")
	}
	return nil
}

// tell is an action for the meter alone.
func (b *body) tell(at parse.Pos, name string) parse.Node {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: at, Pipe: &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: at, Cmds: []*parse.CommandNode{b.call(at, name)},
	}}
}

// call is the call of a function with strings.
func (b *body) call(at parse.Pos, name string, args ...string) *parse.CommandNode {
	c := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: []parse.Node{parse.NewIdentifier(name).SetTree(b.tree).SetPos(at)}}
	for _, a := range args {
		c.Args = append(c.Args, &parse.StringNode{NodeType: parse.NodeString, Pos: at, Quoted: strconv.Quote(a), Text: a})
	}
	return c
}
