// Package measuretest is what the tests of the measures and of the rooms that use them
// share: golden data, how near a number must be to it, and random points.
//
//	g, x, y := measuretest.ReadGeometry(t)
//	measuretest.Near(t, "NMI", table.NMI(), g.NMI, 1e-10)
package measuretest

import (
	"embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"repscope/points"
	"repscope/stat"
)

// Geometry is measure/measuretest/testdata/geometry.json: X are 90 points of 6 dimensions, Y
// of 4.
type Geometry struct {
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
	Similarity                   Similarity
	SimilarityWithoutLastEpisode Similarity `json:"similarity_without_last_episode"`
	Autocorrelation              []float64
	Steps                        struct {
		Mean, SD, P95 float64
		RelativeMean  float64 `json:"relative_mean"`
	}
	Straightness     float64
	CurvatureDegrees float64 `json:"curvature_degrees"`
}

// Similarity is the similarity of the points X and Y of [Geometry].
type Similarity struct {
	CKA         float64
	CKADebiased float64 `json:"cka_debiased"`
	Procrustes  float64
	RSA         float64
}

// ReadGeometry reads the golden data of groups, similarity, directions and motion.
func ReadGeometry(t testing.TB) (g Geometry, x, y points.Points) {
	t.Helper()
	read(t, "geometry.json", &g)
	return g, points.Float64(g.X, 6), points.Float64(g.Y, 4)
}

// Dimension is measure/measuretest/testdata/dimension.json.
type Dimension struct {
	Shape    []int     `json:"shape"`
	Latents  []float32 `json:"latents"`
	Spectrum struct {
		Eigenvalues        []float64 `json:"eigenvalues"`
		ParticipationRatio float64   `json:"participation_ratio"`
		EffectiveRank      float64   `json:"effective_rank"`
		RankMe             float64   `json:"rankme"`
		StableRank         float64   `json:"stable_rank"`
		Dims90             int       `json:"dims_90"`
		Dims99             int       `json:"dims_99"`
		RMSDistance        float64   `json:"rms_distance"`
	} `json:"spectrum"`
	TwoNN struct {
		NUsed       int        `json:"n_used"`
		Duplicates  int        `json:"duplicates"`
		MLE         float64    `json:"mle"`
		MLEUnbiased float64    `json:"mle_unbiased"`
		MLECI       [2]float64 `json:"mle_ci"`
		Fit         float64    `json:"fit"`
		Documented  float64    `json:"documented"`
	} `json:"two_nn"`
	Gride []struct {
		N1, N2 int
		ID     float64
	} `json:"gride"`
	LevinaBickel []struct {
		K  int
		ID float64
	} `json:"lb_mle"`
}

// ReadDimension reads the golden data of spectra and intrinsic dimensions, and the
// points that they are of.
func ReadDimension(t testing.TB) (g Dimension, z points.Points) {
	t.Helper()
	read(t, "dimension.json", &g)
	return g, points.Float32(g.Latents, g.Shape[1])
}

//go:embed testdata/*.json
var files embed.FS

// read reads a file of golden data.
func read(t testing.TB, name string, into any) {
	t.Helper()
	data, err := files.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// Near fails unless got is within tolerance of want, relative above 1.
func Near(t testing.TB, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", name, got, want)
	}
}

// Normal are n standard normal points.
func Normal(random *rand.Rand, n, dim int) points.Points {
	data := make([]float64, n*dim)
	for i := range data {
		data[i] = random.NormFloat64()
	}
	return points.Float64(data, dim)
}

// Curved are n points that lie on a surface of 4 dimensions in 12, with a few duplicates.
func Curved(n int) points.Points {
	random := stat.NewRandom(stat.NewKey(5))
	data := make([]float32, n*12)
	for i := range n {
		row := data[i*12 : (i+1)*12]
		if i%100 == 99 {
			copy(row, data[(i-7)*12:])
			continue
		}
		for k := range 4 {
			u := random.Float64()
			row[k], row[4+k], row[8+k] = float32(u), float32(u*u), float32(u*(1-u)*float64(k))
		}
	}
	return points.Float32(data, 12)
}

// Times are the points scale·p·m + shift.
func Times(p points.Points, m mat.Matrix, scale, shift float64) points.Points {
	var out mat.Dense
	out.Mul(mat.NewDense(p.N, p.Dim, p.F64), m)
	_, dim := out.Dims()
	data := out.RawMatrix().Data
	for i := range data {
		data[i] = scale*data[i] + shift
	}
	return points.Float64(data, dim)
}

// Rotation is a random orthogonal matrix.
func Rotation(random *rand.Rand, dim int) mat.Matrix {
	var qr mat.QR
	var q mat.Dense
	qr.Factorize(mat.NewDense(dim, dim, Normal(random, dim, dim).F64))
	qr.QTo(&q)
	return &q
}
