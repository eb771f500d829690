package replay

import (
	"regexp"

	"github.com/getkin/kin-openapi/openapi3"
)

// Some documents ask for the secret of a security scheme a second time, as a
// parameter or a field of a form of the operation: there it may travel, too.
var (
	secretName  = regexp.MustCompile(`(?i)^(x-)?((access|auth|api|oauth)[-_]?)?(token|key)$`)
	secretWords = regexp.MustCompile(`(?i)\b(authentication|authorization|auth|oauth|access|api|bearer|bot)[ -](token|key)\b`)
)

func asksForSecret(name, description string) bool {
	return secretName.MatchString(name) && secretWords.MatchString(description)
}

// furtherSecrets is the number of such parameters and fields of the operation, of
// the media type that has most.
func (o *operation) furtherSecrets() int {
	params, fields := 0, 0
	for _, p := range o.params {
		if secret(p) {
			params++
		}
	}
	if ref := o.op.RequestBody; ref != nil && ref.Value != nil {
		for _, media := range ref.Value.Content {
			if media == nil || media.Schema == nil || media.Schema.Value == nil {
				continue
			}
			n := 0
			for name, p := range media.Schema.Value.Properties {
				if p != nil && p.Value != nil && asksForSecret(name, p.Value.Description) {
					n++
				}
			}
			fields = max(fields, n)
		}
	}
	return params + fields
}

// secret reports whether a parameter is one.
func secret(p *openapi3.Parameter) bool { return p != nil && asksForSecret(p.Name, p.Description) }
