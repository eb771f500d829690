package diskcache

import (
	"encoding/binary"
	"unsafe"
)

// An Encoder appends values to an entry.
type Encoder struct{ Data []byte }

// Uint appends a number.
func (e *Encoder) Uint(n uint64) { e.Data = binary.AppendUvarint(e.Data, n) }

// Bool appends true or false.
func (e *Encoder) Bool(b bool) {
	n := uint64(0)
	if b {
		n = 1
	}
	e.Uint(n)
}

// Bytes appends bytes and how many they are.
func (e *Encoder) Bytes(b []byte) {
	e.Uint(uint64(len(b)))
	e.Data = append(e.Data, b...)
}

// String appends a string.
func (e *Encoder) String(s string) {
	e.Uint(uint64(len(s)))
	e.Data = append(e.Data, s...)
}

// A Decoder reads what an Encoder wrote. Of anything else it gives values that mean
// nothing, and says so in the end.
type Decoder struct {
	data []byte
	bad  bool
}

// NewDecoder returns a decoder of data, of which the values are parts: it must not
// be changed any more.
func NewDecoder(data []byte) *Decoder { return &Decoder{data: data} }

// Fail has the decoder say that its data cannot be used.
func (d *Decoder) Fail() { d.data, d.bad = nil, true }

// OK reports whether all values were there.
func (d *Decoder) OK() bool { return !d.bad }

// Done reports whether all values were there, and nothing else.
func (d *Decoder) Done() bool { return !d.bad && len(d.data) == 0 }

// Uint reads a number of at most most.
func (d *Decoder) Uint(most uint64) uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 || n > most {
		d.Fail()
		return 0
	}
	d.data = d.data[size:]
	return n
}

// Count reads how many values follow, each of at least one byte.
func (d *Decoder) Count() int { return int(d.Uint(uint64(len(d.data)))) }

// Bool reads true or false.
func (d *Decoder) Bool() bool { return d.Uint(1) == 1 }

// Bytes reads bytes.
func (d *Decoder) Bytes() []byte {
	n := d.Count()
	if n > len(d.data) { // Count saw its own bytes, too
		d.Fail()
		return nil
	}
	b := d.data[:n:n]
	d.data = d.data[n:]
	return b
}

// Fixed reads bytes into to, all that it has room for.
func (d *Decoder) Fixed(to []byte) {
	if len(to) > len(d.data) {
		d.Fail()
		return
	}
	d.data = d.data[copy(to, d.data):]
}

// String reads a string. It is a part of the data.
func (d *Decoder) String() string {
	b := d.Bytes()
	return unsafe.String(unsafe.SliceData(b), len(b))
}
