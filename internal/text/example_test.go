// Examples of nearest names.

package text_test

import (
	"fmt"

	"repscope/internal/text"
)

func ExampleNearest() {
	names := []string{"frames", "episode", "observations"}
	fmt.Println(text.Nearest("farmes", names), text.Nearest("obs", names))
	fmt.Printf("%q\n", text.Nearest("latents", names))
	// Output:
	// frames observations
	// ""
}
