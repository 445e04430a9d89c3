// The worked example of the package comment.

package motion_test

import (
	"context"
	"fmt"
	"math"

	"repscope/measure/motion"
	"repscope/points"
	"repscope/stat"
)

// A point that goes round a circle in steps of 30 degrees.
func Example() {
	var circle []float64
	for t := range 48 {
		angle := float64(t) * math.Pi / 6
		circle = append(circle, math.Cos(angle), math.Sin(angle))
	}
	z := points.Float64(circle, 2)
	runs := motion.Runs(z.N, nil, nil)
	path := motion.NewPath(z)
	memory, err := path.Autocorrelation(context.Background(), runs, 12, nil, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	steps, turns := path.Steps(motion.Pairs(runs)), path.Turns(motion.Triples(runs))
	fmt.Printf("step %.3f, curvature %.1f°\n", stat.Mean(steps), stat.Mean(turns.Degrees))
	fmt.Printf("ρ(6) %.3f, ρ(12) %.3f\n", memory.Rho[6], memory.Rho[12])
	// Output:
	// step 0.518, curvature 30.0°
	// ρ(6) -0.875, ρ(12) 0.750
}
