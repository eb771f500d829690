// Package names gives every operation of a document its address: the group and
// the name that its skill has under the API.
//
// An address depends on the operation alone, not on the order or the number of
// its neighbours, with one exception that cannot be helped: where two operations
// would have the same name, all of them take a hash of their method and path, so
// that the plain name never changes hands.
package names
