// Package tutorial follows docs/writing-a-generator.md to the letter, in its test: it
// writes the files, runs the commands, and compares what they print. There is no code in
// it.
package tutorial
