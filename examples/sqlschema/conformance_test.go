package sqlschema

import (
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skilltest"
)

// TestTheGeneratorKeepsTheRules checks it on a usual database, and on one whose
// names are hostile.
func TestTheGeneratorKeepsTheRules(t *testing.T) {
	for name, file := range map[string]string{"usual": create(t, shop), "hostile": createHostile(t)} {
		t.Run(name, func(t *testing.T) {
			skilltest.Run(t, func(t testing.TB) framework.Generator {
				return generator(t, file, &Options{RowCounts: true})
			}, "tables", "orders", "orders-rows")
		})
	}
}

// TestSkillsOutliveTheirTables checks that what was made of the schema stays as it
// was when that changes.
func TestSkillsOutliveTheirTables(t *testing.T) {
	file := create(t, shop)
	err := skilltest.TestSnapshots(t.Context(), generator(t, file, nil), func() error {
		change(t, file, `DROP VIEW paid; ALTER TABLE customers DROP COLUMN name; CREATE TABLE more (a)`)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
