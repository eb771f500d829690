// Command bareserver answers each path /N with the bytes of the Nth FILE, from
// memory, with nothing but net/http. It is what the bench command holds a
// server's speed against, and, without files, the start of its process.
package main
