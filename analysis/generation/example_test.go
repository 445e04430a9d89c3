// Grids of a generator that repeats itself.

package generation_test

import (
	"context"
	"fmt"

	"repscope/analysis/generation"
	"repscope/points"
)

// Eight grids of 2 × 4 cells: "varied" makes eight different ones, "collapsed" one grid eight times.
func ExampleAnalyze() {
	var varied, collapsed []uint8 // [8, 8]
	for i := range 8 {
		for cell := range 8 {
			on := uint8(0)
			if cell == i || cell == (i+3)%8 {
				on = 1
			}
			varied = append(varied, on)
			collapsed = append(collapsed, uint8(cell%2))
		}
	}
	samples := func(name string, cells []uint8) *generation.Samples {
		return &generation.Samples{Name: name, Rows: points.Uint8(cells, 8), Shape: []int{1, 2, 4}}
	}
	result, err := generation.Analyze(context.Background(), generation.Input{
		Generators: []generation.Generator{
			{Name: "varied", Generated: samples("varied", varied)},
			{Name: "collapsed", Generated: samples("collapsed", collapsed)},
		},
	}, generation.Options{Metrics: []string{"diversity"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Models {
		fmt.Printf("%s: %.3f of the cells differ, %d of %d grids are distinct\n", m.Name, m.Diversity.OverallMean.Float(), m.Diversity.Unique, m.Diversity.Generated)
	}
	// Output:
	// varied: 0.429 of the cells differ, 8 of 8 grids are distinct
	// collapsed: 0.000 of the cells differ, 1 of 8 grids are distinct
}
