package command

import (
	"context"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
)

// Templates is the kind of folders with templates and records: a skill for each record.
func Templates() Kind {
	return NewKind("templates", "a folder of templates and records (skills.yaml): a skill for each record", struct{}{}, func(ctx context.Context, src *Source, _ struct{}) (framework.Generator, error) {
		src.Uses(src.Path)
		return templates.Load(ctx, src.Path, nil)
	})
}
