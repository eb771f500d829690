package names

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/generators/openapi/internal/ingest"
)

func TestSlugIsKebabCase(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"listPullRequests", "list-pull-requests"},
		{"repos/get-content", "repos-get-content"},
		{"ListPets", "list-pets"},
		{"get_user_by_id", "get-user-by-id"},
		{"getHTTPStatus", "get-http-status"},
		{"HTTPServer", "http-server"},
		{"listIDs", "list-ids"},
		{"IDsOfUser", "ids-of-user"},
		{"getURLsOfPage", "get-urls-of-page"},
		{"getID", "get-id"},
		{"oauth2Token", "oauth2-token"},
		{"createV2Order", "create-v2-order"},
		{"S3.GetObject", "s3-get-object"},
		{"GET_ALL", "get-all"},
		{"v1.items:batchGet", "v1-items-batch-get"},
		{"  --spaced out--  ", "spaced-out"},
		{"GET /pets/{petId}", "get-pets-pet-id"},
		{"naïveCafé", "naive-cafe"},
		{"größenAuflisten", "grossen-auflisten"},
		{"ＦＵＬＬ width", "full-width"},
		{"주문목록", ""},
		{"주문 list", "list"},
		{"🚀", ""},
		{"", ""},
		{"a\xffb", "a-b"},
		{"İstanbul", "istanbul"},
	} {
		if got := Slug(tt.in); got != tt.want {
			t.Errorf("Slug(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestTitleSlugKeepsProductNamesWhole(t *testing.T) {
	for in, want := range map[string]string{
		"GitHub's official OpenAPI spec + more": "githubs-official-openapi-spec-more",
		"OpenAI API":                            "openai-api",
		"DocuSign\u2019s REST":                  "docusigns-rest",
		"petStore":                              "petstore",
		"주문":                                    "",
	} {
		if got := TitleSlug(in); got != want {
			t.Errorf("TitleSlug(%q) = %q, want %q", in, got, want)
		}
	}
}

func op(method, path, id, tag string) ingest.Operation {
	return ingest.Operation{Method: method, Path: path, OperationID: id, Tag: tag}
}

func TestGroupIsTagElseFirstTellingSegment(t *testing.T) {
	for _, tt := range []struct {
		op   ingest.Operation
		want string
	}{
		{op("GET", "/pets", "", "Pet Store"), "pet-store"},
		{op("GET", "/pets", "", "petStore"), "pet-store"},
		{op("GET", "/pets", "", "GitHub's OAuth Apps"), "githubs-oauth-apps"},
		{op("GET", "/pets/{id}", "", ""), "pets"},
		{op("GET", "/{owner}/pets", "", ""), "pets"},
		{op("GET", "/v1/charges", "", ""), "charges"},
		{op("GET", "/api/rest/v2.1/charges", "", ""), "charges"},
		{op("GET", "/2010-04-01/Accounts.json", "", ""), "accounts-json"},
		{op("GET", "/v1beta1/things", "", ""), "things"},
		{op("GET", "/#Action=RunInstances", "", ""), "default"},
		{op("GET", "/{comicId}/info.0.json", "", ""), "info-0-json"},
		{op("GET", "/", "", ""), "default"},
		{op("GET", "", "", ""), "default"},
		{op("GET", "/versions/all", "", ""), "versions"},
		{op("GET", "/v/all", "", ""), "v"},
		{op("GET", "/vault", "", ""), "vault"},
		{op("GET", "/x", "", "shop-guide"), "shop-guide-" + short("shop-guide", hashLen)},
		{ingest.Operation{Method: "POST", Webhook: "order.made", Tag: "orders"}, "webhooks"},
	} {
		if got := Table("shop", []ingest.Operation{tt.op})[0].Group; got != tt.want {
			t.Errorf("group of %s %q, tag %q = %q, want %q", tt.op.Method, tt.op.Path, tt.op.Tag, got, tt.want)
		}
	}
}

func TestTagsInOtherScriptsStayApart(t *testing.T) {
	ops := []ingest.Operation{
		op("GET", "/a", "", "주문 API"), op("GET", "/b", "", "상품 API"),
		op("GET", "/c", "", "주문"), op("GET", "/d", "", "상품"), op("GET", "/e", "", "🚀"),
	}
	seen := map[string]bool{}
	for i, n := range Table("shop", ops) {
		if seen[n.Group] || !valid.MatchString(n.Group) {
			t.Errorf("group of %q = %q: invalid or shared", ops[i].Tag, n.Group)
		}
		seen[n.Group] = true
	}
}

func TestNameIsOperationIDElseMethodAndPath(t *testing.T) {
	for _, tt := range []struct {
		op   ingest.Operation
		want string
	}{
		{op("GET", "/pets", "listPets", ""), "list-pets"},
		{op("GET", "/pets/{petId}", "", ""), "get-pets-pet-id"},
		{op("GET", "/", "", ""), "get"},
		{op("GET", "/주문", "주문목록", ""), "get"},
		{op("M-SEARCH", "/x", "", ""), "m-search-x"},
		{ingest.Operation{Method: "POST", Webhook: "orderMade"}, "post-order-made"},
	} {
		if got := Table("shop", []ingest.Operation{tt.op})[0].Name; got != tt.want {
			t.Errorf("name of %s %q %q = %q, want %q", tt.op.Method, tt.op.Path, tt.op.OperationID, got, tt.want)
		}
	}
}

func TestLongNameIsCutAtAWordWithAHash(t *testing.T) {
	o := op("GET", "/x", strings.Repeat("word ", 20), "")
	got := Table("shop", []ingest.Operation{o})[0].Name
	want := "word" + strings.Repeat("-word", 10) + "-" + short("GET /x", hashLen)
	if got != want || len(got) > maxLen {
		t.Errorf("got %q, want %q", got, want)
	}
	o.OperationID = strings.Repeat("w", 100)
	got = Table("shop", []ingest.Operation{o})[0].Name
	if want := strings.Repeat("w", 57) + "-" + short("GET /x", hashLen); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTwinsAllTakeTheHashAndNobodyThePlainName(t *testing.T) {
	ops := []ingest.Operation{
		op("PUT", "/members/{id}", "updateMember", "m"), op("PUT", "/members/{id}/photo", "UpdateMember", "m"),
		op("PUT", "/members/{id}/badge", "update_member", "n"), op("PUT", "/members/{id}/locker", "update.member", ""),
		op("GET", "/members", "listMembers", "m"),
	}
	for i, n := range Table("crew", ops) {
		want := "update-member-" + short(ops[i].Method+" "+ops[i].Path, hashLen)
		if i == 4 {
			want = "list-members"
		}
		if n.Name != want {
			t.Errorf("name of %s = %q, want %q", ops[i].OperationID, n.Name, want)
		}
	}
}

func TestTwinsAfterTruncationAreDistinct(t *testing.T) {
	long := strings.Repeat("word ", 20)
	table := Table("x", []ingest.Operation{op("GET", "/a", long+"a", ""), op("GET", "/b", long+"b", "")})
	if table[0].Name == table[1].Name {
		t.Errorf("both are %q", table[0].Name)
	}
}

func TestANameThatLooksLikeATwinsHashedNameStaysDistinct(t *testing.T) {
	h := short("GET /a", hashLen)
	table := Table("x", []ingest.Operation{
		op("GET", "/a", "same", ""), op("GET", "/b", "same", ""), op("GET", "/c", "same-"+h, ""),
	})
	if table[0].Name == table[2].Name || table[2].Name == "same" || table[0].Name == "same" {
		t.Errorf("names are not distinct: %v", table)
	}
}

func TestTheGuidesNameIsReserved(t *testing.T) {
	if got := Table("shop", []ingest.Operation{op("GET", "/g", "shopGuide", "")})[0].Name; got == "shop-guide" {
		t.Error("an operation took the guide's name")
	}
	if g := Guide(strings.Repeat("a", 64)); len(g) > maxLen || !strings.HasSuffix(g, "-guide") {
		t.Errorf("guide of a long API = %q", g)
	}
}

func TestNamesDoNotDependOnOrder(t *testing.T) {
	var ops []ingest.Operation
	for i := range 300 {
		ops = append(ops, op("GET", fmt.Sprintf("/p/%d", i), fmt.Sprintf("getThing%d", i/3), fmt.Sprintf("tag %d", i%7)))
	}
	byPath := func(ops []ingest.Operation) map[string]Name {
		m := make(map[string]Name)
		for i, n := range Table("shop", ops) {
			m[ops[i].Path] = n
		}
		return m
	}
	want := byPath(ops)
	shuffled := slices.Clone(ops)
	rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for path, n := range byPath(shuffled) {
		if want[path] != n {
			t.Errorf("%s: %v, was %v before shuffling", path, n, want[path])
		}
	}
}

var valid = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func checkTable(t *testing.T, table []Name, api string) {
	t.Helper()
	seen := map[string]bool{Guide(api): true}
	for _, n := range table {
		if !valid.MatchString(n.Name) || !valid.MatchString(n.Group) || len(n.Name) > maxLen || len(n.Group) > maxLen {
			t.Errorf("invalid: %+v", n)
		}
		if seen[n.Name] {
			t.Errorf("%q is given twice", n.Name)
		}
		seen[n.Name] = true
	}
}

func TestCorpusNamesAreValidAndUnique(t *testing.T) {
	dir := os.Getenv("APISKILLS_CORPUS")
	if dir == "" {
		t.Skip("APISKILLS_CORPUS does not name a folder with documents")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.*"))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := ingest.Load(filepath.Base(f), data)
		if err != nil {
			continue // another version
		}
		table := Table("api", doc.Operations)
		checkTable(t, table, "api")
		groups := map[string]bool{}
		for _, n := range table {
			groups[n.Group] = true
		}
		t.Logf("%s: %d names in %d groups", filepath.Base(f), len(table), len(groups))
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"listPets", "repos/get", "주문 API", "ÀÉ", "a--b", "", "IDs", "\xff"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if s := Slug(a); s != "" && !valid.MatchString(s) {
			t.Errorf("Slug(%q) = %q", a, s)
		}
		if s := Slug(a); Slug(s) != s {
			t.Errorf("Slug(%q) = %q, but Slug of that is %q", a, s, Slug(s))
		}
		checkTable(t, Table(Slug(a), []ingest.Operation{
			op("GET", "/a", a, b), op("GET", "/b", b, a), op("POST", a, "", b), op("POST", "/"+b+"!", "", ""),
		}), Slug(a))
	})
}

func BenchmarkTable(b *testing.B) {
	var ops []ingest.Operation
	for i := range 2000 {
		ops = append(ops, op("GET", fmt.Sprintf("/things/{id}/parts/%d", i), fmt.Sprintf("repos/getThingOfKind%d", i), fmt.Sprintf("tag %d", i%40)))
	}
	for b.Loop() {
		Table("shop", ops)
	}
}
