package printable

import (
	"fmt"
	"strings"
)

// limit is the length from which Shorten cuts, in bytes.
const limit = 200

// Shorten returns s in a form that is safe to put into a message: about 200 bytes
// at most, and nothing but printable ASCII without spaces, the rest
// percent-encoded.
func Shorten(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if b.Len() >= limit {
			fmt.Fprintf(&b, "... (%d bytes)", len(s))
			break
		}
		if c := s[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
