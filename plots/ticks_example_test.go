// Our tick rules in a plot of gonum's.

package plots_test

import (
	"fmt"

	"gonum.org/v1/plot"

	"repscope/plots"
)

// The labels of a log axis, of given places, and the place of a value on the axis.
func ExampleLogTicks() {
	p := plot.New()
	p.X.Scale = plots.LogScale{}
	for _, p.X.Tick.Marker = range []plot.Ticker{plots.LogTicks{Most: 4}, plots.FixedTicks{1, 2.5, 40}} {
		var labels []string
		for _, tick := range p.X.Tick.Marker.Ticks(1, 100) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		fmt.Println(labels)
	}
	fmt.Println(p.X.Scale.Normalize(1, 100, 10), p.X.Scale.Normalize(1, 100, 0) < 0)
	// Output:
	// [1 10 100]
	// [1 2.5 40]
	// 0.5 true
}
