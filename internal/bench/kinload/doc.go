// Command kinload loads the OpenAPI document FILE whole with kin-openapi and
// prints, as JSON, how long that took and the memory at its peak. It is the
// anchor of the bench command, and a process of its own so that the memory is
// that of the load alone.
package main
