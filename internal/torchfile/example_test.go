// Example of reading a published dataset.

package torchfile_test

import (
	"fmt"

	"repscope/internal/torchfile"
)

func ExampleOpen() {
	file, err := torchfile.Open("testdata/experience.pth")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	split, _ := file.Root().(*torchfile.Dict).Get("val_dataset")
	states, _ := split.(*torchfile.Object).Attribute("states")
	frames := states.(*torchfile.Tensor)
	values, err := frames.Float32()
	fmt.Println(frames.DType, frames.Shape, len(values), err)
	// Output: float32 [1 12 5 4] 240 <nil>
}
