package check

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

var update = flag.Bool("update", false, "rewrite docs/check.md")

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func TestRulesSayWhatTheyAreAbout(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range table {
		if !kebab.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("the ID %q is not in kebab-case, or there twice", r.ID)
		}
		seen[r.ID] = true
		for what, s := range map[string]string{"title": r.Title, "explanation": r.Why, "advice": r.Do} {
			if s == "" || strings.TrimSpace(s) != s {
				t.Errorf("%s: the %s is %q", r.ID, what, s)
			}
		}
		if strings.HasSuffix(r.Title, ".") || !strings.HasSuffix(r.Why, ".") || !strings.HasSuffix(r.Do, ".") {
			t.Errorf("%s: a title ends without a full stop, explanation and advice with one", r.ID)
		}
		if r.Severity != framework.Error && r.Severity != framework.Warning && r.Severity != framework.Note {
			t.Errorf("%s: severity %q", r.ID, r.Severity)
		}
		if r.Side != Source && r.Side != Renderer {
			t.Errorf("%s: side %q", r.ID, r.Side)
		}
	}
}

// TestEachRuleInTheCodeHasARow reads every call and literal that makes a
// diagnostic or a finding, so that none has an ID that nobody can look up, or a
// severity above that of its row.
func TestEachRuleInTheCodeHasARow(t *testing.T) {
	used := map[string]string{} // ID to where
	severities := map[string]framework.Severity{}
	for _, dir := range []string{"framework", "generators", "cmd", "internal/ledger", "internal/check"} {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "skilltest" {
				return fs.SkipDir // its rules are for generators, not for documents
			}
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil // somebody's half-done edit, which the compiler reports
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for id, severity := range ruleIDs(n, strings.Contains(path, "internal/check"), strings.Contains(path, "internal/ledger")) {
					if strings.Contains(path, "internal/ledger") && id != "example" {
						id = ledgerPrefix + id
					} else if id == "example" {
						continue
					}
					used[id] = fset.Position(n.Pos()).String()
					if rank(severity) > rank(severities[id]) {
						severities[id] = severity
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(used) < 60 {
		t.Fatalf("only %d IDs were found: the code that makes diagnostics is written in another way now", len(used))
	}
	for _, id := range slices.Sorted(maps.Keys(used)) {
		r, ok := Find(id)
		switch {
		case !ok:
			t.Errorf("%s: the rule %q has no row", used[id], id)
		case rank(severities[id]) > rank(r.Severity):
			t.Errorf("%s: %q is an %s here, its row says %s", used[id], id, severities[id], r.Severity)
		}
	}
	for _, r := range table {
		if used[r.ID] == "" && r.ID != otherRule {
			t.Errorf("no code makes a finding of the rule %q", r.ID)
		}
	}
}

func rank(s framework.Severity) int {
	return slices.Index([]framework.Severity{"", framework.Note, framework.Warning, framework.Error}, s)
}

// ruleIDs returns the IDs of rules that a node has, with the severity beside
// them, where there is one:
//
//	f(framework.Error, "id", ...)      and methods that take an ID first
//	T{Severity: framework.Error, Rule: "id"}
//	d.Severity, d.Rule = framework.Error, "id"
func ruleIDs(n ast.Node, own, ledger bool) map[string]framework.Severity {
	ids := map[string]framework.Severity{}
	id := func(e ast.Expr, s framework.Severity) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && kebab.MatchString(text) {
				ids[text] = s
			}
		}
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch f := n.Fun.(type) {
		case *ast.SelectorExpr:
			name = f.Sel.Name
		case *ast.Ident:
			name = f.Name
		}
		first := []string{"fault", "refuse"}
		if own {
			first = []string{"add", "report", "say", "Find"}
		}
		if ledger {
			first = []string{"hole", "find", "find1", "wrong"}
		}
		if slices.Contains(first, name) && len(n.Args) > 0 {
			id(n.Args[0], "")
		}
		for i, arg := range n.Args[:max(len(n.Args)-1, 0)] {
			if s := severityOf(arg); s != "" {
				id(n.Args[i+1], s)
			}
		}
	case *ast.CompositeLit:
		var severity framework.Severity
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				severity = framework.Severity(max(string(severity), string(severityOf(kv.Value))))
			}
		}
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Rule" {
					id(kv.Value, severity)
				}
			}
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			name := ""
			switch l := left.(type) {
			case *ast.SelectorExpr:
				name = l.Sel.Name
			case *ast.Ident:
				name = map[string]string{"rule": "Rule", "id": "Rule"}[l.Name]
			}
			if name == "Rule" && len(n.Lhs) == len(n.Rhs) {
				var s framework.Severity
				if i > 0 {
					s = severityOf(n.Rhs[i-1])
				}
				id(n.Rhs[i], s)
			}
		}
	}
	return ids
}

// severityOf returns the severity that framework.Error and its like stand for.
func severityOf(e ast.Expr) framework.Severity {
	name := ""
	switch e := e.(type) {
	case *ast.SelectorExpr:
		name = e.Sel.Name
	case *ast.Ident: // in that package itself
		name = e.Name
	}
	return map[string]framework.Severity{"Error": framework.Error, "Warning": framework.Warning, "Note": framework.Note}[name]
}

func TestPageIsThatOfTheTable(t *testing.T) {
	const page = "../../docs/check.md"
	if *update {
		if err := os.WriteFile(page, []byte(Page()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Page() {
		t.Errorf("%s is not that of the table; run with -update", page)
	}
}

func TestUnknownRulesAreAnsweredWithThoseThatMayBeMeant(t *testing.T) {
	for word, want := range map[string]string{
		"twin-nam":  "twin-name",
		"Twin_Name": "twin-name",
		"html":      "prose-html",
		"links":     "",
	} {
		_, err := Explain(word)
		if err == nil {
			t.Errorf("%s is explained", word)
			continue
		}
		if want != "" && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s to be named", word, err, want)
		}
		if want == "" && !strings.Contains(err.Error(), "--explain all") {
			t.Errorf("%s: %v", word, err)
		}
	}
	text, err := Explain("twin-name")
	if err != nil || !strings.Contains(text, "What to do: ") {
		t.Errorf("%s, %v", text, err)
	}
	all, err := Explain("all")
	if err != nil || strings.Count(all, "\n") != len(table) {
		t.Errorf("all rules are not %d lines: %v", len(table), err)
	}
}
