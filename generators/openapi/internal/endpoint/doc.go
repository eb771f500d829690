// Package endpoint turns one operation of an OpenAPI document into the view
// that the endpoint templates render: the URL, the effect, the credentials, a
// command that works, the inputs, the answers and what to do with each status.
//
// Here live the decisions of content: what is said, in which order, what stays
// in SKILL.md and what goes to a file below references/, and the wording of
// what this program adds. How a schema is written down is the schema package's
// work, how the text is laid out the templates'.
//
// Every string of a document reaches the view as [templates.Prose], as a plain
// string that a template prints through a safe function, or inside
// [templates.Markdown] after code or inline made it safe. In commands it
// passes through [word], which quotes, and through percent-encoding.
//
// A view depends on nothing but its own operation: no map order, no clock, no
// neighbour.
package endpoint
