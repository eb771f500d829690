package diskcache

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
)

// A Key makes fingerprints of bytes. It is kept beside them, out of the sight of
// whoever makes the bytes: without it nobody can make others of the same
// fingerprint. That is all that is asked of it, so it is a message authentication
// code (GMAC, NIST SP 800-38D), several times as fast as a hash that must hold
// without a secret.
type Key [16]byte

// A Fingerprint is that of some bytes under one key.
type Fingerprint [16]byte

// NewKey returns a key that nobody else has.
func NewKey() (k Key) {
	rand.Read(k[:])
	return k
}

// Of returns the fingerprint of data.
func (k Key) Of(data []byte) (f Fingerprint) {
	block, err := aes.NewCipher(k[:])
	if err != nil {
		panic(err) // the length of the key is right
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // so is that of the block
	}
	// One nonce is enough, as no fingerprint is ever shown to anybody.
	gcm.Seal(f[:0], make([]byte, gcm.NonceSize()), nil, data)
	return f
}
