// Package names makes names of skills of the words of a source: of titles, identifiers and
// tables that somebody else named. It is for generators; a Catalog does without.
//
// A name is a part of a URI, and a URI must not change its meaning. So a name here depends
// on its own text and not on an order, and where two texts would get the same one neither
// gets it.
package names
