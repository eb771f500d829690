package templates

import "testing"

func TestEachPhraseCompiles(t *testing.T) {
	for i := range phrases {
		phrases[i].re() // panics if it does not
	}
}
