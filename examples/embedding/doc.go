// Embedding adds skills to an MCP server that is there already: one with a tool, a
// prompt, resources and hooks of its own, behind the authentication, the routes and
// the listener of somebody's program. It is the place to begin when you do not want
// a further process.
//
//	TOKEN_SUPPORT=s3cret go run ./examples/embedding
//
// What to look at:
//
//   - orders.go is the server as it was. It passes on the options of the skills,
//     after its own, and changes nothing else.
//   - skills.go is what it gets: a generator, and a catalog that shows each team its
//     own skills, by what the authentication put into the context.
//   - main.go puts them together. The handler of the binding stands where that of
//     mcp-go stood, and a shutdown of the HTTP server ends its streams.
//   - The hooks count calls of skills/list and skills/get as they count those of the
//     tool: see /calls.
package main
