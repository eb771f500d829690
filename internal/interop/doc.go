// Package interop tests the real command against hosts and suites written by
// others, over the network and over pipes: what they accept means something,
// since none of them shares code with this project.
//
// The Go test with the official Go SDK runs wherever "go test ./..." does.
// The others are JavaScript packages, pinned in package-lock.json and driven
// by one small script each (client.mjs and the .mjs files beside it); install
// them with
//
//	npm ci --prefix internal/interop
//
// and their tests run too; without them they are skipped, or fail where
// APISKILLS_INTEROP=required. Two parsers of YAML are Python's, as the system's
// packages python3-yaml and python3-strictyaml have them; they are skipped
// without, or fail where APISKILLS_INTEROP_PYTHON=required. With APISKILLS_INTEROP=required
// and APISKILLS_CORPUS set to a directory of real
// documents, everything also runs on the largest of them, and the readers of
// frontmatter on all.
//
// The package has no code but tests. Tests of one package's behaviour do not
// belong here: they stand beside that package.
package interop
