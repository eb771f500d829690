package main

import (
	"testing"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/framework/skilltest"
)

// TestStatusKeepsTheRules checks a generator with a dynamic skill.
func TestStatusKeepsTheRules(t *testing.T) {
	skilltest.Run(t, func(testing.TB) framework.Generator {
		return Status{&Memory{services: []Service{{Name: "mail", Down: true, Note: "queue is full"}, {Name: "wiki"}}}}
	}, "current-status", "read-status")
}
