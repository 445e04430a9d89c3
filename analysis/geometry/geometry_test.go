package geometry

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"repscope/internal/kernel"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

type golden struct {
	X, Y             []float64
	Labels, Other    []int64
	Episode          []int
	Silhouettes      []float64
	Silhouette       float64
	DaviesBouldin    float64 `json:"davies_bouldin"`
	CalinskiHarabasz float64 `json:"calinski_harabasz"`
	NMI, AMI, ARI    float64
	Inertia          map[int]float64
	Consistency      []struct {
		K                int
		Accuracy, Purity float64
	}
	Uniformity                   float64
	UniformityWithoutLastEpisode float64 `json:"uniformity_without_last_episode"`
	Alignment                    float64
	Similarity                   goldenSimilarity
	SimilarityWithoutLastEpisode goldenSimilarity `json:"similarity_without_last_episode"`
	Autocorrelation              []float64
	Steps                        struct {
		Mean, SD, P95 float64
		RelativeMean  float64 `json:"relative_mean"`
	}
	Straightness     float64
	CurvatureDegrees float64 `json:"curvature_degrees"`
}

type goldenSimilarity struct {
	CKA         float64
	CKADebiased float64 `json:"cka_debiased"`
	Procrustes  float64
	RSA         float64
}

func readGolden(t *testing.T) (g golden, x, y points.Points) {
	t.Helper()
	data, err := os.ReadFile("../../measure/testdata/geometry.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g, points.Float64(g.X, 6), points.Float64(g.Y, 4)
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", name, got, want)
	}
}

// The numbers of measure/testdata/geometry.json, by numpy, scipy and scikit-learn.
func TestAnalyzeMatchesReference(t *testing.T) {
	g, x, y := readGolden(t)
	in := Input{Episode: g.Episode, Labels: g.Labels, Models: []Encoded{{Name: "x", Latents: x}, {Name: "y", Latents: y}}}
	result, err := Analyze(t.Context(), in, Options{
		Clusters: []int{2, 3, 4, 8}, Neighbors: []int{1, 5, 20}, Lags: 20,
		Bootstrap: 100, Block: stat.BlockSpec{Kind: stat.EpisodeBlocks}, Seed: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Models[0]
	near(t, "uniformity", m.Uniformity.Float(), g.Uniformity)
	near(t, "alignment", m.Alignment.Float(), g.Alignment)
	near(t, "silhouette", m.Groupings[0].Silhouette.Float(), g.Silhouette)
	for i, want := range g.Silhouettes {
		near(t, "silhouette of a point", m.SilhouetteOf[0][i], want)
	}
	near(t, "Davies–Bouldin", m.Groupings[0].DaviesBouldin.Float(), g.DaviesBouldin)
	near(t, "Calinski–Harabasz", m.Groupings[0].CalinskiHarabasz.Float(), g.CalinskiHarabasz)
	for _, grouping := range m.Groupings[1:] {
		if got, want := grouping.KMeans.Inertia, g.Inertia[grouping.Groups]; got > want*(1+1e-9) {
			t.Errorf("k-means with %d clusters: inertia %v, scikit-learn finds %v", grouping.Groups, got, want)
		}
	}
	for i, want := range g.Consistency {
		got := m.LabelConsistency[i]
		near(t, "label accuracy", got.Accuracy.Float(), want.Accuracy)
		near(t, "label purity", got.Purity.Float(), want.Purity)
	}
	for lag, want := range g.Autocorrelation {
		near(t, "autocorrelation", m.Temporal.Autocorrelation[lag].Rho.Float(), want)
	}
	near(t, "mean step", m.Temporal.Steps.Mean.Float(), g.Steps.Mean)
	near(t, "SD of steps", m.Temporal.Steps.SD.Float(), g.Steps.SD)
	near(t, "95th percentile of steps", m.Temporal.Steps.P95.Float(), g.Steps.P95)
	near(t, "relative step", m.Temporal.Steps.Relative.Float(), g.Steps.RelativeMean)
	near(t, "straightness", m.Temporal.Straightness.Cosine.Float(), g.Straightness)
	near(t, "curvature", m.Temporal.Straightness.Curvature.Float(), g.CurvatureDegrees)
	for _, of := range []int{0, 1} {
		row := result.similarity(of, []string{"y", "x"}[of])
		near(t, "CKA", row.CKA.Float(), g.Similarity.CKA)
		near(t, "debiased CKA", row.CKADebiased.Float(), g.Similarity.CKADebiased)
		near(t, "Procrustes", row.Procrustes.Float(), g.Similarity.Procrustes)
		near(t, "RSA", row.RSA.Float(), g.Similarity.RSA)
	}
	for name, ci := range map[string]report.Interval{
		"uniformity": m.UniformityCI, "alignment": m.AlignmentCI, "silhouette": m.Groupings[0].SilhouetteCI, "NMI": m.Groupings[1].Agreement.NMICI,
		"accuracy": m.LabelConsistency[1].AccuracyCI, "τ": m.Temporal.TauCI, "ρ(1)": m.Temporal.Autocorrelation[1].RhoCI,
		"step": m.Temporal.Steps.RelativeCI, "straightness": m.Temporal.Straightness.CosineCI,
		"CKA": result.similarity(0, "y").CKACI, "Procrustes": result.similarity(0, "y").ProcrustesCI, "RSA": result.similarity(0, "y").RSACI,
	} {
		if !ci.Defined() {
			t.Errorf("%s has no interval: %s", name, ci.Reason)
		}
	}
}

func TestAgreementMatchesReference(t *testing.T) {
	g, _, _ := readGolden(t)
	a, b := NewPartition(g.Labels), NewPartition(g.Other)
	for name, f := range map[string]struct {
		of   func(a, b Partition) (float64, error)
		want float64
	}{"NMI": {NMI, g.NMI}, "AMI": {AMI, g.AMI}, "ARI": {ARI, g.ARI}} {
		for _, order := range [][2]Partition{{a, b}, {b, a}} {
			got, err := f.of(order[0], order[1])
			if err != nil {
				t.Fatal(err)
			}
			near(t, name, got, f.want)
		}
		if got, _ := f.of(a, a); math.Abs(got-1) > 1e-12 {
			t.Errorf("%s of a partition with itself is %v", name, got)
		}
		one := NewPartition(make([]int64, len(g.Labels)))
		if got, _ := f.of(one, one); got != 1 {
			t.Errorf("%s of one group with itself is %v", name, got)
		}
		if got, _ := f.of(one, a); math.Abs(got) > 1e-12 {
			t.Errorf("%s of one group with several is %v, want 0", name, got)
		}
	}
	if _, err := NMI(a, NewPartition([]int64{1})); err == nil {
		t.Error("partitions of different points were compared")
	}
}

// Values without a block equal those of the points that remain.
func TestDeletedBlocksMatchReference(t *testing.T) {
	g, x, y := readGolden(t)
	start := []int{0, 40, 70, 90}
	spaces := []space{newSpace(widened(x).centred(), start), newSpace(widened(y).centred(), start)}
	get := func(a, b space) products {
		p, err := between(a, b, true)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	xy, xx, yy := get(spaces[0], spaces[1]), get(spaces[0], spaces[0]), get(spaces[1], spaces[1])
	want := g.SimilarityWithoutLastEpisode
	near(t, "CKA", alignmentOf(xy.biased[3], xx.biased[3], yy.biased[3]), want.CKA)
	near(t, "debiased CKA", alignmentOf(xy.unbiased[3], xx.unbiased[3], yy.unbiased[3]), want.CKADebiased)
	near(t, "Procrustes", procrustes(xy.nuclear[3], xy.xTotal[3], xy.yTotal[3]), want.Procrustes)

	pairs, err := drawPairs(x.N, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	ranks, err := rsa(t.Context(), []matrix{widened(x), widened(y)}, pairs, g.Episode, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "RSA", ranks.without[0][2], want.RSA)

	u, err := widened(x).unit()
	if err != nil {
		t.Fatal(err)
	}
	_, without, err := uniformity(t.Context(), u, []int{40, 30, 20}, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "uniformity", without[2], g.UniformityWithoutLastEpisode)

	block := g.Episode
	all, err := autocorrelate(t.Context(), widened(x).centred(), runs(x.N, g.Episode, nil), 5, block, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	// The mean stays that of all points, so the rest is not centred again.
	rest := widened(x).centred()
	rest = matrix{n: 70, dim: 6, data: rest.data[:70*6]}
	part, err := autocorrelate(t.Context(), rest, runs(70, g.Episode[:70], nil), 5, nil, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for lag := range 6 {
		near(t, "autocorrelation", all.without[2][lag], part.rho[lag])
	}
}

// One coordinate has the autocorrelation and the time of package stat.
func TestAutocorrelationOfOneCoordinate(t *testing.T) {
	g, x, _ := readGolden(t)
	series := make([]float64, x.N)
	for i := range series {
		series[i] = x.F64[i*6]
	}
	smooth := slices.Clone(series)
	for i := 1; i < len(smooth); i++ {
		smooth[i] = 0.7*smooth[i-1] + series[i]
	}
	want, err := stat.Autocorrelation(smooth, g.Episode, 10)
	if err != nil {
		t.Fatal(err)
	}
	tau, err := stat.IntegratedAutocorrelationTime(smooth, g.Episode)
	if err != nil {
		t.Fatal(err)
	}
	got, err := autocorrelate(t.Context(), matrix{n: x.N, dim: 1, data: slices.Clone(smooth)}.centred(), runs(x.N, g.Episode, nil), 10, nil, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for lag := range want {
		near(t, "ρ", got.rho[lag], want[lag])
	}
	near(t, "τ", got.tau, tau.Tau)
	if got.window != tau.Window || got.converged != tau.Converged {
		t.Errorf("window %d, converged %v, want %d, %v", got.window, got.converged, tau.Window, tau.Converged)
	}
}

func randomPoints(random *rand.Rand, n, dim int) points.Points {
	data := make([]float64, n*dim)
	for i := range data {
		data[i] = random.NormFloat64()
	}
	return points.Float64(data, dim)
}

func times(p points.Points, m mat.Matrix, scale, shift float64) points.Points {
	var out mat.Dense
	out.Mul(mat.NewDense(p.N, p.Dim, p.F64), m)
	_, dim := out.Dims()
	data := out.RawMatrix().Data
	for i := range data {
		data[i] = scale*data[i] + shift
	}
	return points.Float64(data, dim)
}

func rotation(random *rand.Rand, dim int) mat.Matrix {
	var qr mat.QR
	var q mat.Dense
	qr.Factorize(mat.NewDense(dim, dim, randomPoints(random, dim, dim).F64))
	qr.QTo(&q)
	return &q
}

// Rotation, isotropic scale and translation, and the order of the points, change
// nothing that they should not.
func TestInvariances(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n, dim := rapid.IntRange(12, 130).Draw(rt, "n"), rapid.IntRange(2, 7).Draw(rt, "dim")
		x, y := randomPoints(random, n, dim), randomPoints(random, n, rapid.IntRange(2, 7).Draw(rt, "other"))
		labels := make([]int64, n)
		for i := range labels {
			labels[i] = int64(random.IntN(3))
		}
		labels[0], labels[1] = 0, 1
		turned := times(x, rotation(random, dim), 2.5, 0)
		moved := times(x, rotation(random, dim), 0.3, 4)
		perm := random.Perm(n)
		check := func(name string, got, want float64) {
			if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
				rt.Fatalf("%s changed from %v to %v", name, want, got)
			}
		}
		must := func(v float64, err error) float64 {
			if err != nil {
				rt.Fatal(err)
			}
			return v
		}
		ctx := t.Context()
		check("uniformity", must(Uniformity(ctx, turned, 1)), must(Uniformity(ctx, x, 2)))
		check("uniformity", must(Uniformity(ctx, x.Select(perm), 1)), must(Uniformity(ctx, x, 2)))
		p := NewPartition(labels)
		before, err := Silhouette(ctx, x, p, 1)
		if err != nil {
			rt.Fatal(err)
		}
		after, _ := Silhouette(ctx, moved, p, 2)
		permuted, _ := Silhouette(ctx, x.Select(perm), NewPartition(at(labels, perm)), 2)
		for i := range before {
			check("silhouette", after[i], before[i])
			check("silhouette", permuted[i], before[perm[i]])
		}
		check("Davies–Bouldin", must(DaviesBouldin(moved, p)), must(DaviesBouldin(x, p)))
		check("Calinski–Harabasz", must(CalinskiHarabasz(moved, p)), must(CalinskiHarabasz(x, p)))

		similarity := func(a, b points.Points) Similarity {
			s, err := Compare(a, b)
			if err != nil {
				rt.Fatal(err)
			}
			return s
		}
		self := similarity(x, moved)
		check("CKA", self.CKA, 1)
		check("debiased CKA", self.CKADebiased, 1)
		check("Procrustes", self.Procrustes, 0)
		padded := newMatrix(n, dim+2)
		for i := range n {
			copy(padded.row(i), x.F64[i*dim:(i+1)*dim])
		}
		check("Procrustes in more dimensions", similarity(x, points.Float64(padded.data, dim+2)).Procrustes, 0)
		plain, both := similarity(x, y), similarity(moved.Select(perm), y.Select(perm))
		check("CKA", both.CKA, plain.CKA)
		check("debiased CKA", both.CKADebiased, plain.CKADebiased)
		check("Procrustes", both.Procrustes, plain.Procrustes)
		check("Procrustes", similarity(y, x).Procrustes, plain.Procrustes)
	})
}

func TestSilhouetteOfSpecialGroups(t *testing.T) {
	// Two duplicates, a point alone, and another group.
	x := points.Float64([]float64{0, 0, 5, 9, 10}, 1)
	s, err := Silhouette(t.Context(), x, NewPartition([]int64{4, 4, -1, 8, 8}), 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 1, 0, 0.75, 0.8}, s); diff != "" {
		t.Error(diff)
	}
	// Equal points in two groups: a = b = 0.
	if s, err = Silhouette(t.Context(), points.Float64([]float64{3, 3, 3, 3}, 1), NewPartition([]int64{0, 0, 1, 1}), 1); err != nil || slices.Max(s) != 0 || slices.Min(s) != 0 {
		t.Errorf("duplicates in two groups: %v, %v", s, err)
	}
	for name, labels := range map[string][]int64{"in one group": {1, 1, 1, 1, 1}, "a group of its own": {1, 2, 3, 4, 5}, "2 labels for 5": {1, 2}} {
		for _, f := range []func(points.Points, Partition) (float64, error){DaviesBouldin, CalinskiHarabasz, func(x points.Points, p Partition) (float64, error) {
			_, err := Silhouette(t.Context(), x, p, 0)
			return 0, err
		}} {
			if _, err := f(x, NewPartition(labels)); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v, want one containing %q", err, name)
			}
		}
	}
	twins := NewPartition([]int64{0, 1, 0, 1, 1})
	if _, err := DaviesBouldin(points.Float64([]float64{-1, -1, 1, 1, 0}, 1), twins); err == nil || !strings.Contains(err.Error(), "same centroid") {
		t.Errorf("groups of one centroid: %v", err)
	}
	if _, err := CalinskiHarabasz(points.Float64([]float64{2, 5, 2, 5, 5}, 1), twins); err == nil || !strings.Contains(err.Error(), "no spread") {
		t.Errorf("groups without spread: %v", err)
	}
}

// The block pass equals the plain double loop where products cancel: clusters far
// from the origin and close together.
func TestSilhouetteFarFromTheOrigin(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	n, dim := 300, 3
	x := randomPoints(random, n, dim)
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(i % 3)
		for k := range dim {
			x.F64[i*dim+k] = 1e6*float64(1+i%3/2) + 1e-3*float64(i%3) + 1e-4*x.F64[i*dim+k]
		}
	}
	p := NewPartition(labels)
	got, err := Silhouette(t.Context(), x, p, 2)
	if err != nil {
		t.Fatal(err)
	}
	// Moving the points to their mean rounds their coordinates, by 1e-10 of 1e-4.
	for i, want := range plainSilhouette(x, p) {
		if math.Abs(got[i]-want) > 1e-5 {
			t.Fatalf("point %d: %v, want %v", i, got[i], want)
		}
	}
}

// plainSilhouette is the definition, distance by distance.
func plainSilhouette(x points.Points, p Partition) []float64 {
	out := make([]float64, x.N)
	for i := range x.N {
		mean := make([]float64, p.Groups())
		for j := range x.N {
			size := p.Sizes[p.Of[j]]
			if p.Of[j] == p.Of[i] {
				size--
			}
			if i != j {
				mean[p.Of[j]] += math.Sqrt(squaredDistance(x.F64[i*x.Dim:(i+1)*x.Dim], x.F64[j*x.Dim:(j+1)*x.Dim])) / float64(size)
			}
		}
		b := math.Inf(1)
		for g, m := range mean {
			if g != p.Of[i] {
				b = min(b, m)
			}
		}
		if a := mean[p.Of[i]]; p.Sizes[p.Of[i]] > 1 && max(a, b) > 0 {
			out[i] = (b - a) / max(a, b)
		}
	}
	return out
}

// Several tiles, groups smaller and larger than a tile, near and equal points.
func TestSilhouetteInTiles(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	const dim = 9
	for _, n := range []int{tileSize, tileSize + 1, 3*tileSize - 5} {
		x := randomPoints(random, n, dim)
		for i := 0; i < n; i += 10 { // pairs that cancel, and equal ones
			copy(x.F64[i*dim:(i+1)*dim], x.F64[(n-1-i)*dim:(n-i)*dim])
			x.F64[i*dim] += 1e-7 * float64(i%3)
		}
		for _, groups := range []int{2, 5, n / 3} {
			labels := make([]int64, n)
			for i := range labels {
				labels[i] = int64(float64(groups) * math.Pow(random.Float64(), 3)) // sizes from many to few
			}
			p := NewPartition(labels)
			got, err := Silhouette(t.Context(), x, p, 2)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range plainSilhouette(x, p) {
				if math.Abs(got[i]-want) > 1e-13 {
					t.Fatalf("n = %d, %d groups, point %d: %v, want %v", n, groups, i, got[i], want)
				}
			}
			// Some groups at a time give the same bits.
			order, start := p.order()
			tiles, err := newTiles(widened(x).sel(order), start)
			if err != nil {
				t.Fatal(err)
			}
			all, err := tiles.groupSums(t.Context(), 1, 0, p.Groups())
			if err != nil {
				t.Fatal(err)
			}
			for first := 0; first < p.Groups(); first += 7 {
				last := min(first+7, p.Groups())
				some, err := tiles.groupSums(t.Context(), 3, first, last)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(some.data, all.data[first*n:last*n]) {
					t.Fatalf("n = %d: groups %d to %d have other sums alone", n, first, last)
				}
			}
		}
	}
}

func TestTilePairs(t *testing.T) {
	for count := 1; count < 10; count++ {
		seen := map[[2]int]bool{}
		for round := range tileRounds(count) {
			busy := map[int]bool{}
			for _, p := range tilePairs(round, count) {
				if seen[p] || p[0] > p[1] || p[1] >= count || busy[p[0]] || busy[p[1]] {
					t.Errorf("%d tiles, round %d: pair %v", count, round, p)
				}
				seen[p], busy[p[0]], busy[p[1]] = true, true, true
			}
		}
		if len(seen) != count*(count+1)/2 {
			t.Errorf("%d tiles: %d pairs", count, len(seen))
		}
	}
}

func TestKMeans(t *testing.T) {
	t.Run("separated", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		x := randomPoints(random, 2000, 3)
		labels := make([]int64, x.N)
		for i := range labels {
			labels[i] = int64(i % 20)
			x.F64[3*i] += 50 * float64(i%20)
		}
		found, err := KMeans(t.Context(), x, 20, KMeansOptions{Seed: 9, Starts: 3})
		if err != nil {
			t.Fatal(err)
		}
		// Groups are numbered by their first points.
		if !found.Converged || !slices.Equal(found.Partition.Of, NewPartition(labels).Of) {
			t.Errorf("separated clusters were not found: converged %v, sizes %v", found.Converged, found.Partition.Sizes)
		}
		inertia := 0.0
		for i, c := range found.Partition.Of {
			inertia += squaredDistance(x.F64[3*i:3*i+3], found.Centroids[3*c:3*c+3])
		}
		near(t, "inertia", found.Inertia, inertia)
	})
	t.Run("every distinct point", func(t *testing.T) {
		x := points.Float64([]float64{1, 2, 2, 3, 1, 3, 1}, 1)
		found, err := KMeans(t.Context(), x, 3, KMeansOptions{})
		if err != nil || found.Inertia != 0 || !slices.Equal(found.Partition.Of, []int{0, 1, 1, 2, 0, 2, 0}) {
			t.Errorf("%+v, %v", found, err)
		}
		for k, want := range map[int]string{4: "3 distinct points are fewer than 4 clusters", 8: "7 points are fewer than 8 clusters", 0: "0 clusters"} {
			if _, err := KMeans(t.Context(), x, k, KMeansOptions{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("k = %d: error %v, want one containing %q", k, err, want)
			}
		}
	})
	t.Run("empty cluster", func(t *testing.T) {
		x := matrix{n: 4, dim: 1, data: []float64{-4, -3, 3, 9}}
		packed, err := kernel.PackRight(kernel.Rows(x.data, 1), 4, 1)
		if err != nil {
			t.Fatal(err)
		}
		l := &lloyd{x: x, packed: packed, norms: x.squaredNorms(), k: 3, centroids: matrix{n: 3, dim: 1, data: []float64{-3, 5, 100}}}
		l.begin()
		if _, err := l.assign(); err != nil {
			t.Fatal(err)
		}
		l.fillEmpty()
		if !slices.Equal(l.of, []int{0, 0, 1, 2}) || l.centroids.data[2] != 9 || l.reseeded != 1 {
			t.Errorf("clusters %v, centroids %v", l.of, l.centroids.data)
		}
	})
}

// The sampling error of RSA is the spread of the coefficient over seeds.
func TestSamplingErrorOfRSA(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	x := randomPoints(random, 120, 4)
	y := times(x, mat.NewDense(4, 2, []float64{1, 0, 0.5, 1, 0, 0.3, 0.2, 0}), 1, 0)
	spaces := []matrix{widened(x), widened(y)}
	var values, stated []float64
	for seed := range uint64(300) {
		pairs, err := drawPairs(x.N, 1500, seed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := rsa(t.Context(), spaces, pairs, nil, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		values, stated = append(values, r.value[0]), append(stated, r.se[0])
	}
	if ratio := stat.Mean(stated) / stat.StandardDeviation(values); ratio < 0.87 || ratio > 1.15 {
		t.Errorf("stated sampling error %.5f, spread over seeds %.5f", stat.Mean(stated), stat.StandardDeviation(values))
	}
	pairs, err := drawPairs(x.N, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := rsa(t.Context(), spaces, pairs, nil, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := math.Abs(stat.Mean(values) - exact.value[0]); d > 0.003 || exact.se[0] != 0 {
		t.Errorf("mean over samples is %v from the exact coefficient, whose sampling error is %v", d, exact.se[0])
	}
}

func TestDrawnPairsAreDifferent(t *testing.T) {
	for _, limit := range []int{0, 17, 44, 45, 46} {
		pairs, err := drawPairs(10, limit, 3)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[2]int32]bool{}
		for i, a := range pairs.a {
			b := pairs.b[i]
			if a >= b || a < 0 || b > 9 || seen[[2]int32{a, b}] {
				t.Fatalf("limit %d: pair %d is (%d, %d)", limit, i, a, b)
			}
			seen[[2]int32{a, b}] = true
		}
		if want := min(45, max(limit, 0)); len(seen) != want && limit > 0 || limit == 0 && len(seen) != 45 {
			t.Errorf("limit %d: %d pairs", limit, len(seen))
		}
	}
}

// A straight line, a circle, a walk back and forth; states that are not consecutive
// are left out.
func TestTemporalClosedForms(t *testing.T) {
	line, circle, flip := make([]float64, 0), make([]float64, 0), make([]float64, 0)
	n := 40
	for i := range n {
		v := float64(i)
		line = append(line, v, -2*v)
		circle = append(circle, math.Cos(v*math.Pi/6), math.Sin(v*math.Pi/6))
		flip = append(flip, float64(i%2), 1)
	}
	in := Input{Models: []Encoded{{Name: "line", Latents: points.Float64(line, 2)}, {Name: "circle", Latents: points.Float64(circle, 2)}, {Name: "flip", Latents: points.Float64(flip, 2)}}}
	result, err := Analyze(t.Context(), in, Options{Clusters: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ cosine, degrees, step float64 }{{1, 0, math.Sqrt(5)}, {math.Cos(math.Pi / 6), 30, 2 * math.Sin(math.Pi/12)}, {-1, 180, 1}} {
		temporal := result.Models[i].Temporal
		near(t, "straightness", temporal.Straightness.Cosine.Float(), want.cosine)
		near(t, "curvature", temporal.Straightness.Curvature.Float(), want.degrees)
		near(t, "step", temporal.Steps.Mean.Float(), want.step)
	}
	// Unit vectors 30 degrees apart.
	near(t, "alignment", result.Models[1].Alignment.Float(), 2-2*math.Cos(math.Pi/6))
	time := make([]int, n)
	episode := make([]int, n)
	for i := range time {
		time[i], episode[i] = i, i/10
		if i >= 5 {
			time[i]++ // a state is missing before this one
		}
	}
	in.Time, in.Episode = time, episode
	if result, err = Analyze(t.Context(), in, Options{Clusters: []int{2}}); err != nil {
		t.Fatal(err)
	}
	if s := result.Models[0].Temporal; s.Steps.Pairs != 4+4+3*9 || s.Straightness.Triples != 3+3+3*8 {
		t.Errorf("%d pairs and %d triples of consecutive states", s.Steps.Pairs, s.Straightness.Triples)
	}
}

func TestBytesDoNotDependOnThreads(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	n := 700
	x, y := randomPoints(random, n, 5), randomPoints(random, n, 3)
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(random.IntN(5))
	}
	encode := func(threads int) []byte {
		result, err := Analyze(t.Context(), Input{Labels: labels, Models: []Encoded{{Name: "x", Latents: x}, {Name: "y", Latents: y}}},
			Options{Clusters: []int{3, 7}, Pairs: 5000, Bootstrap: 50, Seed: 3, Threads: threads, Starts: 4})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := report.Encode(&out, []any{result.Models, result.Comparisons}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	if one, many := encode(1), encode(5); !bytes.Equal(one, many) {
		t.Errorf("1 and 5 threads differ:\n%s", cmp.Diff(string(one), string(many)))
	}
}

// Measures over pairs see the sample, measures of time all states.
func TestSample(t *testing.T) {
	g, x, y := readGolden(t)
	var sample []int
	for i := 0; i < x.N; i += 2 {
		sample = append(sample, i)
	}
	models := func(index []int) []Encoded {
		return []Encoded{{Name: "x", Latents: sampled(x, index)}, {Name: "y", Latents: sampled(y, index)}}
	}
	o := Options{Clusters: []int{3}, Bootstrap: 30, Seed: 1}
	got, err := Analyze(t.Context(), Input{Episode: g.Episode, Labels: g.Labels, Sample: sample, Models: models(nil)}, o)
	if err != nil {
		t.Fatal(err)
	}
	half, err := Analyze(t.Context(), Input{Episode: at(g.Episode, sample), Labels: at(g.Labels, sample), Models: models(sample)}, o)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Analyze(t.Context(), Input{Episode: g.Episode, Labels: g.Labels, Models: models(nil)}, o)
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string, want, got any) {
		var a, b bytes.Buffer
		if err := errors.Join(report.Encode(&a, want), report.Encode(&b, got)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a.String(), b.String()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	same("groupings", half.Models[0].Groupings, got.Models[0].Groupings)
	same("label consistency", half.Models[0].LabelConsistency, got.Models[0].LabelConsistency)
	same("time", all.Models[0].Temporal, got.Models[0].Temporal)
	if half.Models[0].Uniformity != got.Models[0].Uniformity || half.similarity(0, "y") != got.similarity(0, "y") {
		t.Error("uniformity or similarity are not those of the sample")
	}
	if all.Models[0].Alignment != got.Models[0].Alignment {
		t.Error("alignment is not that of all states")
	}
}

func TestUnusableInput(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	good := randomPoints(random, 30, 3)
	t.Run("constant", func(t *testing.T) {
		constant := make([]float64, 90)
		for i := range constant {
			constant[i] = 2.5
		}
		result, err := Analyze(t.Context(), Input{Labels: make([]int64, 30), Models: []Encoded{{Name: "good", Latents: good}, {Name: "flat", Latents: points.Float64(constant, 3)}}}, Options{Bootstrap: 20})
		if err != nil {
			t.Fatal(err)
		}
		m := result.Models[1]
		for name, v := range map[string]report.Value{
			"CKA": result.similarity(0, "flat").CKA, "RSA": result.similarity(1, "flat").RSA, "τ": m.Temporal.Tau, "relative step": m.Temporal.Steps.Relative,
			"straightness": m.Temporal.Straightness.Cosine, "clusters": m.Groupings[1].Silhouette, "one class": result.Models[0].Groupings[0].Silhouette,
		} {
			if v.Defined() || v.Reason == "" {
				t.Errorf("%s of constant latents is %v, reason %q", name, v.V, v.Reason)
			}
		}
		if m.Uniformity.Float() != 0 || m.Alignment.Float() != 0 || m.Temporal.Steps.Mean.Float() != 0 {
			t.Errorf("uniformity %v, alignment %v, step %v, want 0", m.Uniformity, m.Alignment, m.Temporal.Steps.Mean)
		}
		if !strings.Contains(strings.Join(result.Warnings, " "), "flat: the points are constant") {
			t.Errorf("warnings %q", result.Warnings)
		}
		if accuracy := result.Models[0].LabelConsistency[0].Accuracy.Float(); accuracy != 1 {
			t.Errorf("labels of one class: accuracy %v, want 1", accuracy)
		}
		var out bytes.Buffer
		if err := report.Encode(&out, result.Models); err != nil {
			t.Error(err)
		}
		if err := result.Figure().Render(&out, "svg"); err != nil {
			t.Error(err)
		}
	})
	t.Run("zero latent", func(t *testing.T) {
		z := slices.Clone(good.F64)
		clear(z[6:9])
		result, err := Analyze(t.Context(), Input{Models: []Encoded{{Name: "z", Latents: points.Float64(z, 3)}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m := result.Models[0]; m.Uniformity.Defined() || !strings.Contains(m.Uniformity.Reason, "1 of 30 latents are zero") || m.Alignment.Defined() || !m.Temporal.Tau.Defined() {
			t.Errorf("uniformity %v (%s)", m.Uniformity.V, m.Uniformity.Reason)
		}
	})
	t.Run("no consecutive states", func(t *testing.T) {
		time := make([]int, 30)
		for i := range time {
			time[i] = 2 * i
		}
		result, err := Analyze(t.Context(), Input{Time: time, Models: []Encoded{{Name: "a", Latents: good}}}, Options{Bootstrap: 20})
		if err != nil {
			t.Fatal(err)
		}
		m := result.Models[0]
		for _, v := range []report.Value{m.Alignment, m.Temporal.Tau, m.Temporal.Steps.Mean, m.Temporal.Steps.P95, m.Temporal.Straightness.Cosine} {
			if v.Defined() || v.Reason == "" {
				t.Errorf("%v, reason %q", v.V, v.Reason)
			}
		}
		var out bytes.Buffer
		if err := result.Figure().Render(&out, "svg"); err != nil {
			t.Error(err)
		}
	})
	bad := slices.Clone(good.F64)
	bad[7] = math.NaN()
	one := []Encoded{{Name: "a", Latents: good}}
	for want, in := range map[string]Input{
		"no models to compare":             {},
		"squared distances would overflow": {Models: []Encoded{{Name: "far", Latents: points.Float64([]float64{0, 1, 1e200, 3, 4, 5}, 1)}}},
		"bad: point 2, coordinate 1":       {Models: []Encoded{{Name: "bad", Latents: points.Float64(bad, 3)}}},
		"b: 29 latents for 30":             {Models: []Encoded{one[0], {Name: "b", Latents: points.Float64(good.F64[:87], 3)}}},
		"5 labels for 30":                  {Labels: make([]int64, 5), Models: one},
		"5 times for 30":                   {Time: make([]int, 5), Models: one},
		"4 episode labels for":             {Episode: make([]int, 4), Models: one},
		"want ascending":                   {Sample: []int{1, 5, 5, 6}, Models: one},
		"3 latents, want at":               {Models: []Encoded{{Name: "few", Latents: points.Float64(good.F64[:9], 3)}}},
		"2 latents, want at least 4":       {Sample: []int{1, 5}, Models: one},
		"30 and 29 latents, want equal":    {},
		"similarity: point 2, coordinate":  {},
	} {
		_, err := Analyze(t.Context(), in, Options{})
		if strings.HasPrefix(want, "30 and") {
			_, err = Compare(good, points.Float64(good.F64[:87], 3))
		}
		if strings.HasPrefix(want, "similarity") {
			_, err = Compare(good, points.Float64(bad, 3))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one containing %q", err, want)
		}
	}
}

func TestFewestCandidates(t *testing.T) {
	for _, c := range []struct {
		n, window int
		episode   []int
		want      int
	}{
		{10, 0, nil, 9}, {10, 1, nil, 7}, {10, 4, nil, 1}, {10, 5, nil, 0}, {10, 100, nil, 0},
		{6, 1, []int{0, 0, 0, 1, 1, 1}, 3}, {6, 9, []int{0, 0, 0, 1, 1, 1}, 3}, {6, 9, []int{0, 0, 1, 1, 1, 1}, 2},
		{6, 1, []int{0, 1, 0, 1, 0, 1}, 5}, {6, 2, []int{0, 1, 0, 1, 0, 1}, 3},
	} {
		if got := fewestCandidates(c.n, c.window, c.episode); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}
