// Package printable makes text from outside fit for messages and lines of a log.
package printable
