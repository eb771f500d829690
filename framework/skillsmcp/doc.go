// Package skillsmcp serves a [framework.Catalog] over the Model Context
// Protocol, as the Skills extension (io.modelcontextprotocol/skills) has it.
//
// A [Binding] stands in front of an mcp-go server. It reads each message once
// and answers what concerns skills itself: skills/list, skills/get,
// resources/directory/read, resources/list, the begin of
// resources/templates/list, and resources/read and completion/complete for the
// catalog's URIs. Everything else goes to mcp-go as it came: discovery and the
// initialize handshake, sessions, streams and subscriptions, and the tools,
// prompts and resources that the author of the server added. A message that is
// no well-formed request of its protocol version goes there too, so that such
// faults are answered alike for each method.
//
// Both eras are served on the same endpoint, on Streamable HTTP
// ([Binding.Handler]) and on stdio ([Binding.ServeStdio]): protocol version
// 2026-07-28, where each request describes itself, and the initialize handshake
// of the versions back to 2025-03-26.
//
// Where mcp-go does otherwise, on purpose: an unknown resource is -32602 in both
// eras, and so are params of a wrong type; an id comes back byte for byte; an
// Mcp-Name header must match the URI of each method that has one; a message in
// which a member is there twice, or in another case, is no call of an owned
// method. A test holds everything else to be alike.
//
// What skills are, how they are listed, cached and digested, is the business of
// package framework; this package knows nothing of paths and files. It is the
// only one that imports mcp-go on the server side.
package skillsmcp
