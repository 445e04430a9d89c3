// The preprocessing of a file of transformers.

package picture_test

import (
	"fmt"

	"repscope/latent/picture"
)

func ExampleParse() {
	p, err := picture.Parse("preprocessor_config.json", []byte(`{
		"do_resize": true, "size": {"height": 224, "width": 224}, "resample": 3,
		"do_rescale": true, "rescale_factor": 0.00392156862745098,
		"do_normalize": true, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Height, p.Width, p.Mean, p.Std)
	// Output: 224 224 [0.5 0.5 0.5] [0.5 0.5 0.5]
}
