// How long the scores take.

package fidelity_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"repscope/measure/fidelity"
)

// BenchmarkPRDC is precision, recall, density and coverage at k = 3, 5 and 10 of as many generated as real points of
// dimension 512 in float32; REPSCOPE_BENCH_POINTS says how many, 50,000 in the documentation.
func BenchmarkPRDC(b *testing.B) {
	n := 4000
	if text := os.Getenv("REPSCOPE_BENCH_POINTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	x, y := as("float32", normals(n, 512, 0, 1), 0), as("float32", normals(n, 512, 0.05, 2), 0)
	for _, halved := range []bool{false, true} {
		b.Run(fmt.Sprintf("halves=%v", halved), func(b *testing.B) {
			o := fidelity.Options{}
			if halved {
				o.Halves = halvesOf(b, n, n)
			}
			for b.Loop() {
				if _, err := fidelity.PRDC(context.Background(), x, y, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
