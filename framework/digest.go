package framework

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A Digest is the SHA-256 of a file's raw bytes (Skills extension, "Integrity
// and Verification").
type Digest [sha256.Size]byte

const digestPrefix = "sha256:"

// DigestOf returns the digest of content.
func DigestOf(content []byte) Digest { return sha256.Sum256(content) }

// String returns "sha256:" and 64 lowercase hexadecimal characters.
func (d Digest) String() string { return digestPrefix + hex.EncodeToString(d[:]) }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It accepts only the form
// that String returns.
func (d *Digest) UnmarshalText(text []byte) error {
	s, ok := strings.CutPrefix(string(text), digestPrefix)
	if !ok || len(s) != 2*len(d) || strings.ToLower(s) != s {
		return fmt.Errorf("digest %.80q is not of the form sha256:{64 lowercase hexadecimal characters}", text)
	}
	if _, err := hex.Decode(d[:], []byte(s)); err != nil {
		return fmt.Errorf("digest %.80q: %w", text, err)
	}
	return nil
}
