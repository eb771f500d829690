package main

import (
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skilltest"
)

// TestRestartsKeepTheRules is the test that each generator should have.
func TestRestartsKeepTheRules(t *testing.T) {
	skilltest.Run(t, func(testing.TB) framework.Generator {
		return Restarts{"restart-wiki": "wikictl restart", "restart-mail": "mailctl restart"}
	}, "restart-mail", "restart-wiki")
}
