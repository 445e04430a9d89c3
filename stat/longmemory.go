// Long memory: whether the autocorrelation of a series fades so slowly that no block is long enough.

package stat

import (
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

const (
	// shortestSpectrum is the number of observations of an episode from which its periodogram is used, and
	// leastFrequencies the number of frequencies from which models of the spectrum are compared.
	shortestSpectrum, leastFrequencies = 16, 40
	// singleFrequencies is the number of low frequencies that are kept apart; higher ones are averaged over bins
	// that are a twentieth of their frequency wide, which changes a smooth spectrum by less than its error.
	singleFrequencies = 64
	// doubtedMemory is how much worse than short memory, in units of BIC, long memory may explain a difference that is
	// not tested: of 600 observations with d = 0.2 and a correlation of 0.5 most look like short memory.
	doubtedMemory = 4
	// mostWidening is the most that long memory widens an interval.
	mostWidening = 3
	// mostMemory is the order of fractional integration up to which the mean has an error, and lowFrequencies the number
	// of frequencies that decide it.
	mostMemory, lowFrequencies = 0.45, 1000
	// longestSpectrum is the number of observations of an episode beyond which neighbors are averaged first: the low
	// frequencies, which decide, stay.
	longestSpectrum = 1 << 16
)

// spectrum is the periodogram of a series in bins, over all episodes.
type spectrum struct {
	n      float64 // number of observations
	total  float64 // number of frequencies
	cosine []float64
	log    []float64 // log(4·sin²(λ/2)): the spectrum of a fractionally integrated process is exp(−d·log)
	power  []float64 // mean periodogram of the bin
	count  []float64 // number of frequencies in the bin
}

// newSpectrum returns the periodogram of values, episode by episode; each episode has its own mean.
func newSpectrum(x episodeIndex, values []float64) *spectrum {
	s := &spectrum{n: float64(len(values))}
	for e := range x.count() {
		order := x.order[x.start[e]:x.start[e+1]]
		if len(order) < shortestSpectrum {
			continue
		}
		episode := make([]float64, len(order))
		for k, i := range order {
			episode[k] = values[i]
		}
		s.add(episode)
	}
	return s
}

func (s *spectrum) add(values []float64) {
	if step := averaged(len(values)); step > 1 {
		for i := range len(values) / step {
			values[i] = Mean(values[i*step : (i+1)*step])
		}
		values = values[:len(values)/step]
	}
	values = values[:smooth(len(values))]
	n, mean := len(values), Mean(values)
	for i := range values {
		values[i] -= mean
	}
	coefficients := fourier.NewFFT(n).Coefficients(nil, values)
	for first := 1; first <= (n-1)/2; {
		last := first
		if first > singleFrequencies {
			last = min(first+first/20, (n-1)/2)
		}
		power := 0.0
		for _, c := range coefficients[first : last+1] {
			power += float64(real(c)*real(c)) + float64(imag(c)*imag(c))
		}
		count := float64(last - first + 1)
		frequency := math.Pi * float64(first+last) / float64(n)
		s.cosine = append(s.cosine, math.Cos(frequency))
		s.log = append(s.log, 2*math.Log(2*math.Sin(frequency/2)))
		s.power = append(s.power, power/(count*float64(n)))
		s.count = append(s.count, count)
		s.total += count
		first = last + 1
	}
}

// averaged is the number of neighbors of an episode that are averaged before its spectrum.
func averaged(n int) int { return (n-1)/longestSpectrum + 1 }

// smooth is the largest number of at most n with no prime factor over 5: Fourier transforms of other lengths take long.
func smooth(n int) int {
	for ; ; n-- {
		rest := n
		for _, factor := range [...]int{2, 3, 5} {
			for rest%factor == 0 {
				rest /= factor
			}
		}
		if rest == 1 {
			return n
		}
	}
}

// deviance is −2 times Whittle's log likelihood of a spectrum of the shape exp(logs), with the scale that fits best.
func (s *spectrum) deviance(logs []float64) float64 {
	sum := 0.0
	for b, l := range logs {
		sum += float64(s.count[b] * l)
	}
	return 2*s.total*math.Log(s.scale(logs)) + 2*sum
}

// scale is the factor of a spectrum of the shape exp(logs) that fits best.
func (s *spectrum) scale(logs []float64) float64 {
	scale := 0.0
	for b, l := range logs {
		scale += float64(s.count[b] * s.power[b] * math.Exp(-l))
	}
	return scale / s.total
}

// arfima is the process (1 − φB)(1 − B)^d x = (1 + θB)e.
type arfima struct{ phi, theta, d float64 }

// The parameters of arfima that a model has.
const (
	hasPhi = 1 << iota
	hasTheta
	hasD
)

func (m arfima) logs(s *spectrum) []float64 {
	out := make([]float64, len(s.power))
	for b, c := range s.cosine {
		out[b] = math.Log1p(m.theta*m.theta+2*m.theta*c) - math.Log1p(m.phi*m.phi-2*m.phi*c) - float64(m.d*s.log[b])
	}
	return out
}

// gradients are the derivatives of logs by the parameters that the model has.
func (m arfima) gradients(s *spectrum, parameters int) [][]float64 {
	var out [][]float64
	add := func(parameter int, derivative func(b int, c float64) float64) {
		if parameters&parameter == 0 {
			return
		}
		g := make([]float64, len(s.cosine))
		for b, c := range s.cosine {
			g[b] = derivative(b, c)
		}
		out = append(out, g)
	}
	add(hasPhi, func(_ int, c float64) float64 { return 2 * (c - m.phi) / (1 + m.phi*m.phi - 2*m.phi*c) })
	add(hasTheta, func(_ int, c float64) float64 { return 2 * (c + m.theta) / (1 + m.theta*m.theta + 2*m.theta*c) })
	add(hasD, func(b int, _ float64) float64 { return -s.log[b] })
	return out
}

// moved is the model after a step of its parameters, inside the range of stationary processes.
func (m arfima) moved(parameters int, step []float64) arfima {
	const bound = 0.995
	next := 0
	move := func(parameter int, value, low, high float64) float64 {
		if parameters&parameter == 0 {
			return value
		}
		next++
		return min(max(value+step[next-1], low), high)
	}
	m.phi = move(hasPhi, m.phi, -bound, bound)
	m.theta = move(hasTheta, m.theta, -bound, bound)
	m.d = move(hasD, m.d, 0, 0.65)
	return m
}

// fit is the least deviance of the models with these parameters, and its model: Fisher scoring from each start.
func (s *spectrum) fit(parameters int, starts []arfima) (least float64, model arfima) {
	least = math.Inf(1)
	for _, m := range starts {
		logs := m.logs(s)
		deviance := s.deviance(logs)
		for range 20 {
			step := s.scoring(logs, m.gradients(s, parameters))
			improved := false
			for range 6 {
				next := m.moved(parameters, step)
				nextLogs := next.logs(s)
				if d := s.deviance(nextLogs); d < deviance {
					improved = deviance-d > 1e-3
					m, logs, deviance = next, nextLogs, d
					break
				}
				for i := range step {
					step[i] /= 2
				}
			}
			if !improved {
				break
			}
		}
		if deviance < least {
			least, model = deviance, m
		}
	}
	return least, model
}

// scoring is the step of Fisher scoring: the regression of power/spectrum − 1 on the gradients.
func (s *spectrum) scoring(logs []float64, gradients [][]float64) []float64 {
	scale := s.scale(logs)
	residual := make([]float64, len(logs))
	for b, l := range logs {
		residual[b] = s.power[b]*math.Exp(-l)/scale - 1
	}
	product := func(x, y []float64) float64 { // a covariance: the scale is fitted too
		var xy, sx, sy float64
		for b, c := range s.count {
			xy += float64(c * x[b] * y[b])
			sx += float64(c * x[b])
			sy += float64(c * y[b])
		}
		return xy/s.total - float64(sx/s.total*(sy/s.total))
	}
	if len(gradients) == 1 {
		return []float64{product(gradients[0], residual) / max(product(gradients[0], gradients[0]), 1e-12)}
	}
	a, b, c := product(gradients[0], gradients[0]), product(gradients[0], gradients[1]),
		product(gradients[1], gradients[1])
	u, v := product(gradients[0], residual), product(gradients[1], residual)
	determinant := max(a*c-float64(b*b), 1e-9*a*c, 1e-300)
	return []float64{(c*u - float64(b*v)) / determinant, (a*v - float64(b*u)) / determinant}
}

// autoregressions are the least deviances of autoregressions of order 0 to order, fitted by Yule and Walker, each with
// its BIC's penalty.
func (s *spectrum) autoregressions(x episodeIndex, values []float64, order int) float64 {
	covariance := x.rawCovariances(values)
	rho := make([]float64, order+1)
	for k := range rho {
		rho[k] = covariance(k) * (1 - float64(k)/s.n)
	}
	best := s.deviance(make([]float64, len(s.power)))
	var coefficients []float64
	variance := rho[0]
	for p := 1; p <= order && variance > 0; p++ {
		reflection := rho[p]
		for i, c := range coefficients {
			reflection -= float64(c * rho[p-1-i])
		}
		reflection /= variance
		next := append(slices.Clone(coefficients), reflection)
		for i := range coefficients {
			next[i] -= float64(reflection * coefficients[p-2-i])
		}
		coefficients = next
		variance *= 1 - float64(reflection*reflection)
		logs := make([]float64, len(s.power))
		for b, c := range s.cosine {
			rotation, power, sum := complex(c, -math.Sqrt(max(0, 1-c*c))), complex(1, 0), complex(1, 0)
			for _, a := range coefficients {
				power *= rotation
				sum -= complex(a, 0) * power
			}
			logs[b] = -2 * math.Log(cmplx.Abs(sum))
		}
		best = min(best, s.deviance(logs)+float64(p)*math.Log(s.n))
	}
	return best
}

// fading says how the autocorrelation of a series fades. Models of long memory, fractionally integrated noise (0, d, 0)
// and (1, d, 0), are compared with models of short memory, autoregressions up to order 4 and ARMA(1, 1), by BIC of
// Whittle's likelihood of the periodogram. What takes long is computed when it is asked for.
type fading struct {
	spectrum *spectrum
	index    episodeIndex
	values   []float64
	penalty  float64 // of a parameter in BIC
	best     float64 // BIC of long memory
	model    arfima  // the best (1, d, 0)
	short    float64 // BIC of autoregressions; NaN: not known yet
	excess   float64 // by how much long memory is better than short memory, in BIC; NaN: not known yet
}

// fadingOf is nil for episodes too short for a spectrum, and for constant series.
func fadingOf(x episodeIndex, values []float64) *fading {
	if isConstant(values) {
		return nil
	}
	s := newSpectrum(x, values)
	if s.total < leastFrequencies || noError(math.Sqrt(slices.Max(s.power)), slices.Max(values), slices.Min(values)) {
		return nil
	}
	m := &fading{spectrum: s, index: x, values: values, penalty: math.Log(s.n), short: math.NaN(), excess: math.NaN()}
	noise, _ := s.fit(hasD, []arfima{{d: 0.2}})
	long, model := s.fit(hasPhi|hasD, []arfima{{phi: -0.3, d: 0.3}, {phi: 0.3, d: 0.2}, {phi: 0.8, d: 0.2}})
	m.best, m.model = min(noise+m.penalty, long+2*m.penalty), model
	return m
}

// exceeds reports whether long memory is better than short memory by more than a bound.
func (m *fading) exceeds(bound float64) bool {
	if math.IsNaN(m.short) {
		m.short = m.spectrum.autoregressions(m.index, m.values, 4)
	}
	if m.short-m.best <= bound {
		return false
	}
	if math.IsNaN(m.excess) {
		mixed, _ := m.spectrum.fit(hasPhi|hasTheta, []arfima{{phi: 0.5}, {phi: 0.8, theta: -0.3}, {phi: 0.9, theta: -0.6},
			{phi: 0.97, theta: -0.8}})
		m.excess = min(m.short, mixed+2*m.penalty) - m.best
	}
	return m.excess > bound
}

// stdError is the standard error of the mean by the best model (1, d, 0).
func (m *fading) stdError() float64 {
	variance := 0.0
	for e := range m.index.count() {
		n := m.index.start[e+1] - m.index.start[e]
		share := float64(n) / m.spectrum.n
		variance += float64(share * share * m.model.ofMean(float64(n/averaged(n))))
	}
	return math.Sqrt(variance * m.spectrum.scale(m.model.logs(m.spectrum)))
}

// ofMean is the variance of the mean of n observations whose innovations have unit variance. Of fractionally integrated
// noise it is
//
//	n^(2d−1)·Γ(1−2d)/(Γ(1+d)·Γ(1−d)·(1+2d));
//
// autoregression multiplies it by its mean gain at the frequencies (2k+1)π/n, with the weights that they have in the
// mean, (2k+1)^(−2−2d).
func (m arfima) ofMean(n float64) float64 {
	d := min(m.d, mostMemory)
	gain, total := 0.0, 0.0
	for k := range max(1, min(int(n)/2, lowFrequencies)) {
		odd := float64(2*k + 1)
		weight := math.Pow(odd, -2-float64(2*d))
		gain += weight / (1 + float64(m.phi*m.phi) - float64(2*m.phi*math.Cos(odd*math.Pi/n)))
		total += weight
	}
	twice := 2 * d
	return gain / total * math.Pow(n, twice-1) * math.Gamma(1-twice) / (math.Gamma(1+d) * math.Gamma(1-d) * (1 + twice))
}

// widening is the factor by which long memory widens the interval of a mean: 1.96 standard errors over its half width.
// It exceeds 1 by at most the gain in log likelihood by d, which is half of the gain in BIC and of the penalty of one
// parameter: spectra of short series with a correlation of 0.8 often look nearly as well like strong long memory.
func (m *fading) widening(half float64) float64 {
	factor := 1.96 * m.stdError() / half
	if !isFinite(factor) || factor <= 1 || !m.exceeds(-m.penalty) {
		return 1
	}
	return min(factor, 1+(m.excess+m.penalty)/2, mostWidening)
}

// long reports whether the autocorrelation fades like a power of the lag and not exponentially, so that no block is
// long enough for the error: long memory explains the spectrum better, or worse by less than margin.
func (m *fading) long(margin float64) bool { return m != nil && m.exceeds(-margin) }

// longMemory reports whether a series has long memory; see fading.
func longMemory(x episodeIndex, values []float64, margin float64) bool {
	return fadingOf(x, values).long(margin)
}
