// The worked example of the package.

package report_test

import (
	"fmt"
	"os"

	"repscope/report"
)

func ExampleEncode() {
	type model struct {
		Slope   report.Value    `json:"slope"`
		SlopeCI report.Interval `json:"slope_ci"`
		PValue  report.Value    `json:"p_value"`
		Pairs   int             `json:"pairs"`
	}
	var models report.Object
	models.Set("jepa", model{report.Number(0.013), report.Between(0.011, 0.016), report.Number(1e-12), 5976})
	models.Set("constant", model{report.Number(0), report.NoInterval("the latents are constant"), report.Undefined("the latents are constant"), 5976})
	if err := report.Encode(os.Stdout, models); err != nil {
		panic(err)
	}
	// Output:
	// {
	//   "jepa": {
	//     "slope": 0.013,
	//     "slope_ci": [0.011, 0.016],
	//     "p_value": 1e-12,
	//     "pairs": 5976
	//   },
	//   "constant": {
	//     "slope": 0,
	//     "slope_ci": null,
	//     "p_value": null,
	//     "pairs": 5976,
	//     "reason": "the latents are constant"
	//   }
	// }
}

func ExampleRead() {
	result, err := report.Read("testdata/smoothness.json")
	if err != nil {
		panic(err)
	}
	model, err := result.Model("jepa")
	if err != nil {
		panic(err)
	}
	slope, err := model.Number("slope")
	if err != nil {
		panic(err)
	}
	interval, err := model.Interval("slope_ci")
	fmt.Println(result.Analysis, result.Models.Keys(), slope.Defined(), interval.Low < slope.V && slope.V < interval.High, err)
	// Output: smoothness [jepa encoder_decoder random pca] true true <nil>
}
