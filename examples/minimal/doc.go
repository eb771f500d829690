// Minimal serves skills of a generator of its own, in one file: main.go. It is
// the place to begin when your source is not an OpenAPI document.
package main
