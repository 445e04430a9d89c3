// Intervals: their width, where there are none, and what they stay within.

package manifold

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
	"repscope/points"
	"repscope/stat"
)

func normal(n, dim int, seed uint64) points.Points {
	random := stat.NewRandom(stat.NewKey(seed))
	data := make([]float64, n*dim)
	for i := range data {
		data[i] = random.Normal()
	}
	return points.Float64(data, dim)
}

func analyzed(t *testing.T, o Options, models ...points.Points) *Result {
	t.Helper()
	var in Input
	for i, z := range models {
		in.Models = append(in.Models, Encoded{Name: string(rune('a' + i)), Latents: z})
	}
	result, err := Analyze(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Over samples of independent points, intervals are as wide as the estimates scatter:
// those of single deletions were nearly twice as wide.
func TestTwoNNIntervalsAreAsWideAsTheError(t *testing.T) {
	runtest.Long(t, "it simulates many recordings")
	t.Parallel()
	const samples = 40
	var logs, halves, independent []float64
	for s := range samples {
		m := analyzed(t, Options{Settings: analysis.Settings{Intervals: true}, GrideOrders: []int{}, Neighbors: []int{}}, normal(300, 2, uint64(100+s))).Models[0]
		logs = append(logs, math.Log(m.TwoNN.MLE.V))
		halves = append(halves, math.Log(m.TwoNN.MLEHalvesCI.High/m.TwoNN.MLEHalvesCI.Low)/2/2.001)
		independent = append(independent, math.Log(m.TwoNN.MLECI.High/m.TwoNN.MLECI.Low)/2/1.96)
	}
	spread := stat.StandardDeviation(logs)
	if width := stat.Mean(halves) / spread; width < 0.8 || width > 1.35 {
		t.Errorf("intervals are %v times as wide as the error", width)
	}
	if ratio := stat.Mean(halves) / stat.Mean(independent); ratio < 1.1 || ratio > 1.5 {
		t.Errorf("intervals are %v times as wide as those of independent ratios, want about 1.3", ratio)
	}
}

func TestEveryEstimateHasAnIntervalOrAReason(t *testing.T) {
	t.Parallel()
	result := analyzed(t, Options{Settings: analysis.Settings{Intervals: true, Seed: 2}}, normal(700, 6, 1), normal(700, 4, 2))
	m := result.Models[0]
	for name, ci := range map[string][2]float64{
		"participation ratio": {m.ParticipationRatio.CI.Low, m.ParticipationRatio.CI.High}, "corrected": {m.ParticipationRatioCorrected.CI.Low, m.ParticipationRatioCorrected.CI.High},
		"effective rank": {m.EffectiveRank.CI.Low, m.EffectiveRank.CI.High}, "singular": {m.EffectiveRankSingular.CI.Low, m.EffectiveRankSingular.CI.High},
		"RankMe": {m.RankMe.CI.Low, m.RankMe.CI.High}, "fit": {m.TwoNN.FitHalvesCI.Low, m.TwoNN.FitHalvesCI.High},
		"gride": {m.Gride[1].ID.CI.Low, m.Gride[1].ID.CI.High}, "levina–bickel": {m.LevinaBickel[0].ID.CI.Low, m.LevinaBickel[0].ID.CI.High},
	} {
		if !(ci[0] > 1 && ci[1] > ci[0] && ci[1] < 8) {
			t.Errorf("%s: interval %v", name, ci)
		}
	}
	if !(m.ParticipationRatioCorrected.V > m.ParticipationRatio.V) || !(m.EffectiveRankBias.V < 0) || !(m.RankMeBias.V < 0) || m.EffectiveRankSingular.V < m.EffectiveRank.V {
		t.Errorf("participation ratio %v, corrected %v, biases %v and %v", m.ParticipationRatio, m.ParticipationRatioCorrected, m.EffectiveRankBias, m.RankMeBias)
	}
	const scale = "halves of the latents have neighbors of orders above %d at a different scale"
	if m.Gride[2].ID.CI.Reason != fmt.Sprintf(scale, 5) || m.LevinaBickel[3].ID.CI.Reason != fmt.Sprintf(scale, 20) {
		t.Errorf("high orders: %+v, %+v", m.Gride[2], m.LevinaBickel[3])
	}
	if m.TwoNN.MLECIAssumes == "" || m.IntrinsicDimension.CI != m.TwoNN.MLEHalvesCI || !m.IntrinsicDimensionError.Defined() {
		t.Errorf("the interval of independent ratios is not named: %+v", m.TwoNN)
	}
	var metrics []string
	for _, c := range result.Comparisons {
		metrics = append(metrics, c.Metric)
		halved := c.Metric == "two_nn_mle" || c.Metric == "lb_mle@20"
		if c.Family != c.Metric || !(c.P.V < 0.01) || c.SignFlipP.Defined() == halved {
			t.Errorf("comparison %+v", c)
		}
	}
	want := []string{"participation_ratio_corrected", "effective_rank", "rankme", "two_nn_mle", "lb_mle@20"}
	if !slices.Equal(metrics, want) {
		t.Errorf("compared by %v, want %v", metrics, want)
	}
}

// Tiny sets have numbers and no intervals, with the reason; ranks are never below 1.
func TestIntervalsOfFewLatents(t *testing.T) {
	t.Parallel()
	for n, reason := range map[int]string{3: "3 blocks of 1 latent are too few", 5: "5 blocks of 1 latent are too few", 30: "30 latents are too few for an interval, want at least 40"} {
		m := analyzed(t, Options{Settings: analysis.Settings{Intervals: true, Block: stat.BlockSpec{Kind: stat.MovingBlocks, Length: 1}}}, normal(n, 3, 7)).Models[0]
		if !m.TwoNN.MLE.Defined() || m.TwoNN.MLEHalvesCI.Defined() || !strings.Contains(m.TwoNN.MLEHalvesCI.Reason, reason) {
			t.Errorf("%d latents: %v, %+v, want the reason %q", n, m.TwoNN.MLE, m.TwoNN.MLEHalvesCI, reason)
		}
		if m.ParticipationRatio.CI.Defined() != (n == 30) || m.EffectiveRank.CI.Defined() != (n == 30) {
			t.Errorf("%d latents: intervals %+v, %+v", n, m.ParticipationRatio.CI, m.EffectiveRank.CI)
		}
		if n == 3 && m.ParticipationRatioCorrected.Defined() {
			t.Errorf("three latents have a corrected participation ratio, %v", m.ParticipationRatioCorrected)
		}
	}
	// One direction with all the variance.
	z := normal(60, 5, 9)
	for i := range z.N {
		z.F64[5*i] *= 100
	}
	m := analyzed(t, Options{Settings: analysis.Settings{Intervals: true}}, z).Models[0]
	for name, low := range map[string]float64{"participation ratio": m.ParticipationRatio.CI.Low, "effective rank": m.EffectiveRank.CI.Low, "corrected": m.ParticipationRatioCorrected.CI.Low} {
		if low < min(1, m.ParticipationRatioCorrected.V) {
			t.Errorf("%s: the interval begins at %v", name, low)
		}
	}
	in := Input{Episode: make([]int, 60), Models: []Encoded{{Name: "a", Latents: z}}}
	for i := range in.Episode {
		in.Episode[i] = i / 20
	}
	result, err := Analyze(t.Context(), in, Options{Settings: analysis.Settings{Intervals: true, Block: stat.BlockSpec{Kind: stat.EpisodeBlocks}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Models[0].ParticipationRatio.CI.Reason; got != "3 episodes are too few for an interval, want at least 5" {
		t.Errorf("three episodes: %q", got)
	}
}

// A collapsed model has no direction alive; one far from the origin has its dimension.
func TestCollapsedAndFarLatents(t *testing.T) {
	t.Parallel()
	flat := points.Float32(slices.Repeat([]float32{3.25, 0.1}, 100), 2)
	m := analyzed(t, Options{Settings: analysis.Settings{Intervals: true}}, flat).Models[0]
	if m.DeadDims != 2 || m.Dims90.Defined() || m.Dims99.Reason != "the points are constant" {
		t.Errorf("constant latents: %d dead dimensions, 90 %% %v", m.DeadDims, m.Dims90)
	}
	near := normal(400, 12, 3)
	far := points.Float64(slices.Clone(near.F64), 12)
	for i := range far.F64 {
		near.F64[i] *= 0.3
		far.F64[i] = near.F64[i] + 1e7
	}
	result := analyzed(t, Options{Settings: analysis.Settings{Intervals: true}}, near, far)
	a, b := result.Models[0], result.Models[1]
	if math.Abs(a.ParticipationRatio.V-b.ParticipationRatio.V) > 1e-6 || math.Abs(a.ParticipationRatioCorrected.V-b.ParticipationRatioCorrected.V) > 1e-6 ||
		math.Abs(a.TwoNN.MLE.V-b.TwoNN.MLE.V) > 1e-5 || math.Abs(a.EffectiveRank.CI.Low-b.EffectiveRank.CI.Low) > 1e-5 {
		t.Errorf("far from the origin %v, %v, %v, near it %v, %v, %v", b.ParticipationRatio, b.ParticipationRatioCorrected, b.TwoNN.MLE, a.ParticipationRatio, a.ParticipationRatioCorrected, a.TwoNN.MLE)
	}
	for i := range far.F64 {
		far.F64[i] = near.F64[i]*1e-9 + 1e7
	}
	if m := analyzed(t, Options{}, far).Models[0]; !strings.Contains(m.ParticipationRatio.Reason, "are constant up to rounding: their spread is") && m.ParticipationRatio.Reason != "the points are constant" {
		t.Errorf("below the resolution: %+v", m.ParticipationRatio)
	}
}

// Fewer latents than dimensions: the same numbers as with the dimensions turned away.
func TestFewerLatentsThanDimensions(t *testing.T) {
	t.Parallel()
	const n, few, many = 80, 6, 200
	small, wide := normal(n, few, 4), make([]float64, n*many)
	for i := range n {
		for k := range few {
			// Orthogonal directions of length 1 over many coordinates.
			for c := range many / few {
				wide[i*many+c*few+k] = small.F64[i*few+k] / math.Sqrt(float64(many/few))
			}
		}
	}
	result := analyzed(t, Options{Settings: analysis.Settings{Intervals: true}}, small, points.Float64(wide, many))
	a, b := result.Models[0], result.Models[1]
	for name, pair := range map[string][2]float64{
		"participation ratio": {a.ParticipationRatio.V, b.ParticipationRatio.V}, "corrected": {a.ParticipationRatioCorrected.V, b.ParticipationRatioCorrected.V},
		"its interval":   {a.ParticipationRatioCorrected.CI.Low, b.ParticipationRatioCorrected.CI.Low},
		"effective rank": {a.EffectiveRank.V, b.EffectiveRank.V}, "rank interval": {a.EffectiveRank.CI.Low, b.EffectiveRank.CI.Low},
		"stable rank": {a.StableRank.V, b.StableRank.V}, "mle": {a.TwoNN.MLE.V, b.TwoNN.MLE.V},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9*math.Abs(pair[0]) {
			t.Errorf("%s: %v and %v", name, pair[0], pair[1])
		}
	}
	if len(b.Eigenvalues) != many || b.Eigenvalues[few] > 1e-12 || b.Dims99 != a.Dims99 {
		t.Errorf("%d eigenvalues, the seventh %v", len(b.Eigenvalues), b.Eigenvalues[few])
	}
}

// The interval of the corrected participation ratio ends at the number of dimensions, or
// at the estimate where that is beyond, and at 1.
func TestCorrectedRatioStaysWithin(t *testing.T) {
	t.Parallel()
	const n, dim = 40, 30
	result := analyzed(t, Options{Settings: analysis.Settings{Intervals: true, Block: stat.BlockSpec{Kind: stat.MovingBlocks, Length: 4}}}, normal(n, dim, 1))
	m := result.Models[0]
	most := max(dim, m.ParticipationRatioCorrected.V)
	if ci := m.ParticipationRatioCorrected.CI; !ci.Defined() || ci.Low < 1 || ci.High != most {
		t.Errorf("corrected participation ratio %v in %v, want an interval up to %v", m.ParticipationRatioCorrected, ci, most)
	}
}
