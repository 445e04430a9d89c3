// Precisions of products on GPUs.

package cuda_test

import (
	"fmt"

	"repscope/model/cuda"
)

// Products of GPUs are of TF32 by default; fp32 gives the numbers of the processor except for rounding.
func ExampleParsePrecision() {
	for _, text := range []string{"", "fp32"} {
		p, err := cuda.ParsePrecision(text)
		fmt.Println(p, err)
	}
	fmt.Println(cuda.Precisions())
	// Output:
	// tf32 <nil>
	// fp32 <nil>
	// [tf32 fp32 bf16]
}
