// Package protorpc makes Agent Skills of gRPC services: of a folder of .proto
// files a skill for each RPC, and a guide to them.
//
// A skill says what the RPC does, in the words of its comments, and has a
// grpcurl command with a request to begin with, the messages that go in and
// come out, and what to do when it fails. It changes only when its own RPC or a
// message that it reaches does.
//
// From this folder
//
//	go run ./cmd/protoskills serve parcels=testdata/parcels
//
// serves those of an invented parcel service.
//
// # What is read
//
// All files below the folder whose names end in .proto, and nothing outside of
// it. An import is looked for as protoc does with the folder as its only import
// path, then beside the importing file and above that, then at the one place
// where a file's path ends in it or it ends in a file's path; and what a file
// with such imports mentions is taken from whichever file declares it. The files of google/protobuf, and the
// annotations of google/api, are built in.
//
// What cannot be had costs as little as can be: a file that is broken is left
// out, with the line; of a message that is not there, a field or an RPC has the
// name alone; options that nobody declares are passed over.
//
// # Files
//
//   - files.go reads the folder, within limits.
//   - compile.go and mend.go make descriptors of it, around what is missing.
//   - generator.go has the index, and what a catalog asks for.
//   - shape.go describes messages, sample.go makes requests of them.
//   - options.go reads what the files say of fields and RPCs in options.
//   - skill.go, behaviour.go and guide.go write the skills.
package protorpc
