// Phase congruency: where waves of all lengths are in step.

package image

import (
	"math"
)

// What Zhang et al. choose for phase congruency.
const (
	waveScales        = 4
	waveOrientations  = 4
	shortestWave      = 6.0 // pixels; the next is twice as long
	waveBandwidth     = 0.55
	waveSharpness     = 1.2 // step of orientations over the standard deviation of a filter's angle
	noiseDeviations   = 2.0
	noiseShrink       = 1.7
	congruenceEpsilon = 1e-4
	lowPassCutoff     = 0.45
	lowPassOrder      = 15
)

// phases computes the phase congruency of planes of one size (Kovesi, Videre 1, 1999) with filters of log-Gabor
// shape: at every pixel, the energy Σ A·(cos δ − |sin δ|) of four wavelengths beyond the energy of noise, over the
// amplitudes Σ A, both summed over four orientations; δ is how far the phase of a wavelength is from the mean one. It
// lies in [0, 1].
type phases struct {
	transform *plane2D
	radial    [waveScales][]float64       // filters by wavelength
	angular   [waveOrientations][]float64 // and by orientation
	spectrum  []complex128
	noise     [waveOrientations]float64 // threshold over the median amplitude of the shortest waves
	response  [waveScales][]complex128
	even, odd []float64 // sums of a pixel over wavelengths
}

func newPhases(height, width int) *phases {
	n := height * width
	p := &phases{transform: newPlane2D(height, width), spectrum: make([]complex128, n), even: make([]float64, n), odd: make([]float64, n)}
	for s := range waveScales {
		p.radial[s], p.response[s] = make([]float64, n), make([]complex128, n)
	}
	for o := range waveOrientations {
		p.angular[o] = make([]float64, n)
	}
	for i := range height {
		y := frequency(i, height)
		for j := range width {
			p.filters(i*width+j, frequency(j, width), y)
		}
	}
	for s := range waveScales {
		p.radial[s][0] = 0
	}
	for o := range waveOrientations {
		p.noise[o] = p.threshold(o, height, width)
	}
	return p
}

// frequency is the frequency of a coefficient, in cycles per pixel; lines of odd length have a slightly wider step,
// as in the authors' code.
func frequency(i, n int) float64 {
	if n == 1 {
		return 0
	}
	if i > (n-1)/2 {
		i -= n
	}
	return float64(i) / float64(n&^1)
}

// filters writes the filters at one coefficient.
func (p *phases) filters(index int, x, y float64) {
	radius := math.Hypot(x, y)
	low := 1 / (1 + math.Pow(radius/lowPassCutoff, 2*lowPassOrder))
	width := 2 * math.Log(waveBandwidth) * math.Log(waveBandwidth)
	wave := shortestWave
	for s := range waveScales {
		octaves := math.Log(radius * wave)
		p.radial[s][index] = math.Exp(-float64(octaves*octaves)/width) * low
		wave *= 2
	}
	const deviation = math.Pi / waveOrientations / waveSharpness
	theta := math.Atan2(-y, x)
	for o := range waveOrientations {
		d := math.Abs(math.Remainder(theta-float64(o)*math.Pi/waveOrientations, 2*math.Pi))
		p.angular[o][index] = math.Exp(-float64(d*d) / (2 * deviation * deviation))
	}
}

// threshold is the energy that noise stays below, over its median amplitude of the shortest waves: by the power of all
// filters together, whose phases are random, over the power of the first filter.
func (p *phases) threshold(o, height, width int) float64 {
	together, first := 0.0, 0.0
	for i := range height {
		for j := range width {
			index, mirror := i*width+j, (height-i)%height*width+(width-j)%width
			even := 0.0
			for s := range waveScales {
				even += float64(p.radial[s][index]*p.angular[o][index]) + float64(p.radial[s][mirror]*p.angular[o][mirror])
			}
			together += float64(even / 2 * even / 2)
			f := p.radial[0][index] * p.angular[o][index]
			first += float64(f * f)
		}
	}
	// The amplitude is of Rayleigh's distribution.
	tau := math.Sqrt(together / (math.Ln2 * first))
	return tau * (math.Sqrt(math.Pi/2) + noiseDeviations*math.Sqrt(2-math.Pi/2)) / noiseShrink
}

// congruency is the phase congruency of a plane.
func (p *phases) congruency(plane []float64) []float64 {
	for i, v := range plane {
		// Without its first value a constant plane is 0 to the last bit, and not noise of rounding.
		p.spectrum[i] = complex(v-plane[0], 0)
	}
	p.transform.forward(p.spectrum)
	n := len(plane)
	energy, amplitudes, squares := make([]float64, n), make([]float64, n), make([]float64, n)
	for o := range waveOrientations {
		clear(p.even)
		clear(p.odd)
		for s := range waveScales {
			p.filter(s, o)
			for i, v := range p.response[s] {
				p.even[i] += real(v)
				p.odd[i] += imag(v)
				square := float64(real(v)*real(v)) + float64(imag(v)*imag(v))
				amplitudes[i] += math.Sqrt(square)
				if s == 0 {
					squares[i] = square
				}
			}
		}
		p.add(energy, p.noise[o]*math.Sqrt(median(squares)))
	}
	for i, a := range amplitudes {
		if a > 0 {
			energy[i] /= a
		}
	}
	return energy
}

// filter writes the response of one filter.
func (p *phases) filter(s, o int) {
	to, radial, angular := p.response[s], p.radial[s][:len(p.spectrum)], p.angular[o][:len(p.spectrum)]
	for i, v := range p.spectrum {
		f := radial[i] * angular[i]
		to[i] = complex(real(v)*f, imag(v)*f)
	}
	p.transform.inverse(to)
}

// add adds the energy of an orientation beyond the energy of noise.
func (p *phases) add(energy []float64, noise float64) {
	for i := range energy {
		even, odd := p.even[i], p.odd[i]
		length := math.Sqrt(float64(even*even)+float64(odd*odd)) + congruenceEpsilon
		even, odd = even/length, odd/length
		sum := 0.0
		for s := range waveScales {
			v := p.response[s][i]
			sum += float64(real(v)*even) + float64(imag(v)*odd) - math.Abs(float64(real(v)*odd)-float64(imag(v)*even))
		}
		energy[i] += max(sum-noise, 0)
	}
}
