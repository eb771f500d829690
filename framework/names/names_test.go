package names_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/names"
	"golang.org/x/text/unicode/norm"
)

func TestSlugIsTheWordsOfAText(t *testing.T) {
	for text, want := range map[string]string{
		"getHTTPStatus":   "get-http-status",
		"GitHub Issues":   "github-issues",
		"order_items":     "order-items",
		"don't panic":     "dont-panic",
		"Crème brûlée":    "creme-brulee",
		"report-20260101": "report-20260101",
		"x1":              "x1",
	} {
		if got := names.Slug(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSlugOfWhatALatinWordCannotSayHasAHash(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{
		"주문", "상품", "주문 list", "상품 list", "", " ", "!", "\xff", strings.Repeat("word ", 30) + "a", strings.Repeat("word ", 30) + "b", strings.Repeat("w", 65), "a-x1234567", "x1234567",
	} {
		got := names.Slug(text)
		if !framework.ValidName(got) || seen[got] != "" {
			t.Errorf("%q: %q, as %q", text, got, seen[got])
		}
		seen[got] = text
	}
}

func TestTwinsAllTakeAHashAndNobodyThePlainName(t *testing.T) {
	texts := []string{"Orders", "orders", "items", "ORDERS", "guide", "items"}
	got := names.Unique(texts, "guide")
	for i, name := range got {
		switch {
		case !framework.ValidName(name):
			t.Errorf("%q: %q", texts[i], name)
		case texts[i] == "items" && name != "items":
			t.Errorf("equal texts have the name %q", name)
		case texts[i] != "items" && (name == "orders" || name == "guide" || slices.Index(got, name) != i):
			t.Errorf("%q has the name %q of %q", texts[i], name, got)
		}
	}
}

func TestTheFormOfUnicodeMakesNoOtherText(t *testing.T) {
	composed, decomposed := "주문 \u00e9", "\u110c\u116e\u1106\u116e\u11ab e\u0301"
	if names.Slug(composed) != names.Slug(decomposed) {
		t.Error("two forms of one text have two names")
	}
	if got := names.Unique([]string{composed, decomposed}); got[0] != got[1] || got[0] != names.Slug(composed) {
		t.Errorf("%q", got)
	}
}

func TestANameDependsNeitherOnOrderNorOnOthersThanTwins(t *testing.T) {
	alone := names.Unique([]string{"a b", "c"})
	more := names.Unique([]string{"x", "c", "C", "a b"})
	if more[3] != alone[0] {
		t.Errorf("%q became %q", alone[0], more[3])
	}
	if other := names.Unique([]string{"C", "a b", "c", "x"}); other[0] != more[2] || other[2] != more[1] {
		t.Errorf("%q and %q", more, other)
	}
	// Who takes the hashed name of another text for its own gets a hash itself.
	thief := more[1]
	if got := names.Unique([]string{"c", "C", thief}); got[0] != more[1] || got[2] == more[1] {
		t.Errorf("%q took a name: %q", thief, got)
	}
}

func ExampleSlug() {
	fmt.Println(names.Slug("listPullRequests"), names.Slug("The Staff's Wiki"), names.Slug("주문 list"))
	// Output: list-pull-requests the-staffs-wiki list-x793fa2d
}

func ExampleUnique() {
	fmt.Println(names.Unique([]string{"Orders", "orders", "items"}))
	// Output: [orders-xb7e8acd orders-x1c168ad items]
}

func FuzzUnique(f *testing.F) {
	f.Add("Orders", "orders", "guide")
	f.Add("주문", "\xff", "x1234567")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		texts := []string{a, b, c}
		got := names.Unique(texts, "guide")
		for i, name := range got {
			if !framework.ValidName(name) || name == "guide" {
				t.Errorf("%q: %q", texts[i], name)
			}
			for j := range i {
				if (got[j] == name) != (norm.NFC.String(texts[j]) == norm.NFC.String(texts[i])) {
					t.Errorf("%q and %q: %q and %q", texts[j], texts[i], got[j], name)
				}
			}
		}
		if again := names.Unique([]string{c, b, a}, "guide"); again[0] != got[2] || again[1] != got[1] || again[2] != got[0] {
			t.Errorf("%q in another order: %q and %q", texts, got, again)
		}
	})
}
