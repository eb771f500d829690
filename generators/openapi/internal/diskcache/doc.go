// Package diskcache keeps bytes in files, for the next process: what was worked
// out once and can be worked out again.
//
// So nothing here ever fails. What cannot be read, was cut short, was damaged, or
// belongs to somebody else is as good as not there, and what cannot be written is
// not. A [Store] says at debug level why.
//
// An entry is one file, which is written beside its place and then renamed: several
// processes may use one folder at once, and none sees half an entry. A store takes
// a bounded amount of space; the entries that were not used for longest go first.
//
// [Key] tells whether other bytes are still the same; [Encoder] and [Decoder] are
// what entries are written and read with.
//
// What does not live here: what is kept, and when it is out of date.
package diskcache
