// Power spectra: of the members, of the ensemble mean and of its error, next to the truth's.

package forecast

import (
	"fmt"
	"math"
	"sync"

	"repscope/measure/verification"
	"repscope/report"
)

// resolvedShare is the share of the power of truth that a resolved wave has.
const resolvedShare = 0.5

// The spectra whose powers are sums, in this order.
const (
	truthPower = iota
	memberPower
	meanPower
	errorPower
	spectra
)

// transform is the transform of the sample's grid.
func (c *sample) transform(kind verification.TransformKind) *verification.Transform {
	if c.verifying.transforms == nil {
		c.verifying.transforms = map[verification.TransformKind]*verification.Transform{}
	}
	t := c.verifying.transforms[kind]
	if t == nil {
		t = verification.NewTransform(kind, c.height, c.width)
		c.verifying.transforms[kind] = t
	}
	return t
}

// difference is the error of the mean of a variable; the next call fills the same memory.
func (c *sample) difference(v int) []float64 {
	dst, truth := c.spare(), c.truthOf(v)
	for i, m := range c.meanOf(v) {
		dst[i] = m - truth[i]
	}
	return dst
}

// spare is memory of a field.
func (c *sample) spare() []float64 {
	if c.verifying.field == nil {
		c.verifying.field = make([]float64, c.size())
	}
	return c.verifying.field
}

// filled is a field whose cells without weight have the mean of the others, in memory that the next
// call fills too.
func (c *sample) filled(field []float64) []float64 {
	if len(c.masked) == 0 {
		return field
	}
	return verification.Filled(c.spare(), field, c.weights[0])
}

// spectrumKind is the transform that was asked for.
func (s *setting) spectrumKind() verification.TransformKind {
	if s.o.Spectrum == SpectrumFFT {
		return verification.FFT
	}
	return verification.DCT
}

// waves holds the bands of a grid, which take as long as a transform to find.
type waves struct {
	once  sync.Once
	bands verification.Bands
}

// bands are the bands of the grid; none before its size is known.
func (s *setting) bands() verification.Bands {
	if s.size() == 0 {
		return verification.Bands{}
	}
	s.waves.once.Do(func() { s.waves.bands = verification.NewTransform(s.spectrumKind(), s.height, s.width).Bands() })
	return s.waves.bands
}

// noWaves is why small grids have no spectrum.
func noWaves(s *setting, _ int) string {
	if s.size() > 0 && min(s.height, s.width) < 4 {
		return fmt.Sprintf("a grid of %d × %d is too small for a spectrum, want at least 4 × 4", s.height, s.width)
	}
	return ""
}

// spectrumFamily compares power spectra. Regions have none.
func spectrumFamily() family {
	return family{
		name: "spectrum", about: "radial power spectra (--spectrum): log-spectral distance, effective resolution, error in three bands", needs: noWaves, grid: true,
		sums: func(s *setting, _ int) []string {
			var names []string
			for _, kind := range []string{"truth", "members", "mean", "error"} {
				for k := range s.bands().Modes {
					names = append(names, fmt.Sprintf("power of %s in band %d", kind, k))
				}
			}
			for k := range verification.FourierBands(s.height, s.width) {
				names = append(names, fmt.Sprintf("error in shell %d", k))
			}
			return names
		},
		count: func(s *setting, _ int) int {
			return spectra*len(s.bands().Modes) + verification.FourierBands(s.height, s.width)
		},
		field: func(c *sample, v, _ int, out []float64) error {
			clear(out)
			t := c.transform(c.spectrumKind())
			n := len(t.Bands().Modes)
			power := func(k int) []float64 { return out[k*n : (k+1)*n] }
			verification.AddPower(t, power(truthPower), c.filled(c.truthOf(v)))
			for _, member := range c.membersOf(v) {
				verification.AddPower(t, power(memberPower), c.filled(member))
			}
			for k := range power(memberPower) {
				power(memberPower)[k] /= float64(c.members)
			}
			verification.AddPower(t, power(meanPower), c.filled(c.meanOf(v)))
			miss := c.filled(c.difference(v))
			verification.AddPower(t, power(errorPower), miss)
			verification.AddFourierErrors(c.transform(verification.FFT), out[spectra*n:], miss)
			return nil
		},
		scores: spectrumScores,
		tables: func(t *tally, into *report.Object) error {
			var rows []Spectrum
			for _, v := range t.parts() {
				rows = append(rows, t.spectrum(v))
			}
			into.Set("spectrum", rows)
			return nil
		},
	}
}

func spectrumScores(s *setting, _ int) []Formula {
	bands := s.bands()
	n := len(bands.Modes)
	shells := verification.FourierBands(s.height, s.width)
	inf := math.Inf(1)
	const jumps = "it takes discrete values, one per wavenumber, so no interval is given"
	score := func(formula Formula, power int, f func(forecast, truth []float64, bands verification.Bands) (float64,
		error)) Formula {
		list := scored(formula, Event{}, func(sums []float64) (float64,
			error) {
			return f(sums[power*n:(power+1)*n], sums[:n], bands)
		})
		list.List, list.key, list.from, list.count = "", "", 0, spectra*n
		return list
	}
	resolution := func(forecast, truth []float64, bands verification.Bands) (float64, error) {
		return verification.EffectiveResolution(forecast, truth, bands, resolvedShare)
	}
	out := []Formula{
		score(Formula{Name: "log_spectral_distance", Unit: "dB",
			About: "log-spectral distance between the mean power spectra of the members and of the " +
				"truth", Direction: report.Lower, High: inf,
			noInterval: "positive by chance alone"}, memberPower, verification.LogSpectralDistance),
		score(Formula{Name: "log_spectral_distance_mean", Unit: "dB",
			About: "the same for the ensemble mean, which averaging makes smooth", Direction: report.Neither, High: inf,
			noInterval: "positive by chance alone"},
			meanPower, verification.LogSpectralDistance),
		score(Formula{Name: "effective_resolution", Unit: "cells",
			About: "wavelength at which the power of the members falls below half the power of the " +
				"truth", Direction: report.Lower, High: inf, noInterval: jumps},
			memberPower, resolution),
		score(Formula{Name: "effective_resolution_mean", Unit: "cells", About: "the same for the ensemble mean",
			Direction: report.Neither, High: inf, noInterval: jumps}, meanPower, resolution),
	}
	for i, name := range []string{"low", "mid", "high"} {
		out = append(out, Formula{Name: "fourier_rmse_" + name, Unit: "field", Direction: report.Lower, High: inf,
			from: spectra * n, count: shells,
			About: "error of the ensemble mean in Fourier space (PDEBench), " + []string{"wavenumbers below 4",
				"wavenumbers 4 to 11", "wavenumbers 12 and above"}[i],
			none: fmt.Sprintf("a grid of %d × %d has no such wavenumbers", s.height, s.width),
			of: func(sums []float64) float64 {
				if shells == 0 {
					return math.NaN()
				}
				low, middle, high := verification.FourierRMSE(sums, 1, s.height, s.width)
				return []float64{low, middle, high}[i]
			}})
	}
	return out
}

// Spectrum are the mean powers over samples by wavelength.
type Spectrum struct {
	Variable   string    `json:"variable,omitempty" report:"parameter"` // empty: all together
	Transform  string    `json:"transform"`                             // dct or fft
	Wavelength []float64 `json:"wavelength"`                            // in cells, descending
	Truth      []float64 `json:"truth"`                                 // power in squared units of the field
	Members    []float64 `json:"members"`
	Mean       []float64 `json:"mean"`  // of the ensemble mean
	Error      []float64 `json:"error"` // of the ensemble mean − truth
}

// spectrum is the spectrum of a variable or all.
func (t *tally) spectrum(variable int) Spectrum {
	bands, means := t.bands(), t.means(variable, 0)
	n := len(bands.Modes)
	out := Spectrum{Transform: t.spectrumKind().String()}
	if variable != all {
		out.Variable = t.setting.variables[variable]
	}
	for k := range bands.Resolved {
		if bands.Modes[k] == 0 {
			continue
		}
		out.Wavelength = append(out.Wavelength, 1/bands.Frequency[k])
		for i, to := range []*[]float64{&out.Truth, &out.Members, &out.Mean, &out.Error} {
			*to = append(*to, means[i*n+k])
		}
	}
	return out
}
