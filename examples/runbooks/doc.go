// Package runbooks holds the alerts of an invented parcel service, alerts.csv, and
// templates that make a skill of each of them for an agent that helps the person
// on call: what to look at, how to judge it, what may be done, whom to wake.
//
// There is no code here, only tests: that each alert is served, that its text is
// fit for use, and that the skills, stored in testdata/runbooks.txtar, change only
// on purpose.
package runbooks
