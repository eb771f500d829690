// Package archtest guards the architecture: which package may import which,
// what the public packages promise to those who import them, and a few rules that
// each Go file of the module keeps. It has tests only.
//
// The rules are written down in docs/architecture.md. A package that needs an
// exception changes the table here, where a reviewer sees it.
package archtest
