package openapi

import (
	"context"

	"github.com/apiskills/apiskills/framework"
)

// Templates implements framework.Templater: the path of each skill but the guide
// is that of a group and a name.
func (g *Generator) Templates(context.Context) ([]framework.Template, error) {
	return []framework.Template{{
		Path: "{group}/{name}",
		Name: g.API(),
		Description: "The skill of one operation of the API " + g.API() +
			". The group is its first tag or a part of its path; the guide has both.",
	}}, nil
}
