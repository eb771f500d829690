package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, that of Go, and the protocol revisions spoken",
		Example: `  apiskills version`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, a.name+" %s\n%s %s/%s\nMCP %s\n",
				a.version, runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(mcp.ValidProtocolVersions, ", "))
			return err
		},
	}
}

// version returns the version of the module: that of a release, a
// pseudo-version, or "(devel)".
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
