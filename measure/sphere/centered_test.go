// Tests of the centered uniformity against the directions from the mean of what is left.

package sphere

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/measure/measuretest"
	"repscope/points"
	"repscope/stat"
)

// fromMean is the uniformity about the mean of points, by its definition.
func fromMean(z points.Points) float64 {
	u := make([][]float64, z.N)
	mean := make([]float64, z.Dim)
	for i := range u {
		u[i] = slices.Clone(z.Row(i, nil))
		for k, v := range u[i] {
			mean[k] += v / float64(z.N)
		}
	}
	sum := 0.0
	for i := range u {
		length := 0.0
		for k := range u[i] {
			u[i][k] -= mean[k]
			length += u[i][k] * u[i][k]
		}
		for k := range u[i] {
			u[i][k] /= math.Sqrt(length)
		}
		for j := range i {
			square := 0.0
			for k, v := range u[i] {
				square += (v - u[j][k]) * (v - u[j][k])
			}
			sum += math.Exp(-2 * square)
		}
	}
	return math.Log(sum / (float64(z.N) * float64(z.N-1) / 2))
}

func TestCenteredUniformity(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(6, 1))
	const n, dim, count = 480, 5, 40
	z := measuretest.Normal(random, n, dim)
	for i := range z.F64 { // skewed, so that the center matters, and far from the origin
		z.F64[i] = math.Exp(z.F64[i]*0.8) + 7
	}
	blocks, err := stat.NewBlocks(n, nil, stat.BlockSpec{Kind: stat.MovingBlocks, Length: n / count})
	if err != nil {
		t.Fatal(err)
	}
	value, without, err := CenteredUniformity(t.Context(), z, blocks, 2)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "uniformity about the mean", value, fromMean(z), 1e-10)
	exact := make([]float64, count)
	for b := range exact {
		var rest []int
		for i, label := range blocks.Labels() {
			if label != b {
				rest = append(rest, i)
			}
		}
		exact[b] = fromMean(z.Select(rest))
		if d := math.Abs(without[b] - exact[b]); d > 0.1*math.Abs(exact[b]-value)+2e-4 {
			t.Errorf("without block %d: %v, want %v (all %v)", b, without[b], exact[b], value)
		}
	}
	if r := stat.StandardDeviation(without) / stat.StandardDeviation(exact); r < 0.97 || r > 1.03 {
		t.Errorf("deletions spread %v times as far as about their own means", r)
	}
	again, one, err := CenteredUniformity(t.Context(), z, blocks, 1)
	if err != nil || again != value || !slices.Equal(one, without) {
		t.Errorf("1 and 2 threads differ: %v", err)
	}

	// An offset and a scale change nothing; the plain uniformity of points far away is 0.
	far := make([]float64, len(z.F64))
	for i, v := range z.F64 {
		far[i] = 3*v + 1000
	}
	moved, _, err := CenteredUniformity(t.Context(), points.Float64(far, dim), nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	measuretest.Near(t, "after an offset", moved, value, 1e-9)
	if _, _, err := CenteredUniformity(t.Context(), points.Float64([]float64{-1, 0, 1}, 1), nil, 1); stat.Reason(err) != "1 "+
		"of 3 latents equal the mean and have no direction from it" {
		t.Errorf("a point at the mean: %v", err)
	}
}
