// Numbers as text.

package plots_test

import (
	"fmt"

	"repscope/plots"
)

func ExampleNumber() {
	fmt.Println(plots.Number(0.93117, 3), plots.Number(-0.000012, 2), plots.Number(1234, 3))
	// Output: 0.931 −1.2×10^{−5} 1230
}
