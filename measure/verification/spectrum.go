// Scores from power spectra: how far two are apart, down to which wavelength a
// forecast has the power of truth, and errors in three bands.

package verification

import (
	"math"

	"repscope/stat"
)

// LogSpectralDistance is the root mean square, over the bands from 1 below resolved that
// have waves, of 10·log₁₀ of the ratio of two power spectra, in decibels: 0 for equal
// spectra, 3 for one with half the power everywhere. Symmetric. Undefined where a band of
// one of both has no power.
func LogSpectralDistance(forecast, truth []float64, bands Bands) (float64, error) {
	const quantity = "log-spectral distance"
	sum, count := 0.0, 0
	for k := 1; k < bands.Resolved; k++ {
		if bands.Modes[k] == 0 {
			continue
		}
		if !(forecast[k] > 0 && truth[k] > 0) {
			return math.NaN(), stat.Undefined(quantity, "no power at a wavelength of %.3g cells", 1/bands.Frequency[k])
		}
		sum += square(10 * math.Log10(forecast[k]/truth[k]))
		count++
	}
	if count == 0 {
		return math.NaN(), stat.Undefined(quantity, "the grid is too small for a spectrum")
	}
	return math.Sqrt(sum / float64(count)), nil
}

// EffectiveResolution is the wavelength in cells at which, from long waves to short ones,
// the power of a forecast first falls below a share of the power of truth, between bands by
// straight lines of the logarithms of ratio and frequency: small is good, and the
// wavelength of the last resolved band (about 2) is what a forecast has that never falls
// below. Undefined where it is below in band 1 already, or truth has no power.
func EffectiveResolution(forecast, truth []float64, bands Bands, share float64) (float64, error) {
	const quantity = "effective resolution"
	previous, from := math.NaN(), math.NaN()
	for k := 1; k < bands.Resolved; k++ {
		if bands.Modes[k] == 0 {
			continue
		}
		if !(truth[k] > 0) {
			return math.NaN(), stat.Undefined(quantity,
				"the truth has no power at a wavelength of %.3g cells", 1/bands.Frequency[k])
		}
		ratio, frequency := math.Log(forecast[k]/truth[k]/share), math.Log(bands.Frequency[k])
		if ratio < 0 {
			if math.IsNaN(previous) {
				return math.NaN(), stat.Undefined(quantity,
					"the power is below %.3g times the power of the truth at the longest waves", share)
			}
			if math.IsInf(ratio, -1) {
				return math.Exp(-from), nil
			}
			return math.Exp(-(from + (frequency-from)*previous/(previous-ratio))), nil
		}
		previous, from = ratio, frequency
	}
	if math.IsNaN(previous) {
		return math.NaN(), stat.Undefined(quantity, "the grid is too small for a spectrum")
	}
	return math.Exp(-from), nil
}

// FourierBands is the number of shells of the error of [FourierErrors]: half of the
// shorter side.
func FourierBands(height, width int) int { return min(height/2, width/2) }

// AddFourierErrors adds to shells the squared absolute Fourier coefficients of an error
// field by ⌊√(m² + n²)⌋ of their wavenumbers m < H/2 and n < W/2, neither of them negative,
// as PDEBench does (Takamoto et al. 2022). The transform must be [FFT].
func AddFourierErrors(t *Transform, shells []float64, err []float64) {
	forEach(t, err, func(index int, square float64) {
		m, n := index/t.columns, index%t.columns
		if m >= t.Height/2 || n >= t.Width/2 {
			return
		}
		if k := root(m*m + n*n); k < len(shells) {
			shells[k] += square
		}
	})
}

// FourierRMSE is PDEBench's error in Fourier space, in units of the field: the mean over
// the shells 0–3 (low), 4–11 (middle) and 12 and above (high) of the root of the mean over
// samples of the shell's sum, over H·W. NaN for a range without shells: the grid is below
// 10 or 26 cells.
func FourierRMSE(shells []float64, samples float64, height, width int) (low, middle, high float64) {
	mean := func(from, to int) float64 {
		to = min(to, len(shells))
		if from >= to {
			return math.NaN()
		}
		sum := 0.0
		for _, s := range shells[from:to] {
			sum += math.Sqrt(s / samples)
		}
		return sum / float64(to-from) / float64(height*width)
	}
	return mean(0, 4), mean(4, 12), mean(12, len(shells))
}
