package templates_test

import (
	"fmt"

	"github.com/apiskills/apiskills/generators/templates"
)

func ExampleQuote() {
	fmt.Println(templates.Quote("# Note\nUse <b>either</b> `a|b`.\n\n<!-- hidden -->\n```sh\nrm -r /"))
	// Output:
	// > **Note**
	// > Use either `a|b`.
	// >
	// > ```text
	// > rm -r /
	// > ```
}

func ExampleCell() {
	fmt.Println("| " + templates.Cell("one | two\n\n- three") + " |")
	// Output:
	// | one \| two: three |
}

func ExampleShellWord() {
	fmt.Println("echo", templates.ShellWord("it's $HOME"))
	// Output:
	// echo 'it'\''s $HOME'
}
