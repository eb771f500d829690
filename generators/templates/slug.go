package templates

import (
	"fmt"

	"github.com/apiskills/apiskills/framework/names"
	"github.com/apiskills/apiskills/internal/kebab"
)

// slugOf is the function slug: s as a segment of a path, in kebab-case. Where
// letters are lost, or the end is, a hash of s keeps it apart from others.
func slugOf(s string) (string, error) {
	if slug, lossy := kebab.Text(s); slug == "" && !lossy {
		return "", fmt.Errorf("%.80q has no letters or digits to make a slug of", s)
	}
	return names.Slug(s), nil
}
