// Benchmarks on arrays in files, for scripts that measure peers on the same arrays.

package neighbors

import (
	"context"
	"math"
	"os"
	"strconv"
	"testing"

	"repscope/dataset"
	"repscope/points"
)

// filePoints reads an array of uint8 or float32 rows.
func filePoints(b *testing.B, path string) points.Points {
	b.Helper()
	a, err := dataset.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	var pts points.Points
	if a.DType() == dataset.Uint8 {
		data := make([]uint8, a.Len()*a.RowLen())
		err, pts = a.ReadUint8(data, 0, a.Len()), points.Uint8(data, a.RowLen())
	} else {
		data := make([]float32, a.Len()*a.RowLen())
		err, pts = a.ReadFloat32(data, 0, a.Len()), points.Float32(data, a.RowLen())
	}
	if err != nil {
		b.Fatal(err)
	}
	return pts
}

// setting is the number that an environment variable holds, 0 if it is not set.
func setting(b *testing.B, name string) int {
	b.Helper()
	text := os.Getenv(name)
	if text == "" {
		return 0
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return v
}

// BenchmarkFiles runs on the arrays named by REPSCOPE_BENCH_FRAMES and REPSCOPE_BENCH_LATENTS, within
// REPSCOPE_BENCH_MEMORY bytes (0: the default). It computes T and C for k = 5, 10, 20, or without latents the
// REPSCOPE_BENCH_NEIGHBORS nearest of every row, approximately if REPSCOPE_BENCH_APPROXIMATE is 1. Numbers of the
// result are reported with the time (the penalties at the largest k), so that a script can compare them with the
// peer's. benchmarks/peers/neighbors.py and approximate.py set the variables.
func BenchmarkFiles(b *testing.B) {
	frames := os.Getenv("REPSCOPE_BENCH_FRAMES")
	if frames == "" {
		b.Skip("REPSCOPE_BENCH_FRAMES is not set")
	}
	pts := filePoints(b, frames)
	o := Options{CoRanking: CoRankingOff, Memory: int64(setting(b, "REPSCOPE_BENCH_MEMORY"))}
	if latents := os.Getenv("REPSCOPE_BENCH_LATENTS"); latents != "" {
		embedded := []points.Points{filePoints(b, latents)}
		for b.Loop() {
			result, err := Compare(context.Background(), pts, embedded, o)
			if err != nil {
				b.Fatal(err)
			}
			last := result[0].ByK[len(result[0].ByK)-1]
			b.ReportMetric(float64(last.TrustPenalty), "trust-penalty")
			b.ReportMetric(float64(last.ContPenalty), "cont-penalty")
		}
		return
	}
	if setting(b, "REPSCOPE_BENCH_APPROXIMATE") == 1 {
		for b.Loop() {
			matches, err := KNearestApproximate(context.Background(), pts, setting(b, "REPSCOPE_BENCH_NEIGHBORS"), o, Approximation{Seed: 42})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(matches.Recall.Value, "recall")
		}
		return
	}
	for b.Loop() {
		nearest, err := KNearest(context.Background(), pts, setting(b, "REPSCOPE_BENCH_NEIGHBORS"), o)
		if err != nil {
			b.Fatal(err)
		}
		sum := 0.0
		for i := range nearest.N {
			sum += math.Log(nearest.Distance[i*nearest.K+1] / nearest.Distance[i*nearest.K])
		}
		b.ReportMetric(float64(nearest.N)/sum, "two-nn")
	}
}
