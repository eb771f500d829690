// Package proc reads the memory and the processor time of a process from the
// proc file system. Where there is none (anywhere but on Linux), it says so.
package proc
