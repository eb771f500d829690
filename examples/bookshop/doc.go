// Package bookshop holds the document of an invented API, openapi.yaml, that
// uses the parts of OpenAPI 3.1 that a skill has to explain: every parameter
// style, alternative and combined credentials, three ways of paging, uploads,
// streams, polymorphism, a recursive schema, webhooks and a callback, and
// operations whose names are missing, too long or too much alike.
//
// There is no code here, only tests: that the document stays valid and rich, and
// that its skills, stored in testdata/bookshop.txtar, change only on purpose.
package bookshop
