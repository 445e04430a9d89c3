// The sample of the package, run.

package scope_test

import (
	"fmt"

	"repscope/latent/scope"
)

func ExampleMatch() {
	for _, path := range []string{"blocks.7", "blocks.7.attn", "norm"} {
		fmt.Println(path, scope.Match("blocks.*", path))
	}
	fmt.Println(scope.Around("blocks.7.attn"))
	// Output:
	// blocks.7 true
	// blocks.7.attn false
	// norm false
	// [blocks blocks.7 blocks.7.attn]
}
