package command

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/apiskills/apiskills/framework"
	"github.com/spf13/cobra"
)

func (a *app) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show URI [DOC...]",
		Short: "Print the entry of a skill, as skills/get returns it",
		Long:  `show prints the entry of the skill whose SKILL.md has the URI, as indented JSON.`,
		Example: `  apiskills show skill://shop/orders/create-order/SKILL.md shop=openapi.yaml
  apiskills show skill://shop/shop-guide/SKILL.md`,
		Args: needURI,
		RunE: func(cmd *cobra.Command, args []string) error {
			catalog, err := a.catalog(cmd, args[1:])
			if err != nil {
				return err
			}
			entry, err := catalog.Get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			compact, err := entry.MarshalJSON()
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if err := json.Indent(&out, compact, "", "  "); err != nil {
				return err
			}
			out.WriteByte('\n')
			_, err = a.stdout.Write(out.Bytes())
			return err
		},
	}
	a.addDocumentFlags(cmd)
	return cmd
}

func (a *app) readCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "read URI [DOC...]",
		Short:   "Print a file of a skill, as resources/read returns it",
		Long:    `read prints the bytes of the file that has the URI, and nothing else.`,
		Example: `  apiskills read skill://shop/orders/create-order/SKILL.md shop=openapi.yaml`,
		Args:    needURI,
		RunE: func(cmd *cobra.Command, args []string) error {
			catalog, err := a.catalog(cmd, args[1:])
			if err != nil {
				return err
			}
			content, err := catalog.Read(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(content.Bytes)
			return err
		},
	}
	a.addDocumentFlags(cmd)
	return cmd
}

// catalog opens the documents of a command that asks for one URI.
func (a *app) catalog(cmd *cobra.Command, docs []string) (*framework.Catalog, error) {
	s, err := a.configure(cmd.Flags(), docs)
	if err != nil {
		return nil, err
	}
	catalog, _, err := a.open(cmd.Context(), s)
	return catalog, err
}

func needURI(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("no URI is given")
	}
	return nil
}
