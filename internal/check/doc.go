// Package check looks for faults in documents and in the skills made of them.
//
// Lives here: the table of rules, the rules that no other package has, and the
// three forms of a report: for people, JSON and SARIF.
//
// Each rule lays its findings at one of two doors. The document's author can
// mend those of the side "document"; those of the side "renderer" are faults of
// this program, and a document cannot cause them.
//
// The rules that need a second reading of document and skills are in
// internal/ledger. What generators and the catalog find while they work are
// diagnostics of the framework, and become findings here.
package check
