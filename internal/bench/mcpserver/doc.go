// Command mcpserver serves skills as somebody would who writes a server with an
// MCP library: all of them made beforehand, and kept in memory. With "gosdk" it
// is the official library, with the methods of the Skills extension as custom
// ones; with "mcpgo" it is mcp-go, with a resource template. The bench command
// holds the cost of a request against theirs.
package main
