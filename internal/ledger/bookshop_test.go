package ledger_test

import "testing"

func TestBookshopHasNoHoles(t *testing.T) { checkAll(t, "../../examples/bookshop/openapi.yaml", "") }

func TestHarbourHasNoHoles(t *testing.T) {
	checkAll(t, "../../generators/openapi/testdata/harbour.yaml", "")
}
