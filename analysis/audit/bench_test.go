// How long an audit takes next to the bare search for the nearest training state of every test state.

package audit

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"repscope/neighbors"
	"repscope/points"
)

// BenchmarkAudit has ten times as many training as test frames of 64 × 64 bytes, in episodes of 100;
// REPSCOPE_BENCH_POINTS
// is the number of test frames.
func BenchmarkAudit(b *testing.B) {
	n := 500
	if text := os.Getenv("REPSCOPE_BENCH_POINTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	frames := make([]uint8, 11*n*pixels)
	for i := range frames {
		frames[i] = uint8(r.Uint32())
	}
	in := Input{States: points.Uint8(frames, pixels)}
	for i := range in.States.N {
		part := "train"
		if i >= 10*n {
			part = "test"
		}
		in.Episode, in.Split = append(in.Episode, i/100), append(in.Split, part)
	}
	b.Run("bare product", func(b *testing.B) {
		for b.Loop() {
			test, train := in.States.Range(10*n, 11*n), in.States.Range(0, 10*n)
			if _, err := neighbors.Cross(b.Context(), test, train, 1, neighbors.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("audit", func(b *testing.B) {
		for b.Loop() {
			if _, err := Analyze(b.Context(), in, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
