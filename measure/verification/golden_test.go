// What SciPy, scikit-learn, xskillscore and NumPy say.

package verification

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"
)

//go:embed testdata/golden.json
var goldenJSON []byte

// golden is testdata/golden.json.
type golden struct {
	Cases    []goldenCase
	Isotonic struct{ Values, Weights, Fit, Equal []float64 }
}

type goldenCase struct {
	Members, Height, Width int
	Truth, Ensemble        []float64
	Weights, Climatology   []float64
	Events                 []goldenEvent
	Spectra                map[string]struct {
		Mean, Truth goldenSpectrum
		LSD         float64
	}
	PDEBench struct {
		NRMSE, Conserved, Boundary, Maximum, VRMSE float64
		Fourier                                    [3]*float64
	}
	ACC         float64
	ACCCentered float64 `json:"acc_centered"`
}

type goldenSpectrum struct {
	Power, Frequency []float64
	Modes            []int
}

type goldenEvent struct {
	Threshold                     float64
	Below                         bool
	Table                         []float64
	POD, POFD, FAR, CSI, ETS, HSS float64
	SEDI                          *float64
	FrequencyBias                 float64 `json:"frequency_bias"`
	Brier                         struct{ Score, Fair, Reliability, Resolution, Uncertainty float64 }
	ROCArea                       float64 `json:"roc_area"`
	CORP                          struct {
		MCB, DSC                  float64
		Probability, Recalibrated []float64
	}
	FSS []struct {
		Window int
		Of     string
		Sums   []float64
		FSS    float64
	}
}

func readGolden(t *testing.T) golden {
	t.Helper()
	var g golden
	if err := json.Unmarshal(goldenJSON, &g); err != nil || len(g.Cases) == 0 {
		t.Fatal(len(g.Cases), err)
	}
	return g
}

// fields are the members.
func (g goldenCase) fields() (out [][]float64) {
	for k := range g.Members {
		out = append(out, g.Ensemble[k*len(g.Truth):(k+1)*len(g.Truth)])
	}
	return out
}

// mean is the ensemble mean, in float64.
func (g goldenCase) mean() []float64 {
	mean := make([]float64, len(g.Truth))
	for i, v := range g.Ensemble {
		mean[i%len(mean)] += v
	}
	for c := range mean {
		mean[c] /= float64(g.Members)
	}
	return mean
}

func TestGoldenEvents(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t).Cases {
		for _, e := range g.Events {
			event := Event{Threshold: e.Threshold, Below: e.Below}
			table := event.Table(g.mean(), g.Truth, g.Weights)
			for i, v := range table.Sums() {
				near(t, "table", v, e.Table[i], 1e-12)
			}
			want := map[string]float64{"pod": e.POD, "pofd": e.POFD, "far": e.FAR, "csi": e.CSI, "ets": e.ETS, "hss": e.HSS,
				"frequency_bias": e.FrequencyBias, "sedi": math.NaN()}
			if e.SEDI != nil {
				want["sedi"] = *e.SEDI
			}
			for _, score := range tableScores() {
				got, err := score.Of(table)
				if math.IsNaN(want[score.Name]) {
					if err == nil || !math.IsNaN(got) {
						t.Errorf("%s = %v, %v, want it undefined", score.Name, got, err)
					}
					continue
				}
				near(t, score.Name, got, want[score.Name], 1e-12)
			}
		}
	}
}

func TestGoldenProbabilities(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t).Cases {
		for _, e := range g.Events {
			event := Event{Threshold: e.Threshold, Below: e.Below}
			counts := make([]int, len(g.Truth))
			event.CountMembers(counts, g.fields()...)
			p := newProbabilities(g.Members)
			p.AddField(event, counts, g.Truth, g.Weights)
			brier, err := p.Brier()
			if err != nil {
				t.Fatal(err)
			}
			near(t, "Brier", brier.Score, e.Brier.Score, 1e-12)
			near(t, "fair Brier", brier.Fair, e.Brier.Fair, 1e-12)
			near(t, "reliability", brier.Reliability, e.Brier.Reliability, 1e-12)
			near(t, "resolution", brier.Resolution, e.Brier.Resolution, 1e-12)
			near(t, "uncertainty", brier.Uncertainty, e.Brier.Uncertainty, 1e-12)
			near(t, "sum", brier.Reliability-brier.Resolution+brier.Uncertainty, brier.Score, 1e-12)
			_, area, err := p.ROC()
			if err != nil {
				t.Fatal(err)
			}
			near(t, "ROC area", area, e.ROCArea, 1e-12)
			corp, err := p.Reliability()
			if err != nil {
				t.Fatal(err)
			}
			near(t, "MCB", corp.Miscalibration, e.CORP.MCB, 1e-12)
			near(t, "DSC", corp.Discrimination, e.CORP.DSC, 1e-12)
			near(t, "MCB − DSC + UNC", corp.Miscalibration-corp.Discrimination+corp.Uncertainty, brier.Score, 1e-12)
			if len(corp.Points) != len(e.CORP.Probability) {
				t.Fatalf("%d points, want %d", len(corp.Points), len(e.CORP.Probability))
			}
			for i, point := range corp.Points {
				near(t, "probability", point.Probability, e.CORP.Probability[i], 1e-12)
				near(t, "recalibrated", point.Recalibrated, e.CORP.Recalibrated[i], 1e-12)
			}
		}
	}
}

func TestGoldenFSS(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t).Cases {
		for _, e := range g.Events {
			event := Event{Threshold: e.Threshold, Below: e.Below}
			counts := make([]int, len(g.Truth))
			grid := Grid{Height: g.Height, Width: g.Width}
			table := func() []int { return grid.Sums(counts, nil) }
			event.CountMembers(counts, g.Truth)
			observed := table()
			event.CountMembers(counts, g.mean())
			mean := table()
			event.CountMembers(counts, g.fields()...)
			ensemble := table()
			for _, want := range e.FSS {
				forecast, members := mean, 1
				if want.Of == "ensemble" {
					forecast, members = ensemble, g.Members
				}
				got := grid.Fractions(forecast, observed, members, want.Window, g.Weights)
				for i, v := range got.Sums() {
					near(t, "sum of FSS", v, want.Sums[i], 1e-11)
				}
				fss, err := got.FSS()
				if err != nil {
					t.Fatal(err)
				}
				near(t, "FSS", fss, want.FSS, 1e-11)
			}
		}
	}
}

func TestGoldenSpectra(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t).Cases {
		for kind, want := range g.Spectra {
			transform := NewTransform(map[string]TransformKind{"dct": DCT, "fft": FFT}[kind], g.Height, g.Width)
			bands := transform.Bands()
			mean, truth := make([]float64, len(bands.Modes)), make([]float64, len(bands.Modes))
			AddPower(transform, mean, g.mean())
			AddPower(transform, truth, g.Truth)
			if len(bands.Modes) != len(want.Mean.Modes) {
				t.Fatalf("%s of %d × %d: %d bands, want %d", kind, g.Height, g.Width, len(bands.Modes), len(want.Mean.Modes))
			}
			for k := range bands.Modes {
				near(t, "power of the mean", mean[k], want.Mean.Power[k], 1e-12)
				near(t, "power of truth", truth[k], want.Truth.Power[k], 1e-12)
				near(t, "frequency", bands.Frequency[k], want.Mean.Frequency[k], 1e-12)
				if bands.Modes[k] != want.Mean.Modes[k] {
					t.Errorf("%s: %d waves in band %d, want %d", kind, bands.Modes[k], k, want.Mean.Modes[k])
				}
			}
			distance, err := LogSpectralDistance(mean, truth, bands)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "log-spectral distance", distance, want.LSD, 1e-10)
		}
	}
}

func TestGoldenFieldErrors(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t).Cases {
		member := make([]float64, len(g.Truth))
		for c := range member {
			member[c] = g.Ensemble[c]
		}
		var nrmse, vrmse, conserved, boundary, maximum float64
		transform := NewTransform(FFT, g.Height, g.Width)
		shells, difference := make([]float64, FourierBands(g.Height, g.Width)), make([]float64, len(g.Truth))
		for _, forecast := range [][]float64{g.mean(), member} {
			e := NewFieldErrors(forecast, g.Truth, Grid{Height: g.Height, Width: g.Width}, nil)
			n, err := e.NRMSE()
			v, err2 := e.VRMSE()
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			nrmse, vrmse, conserved, boundary = nrmse+n/2, vrmse+v/2, conserved+square(e.MeanError())/2, boundary+e.BoundaryRMSE()/2
			maximum = max(maximum, e.Maximum)
			for c, f := range forecast {
				difference[c] = f - g.Truth[c]
			}
			AddFourierErrors(transform, shells, difference)
		}
		near(t, "nRMSE", nrmse, g.PDEBench.NRMSE, 1e-12)
		near(t, "VRMSE", vrmse, g.PDEBench.VRMSE, 1e-12)
		near(t, "conserved", math.Sqrt(conserved), g.PDEBench.Conserved, 1e-12)
		near(t, "boundary", boundary, g.PDEBench.Boundary, 1e-12)
		near(t, "maximum", maximum, g.PDEBench.Maximum, 1e-12)
		low, middle, high := FourierRMSE(shells, 2, g.Height, g.Width)
		for i, got := range []float64{low, middle, high} {
			if want := g.PDEBench.Fourier[i]; want != nil {
				near(t, "Fourier RMSE", got, *want, 1e-12)
			} else if !math.IsNaN(got) {
				t.Errorf("Fourier RMSE of a range without shells is %v", got)
			}
		}
		for _, centered := range []bool{false, true} {
			got, err := NewAnomalies(g.mean(), g.Truth, g.Climatology, g.Weights).ACC(centered)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "ACC", got, map[bool]float64{false: g.ACC, true: g.ACCCentered}[centered], 1e-12)
		}
	}
}

func TestGoldenIsotonic(t *testing.T) {
	t.Parallel()
	g := readGolden(t).Isotonic
	for i, v := range isotonic(g.Values, g.Weights) {
		near(t, "isotonic fit", v, g.Fit[i], 1e-12)
	}
	for i, v := range isotonic(g.Values, nil) {
		near(t, "isotonic fit", v, g.Equal[i], 1e-12)
	}
}

// tableScores are all scores of contingency tables.
func tableScores() []tableScore {
	return []tableScore{
		{"pod", Table.POD}, {"pofd", Table.POFD}, {"far", Table.FAR}, {"csi", Table.CSI}, {"ets", Table.ETS}, {"hss", Table.HSS},
		{"sedi", Table.SEDI}, {"frequency_bias", Table.FrequencyBias},
	}
}

// newProbabilities are no forecasts yet of an ensemble.
func newProbabilities(members int) Probabilities {
	return Probabilities{Members: members, Events: make([]float64, members+1), Others: make([]float64, members+1)}
}

// tableScore is a score of contingency tables by name.
type tableScore struct {
	Name string
	Of   func(Table) (float64, error)
}
