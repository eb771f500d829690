package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/spf13/cobra"
)

// directoryType is the MIME type of a directory.
const directoryType = "inode/directory"

func (a *app) lsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls URI [DOC...]",
		Short: "List a directory, as resources/directory/read does",
		Long: `ls prints the names of what is in the directory that has the URI, one a line,
those of directories with a slash at the end. The directory may be that of a
skill, one inside, or one above skills.`,
		Example: `  apiskills ls skill://shop shop=openapi.yaml
  apiskills ls skill://shop/orders/create-order shop=openapi.yaml --json`,
		Args: needURI,
		RunE: func(cmd *cobra.Command, args []string) error {
			catalog, err := a.catalog(cmd, args[1:])
			if err != nil {
				return err
			}
			// Names are printed with a slash, so it is taken with one.
			uri := args[0]
			if trimmed := strings.TrimSuffix(uri, "/"); !strings.HasSuffix(trimmed, "/") {
				uri = trimmed
			}
			var children []framework.Resource
			for cursor := ""; ; {
				page, err := catalog.ReadDirectory(cmd.Context(), uri, cursor)
				if err != nil {
					return err
				}
				children = append(children, page.Resources...)
				if cursor = page.NextCursor; cursor == "" {
					break
				}
			}
			if asJSON {
				return a.writeResources(children)
			}
			w := bufio.NewWriter(a.stdout)
			for _, r := range children {
				fmt.Fprintln(w, childName(r))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of resources, each as resources/directory/read has it")
	a.addDocumentFlags(cmd)
	return cmd
}

// childName is the last segment of a resource's URI, decoded.
func childName(r framework.Resource) string {
	name := r.URI[strings.LastIndexByte(r.URI, '/')+1:]
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	name = plain(name)
	if r.MIMEType == directoryType {
		name += "/"
	}
	return name
}

// writeResources writes a JSON array, a resource a line.
func (a *app) writeResources(list []framework.Resource) error {
	type resource struct {
		URI         string `json:"uri"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		MIMEType    string `json:"mimeType,omitempty"`
		Size        *int64 `json:"size,omitempty"`
	}
	w := bufio.NewWriter(a.stdout)
	w.WriteString("[\n")
	for i, r := range list {
		out := resource{URI: r.URI, Name: r.Name, Description: r.Description, MIMEType: r.MIMEType}
		if r.Size >= 0 {
			out.Size = &r.Size
		}
		line, err := json.Marshal(out)
		if err != nil {
			return err
		}
		w.Write(line)
		if i < len(list)-1 {
			w.WriteString(",")
		}
		w.WriteString("\n")
	}
	w.WriteString("]\n")
	return w.Flush()
}
