package sqlschema

import (
	"slices"
	"strings"
	"testing"

	"github.com/apiskills/apiskills/framework"
)

// TestNamesAreSlugsAndTwinsAllTakeAHash has what others rely on.
func TestNamesAreSlugsAndTwinsAllTakeAHash(t *testing.T) {
	tables := []string{"orders", "Order Items", "order_items", "tables", "x-rows", "x-0123abcd", "注文", "商品", strings.Repeat("a", 60), strings.Repeat("a", 61)}
	got := names(tables)
	for table, want := range map[string]string{
		"orders":      "orders",
		"Order Items": "order-items-" + hashOf("Order Items"),
		"order_items": "order-items-" + hashOf("order_items"),
		"tables":      "tables-" + hashOf("tables"),
		"x-rows":      "x-rows-" + hashOf("x-rows"),
		"x-0123abcd":  "x-0123abcd-" + hashOf("x-0123abcd"),
		"注文":          "table-" + hashOf("注文"),
		"商品":          "table-" + hashOf("商品"),
	} {
		if got[table] != want {
			t.Errorf("the name of %q is %q, want %q", table, got[table], want)
		}
	}
	slices.Reverse(tables)
	for table, name := range names(tables) {
		if got[table] != name {
			t.Errorf("the name of %q is %q, and %q in another order", table, got[table], name)
		}
	}
}

// FuzzNames looks for names that are not valid, or not unique with those of the
// other skills.
func FuzzNames(f *testing.F) {
	f.Add("orders", "Orders ", "orders-rows")
	f.Add("same", "SAME", "same-0967115f")
	f.Add("", "注文", strings.Repeat("long ", 50))
	f.Fuzz(func(t *testing.T, a, b, c string) {
		tables := []string{a, b, c}
		slices.Sort(tables)
		tables = slices.Compact(tables)
		seen := map[string]string{guideName: "the guide"}
		for table, name := range names(tables) {
			for _, name := range []string{name, name + rowsSuffix} {
				if !framework.ValidName(name) {
					t.Errorf("%q has the name %q", table, name)
				}
				if other, ok := seen[name]; ok {
					t.Errorf("%q and %q have the name %q", table, other, name)
				}
				seen[name] = table
			}
		}
	})
}
