// Package replay runs the commands that skills show, and checks what they send.
//
// Each bash fence of a skill of an operation is run as it stands, by a real
// shell and a real curl, against a server on the loopback interface that stands
// in for the API. Only the scheme and host of the URL are swapped, and the
// variables that the command names are set. The request that arrives is checked
// against the original document, which is read here anew: by openapi3filter, and
// by a reading of the OpenAPI specification of this package's own, since the
// filter decodes less than the specification has.
//
// Nothing of the generator may be imported here, neither how it reads documents
// nor how it writes text: a fault there must not hide itself. What a skill is
// made of is known by its text alone.
//
// Commands come from documents, so they are hostile until shown otherwise. One
// that is anything but a plain call of curl with known options, to one of the
// document's own servers, is refused and never run.
package replay
