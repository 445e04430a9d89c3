// The law of the synthetic weather: the analysis of a case, the departure of the truth from it, and the fields of a
// state.

package example

import "math"

// Lengths below are in units of the grid's width, times in days.
const (
	vortices   = 6
	jetSpeed   = 0.17 // of the jet and the texture it carries, per day
	frontWidth = 0.055
	waves      = 2 // of the front, along the width

	// Standard deviations of the departures, after a day.
	placeSpread    = 0.034
	strengthSpread = 0.24 // of the strength
	frontSpread    = 0.016
	// textureDays is the time in which the known part of the texture's variance falls to 1/e.
	textureDays = 1.6

	warmer, wetter = 1.5, 1.35 // of the biased model
	blurredDraws   = 16        // averaged by the blurred one
)

// vortex turns the air about its middle: by 2·atan(turn) there, by nothing beyond its
// radius.
type vortex struct{ x, y, radius, turn float64 }

// departure is the difference of a draw of the law from the analysis.
type departure struct {
	x, y, strength [vortices]float64
	front          float64
}

// weatherCase is the analysis of one initial time.
type weatherCase struct {
	WeatherConfig
	number   int
	vortices [vortices]vortex
	front    float64 // row of the front
	phase    float64 // of its waves
	texture  [weatherVariables][]float32
}

// trajectory is one draw of the law: departures by lead, and the texture that replaces the known one.
type trajectory struct {
	leads   []departure
	texture [weatherVariables][]float32
}

// weatherStream is the random numbers of one draw of a case: draw 0 is the analysis, 1 the truth.
func weatherStream(seed uint64, number, draw int) stream {
	s := episodeStream(seed, uint64(number))
	s.key = mix(s.key ^ uint64(draw+1)*golden)
	return s
}

// normal is nearly a standard normal number: the sum of eight uniform ones.
func (s *stream) normal() float64 {
	const scale = 1.224744871391589 // √(12/8)
	sum := 0.0
	for range 2 {
		z := s.next()
		for range 4 {
			sum += float64(z&0xffff)/65536 - 0.5
			z >>= 16
		}
	}
	return scale * sum
}

func newWeatherCase(c WeatherConfig, number int) *weatherCase {
	r := weatherStream(c.Seed, number, 0)
	uniform := func(low, high float64) float64 { return low + (high-low)*float64(r.next()>>11)/(1<<53) }
	height := float64(c.Height) / float64(c.Width)
	w := &weatherCase{WeatherConfig: c, number: number, front: height * uniform(0.42, 0.58), phase: uniform(0, 2*math.Pi)}
	first := uniform(0, 1)
	for i := range w.vortices {
		v := &w.vortices[i]
		v.x = first + (float64(i)+uniform(-0.3, 0.3))/vortices
		v.y = w.front + height*uniform(-0.22, 0.22)
		v.radius = uniform(0.16, 0.26)
		v.turn = uniform(0.45, 1.15)
		if i%3 == 2 { // turns the other way, and dries
			v.turn *= -0.6
		}
	}
	for v := range w.texture {
		w.texture[v] = w.newTexture(&r)
	}
	return w
}

// draw is a draw of the law: departures follow a Brownian motion from lead to lead.
func (w *weatherCase) draw(number int) *trajectory {
	r := weatherStream(w.Seed, w.number, number)
	t := &trajectory{leads: make([]departure, len(w.Leads))}
	var d departure
	past := 0.0
	for k, lead := range w.Leads {
		step := math.Sqrt((lead - past) / 24)
		past = lead
		for i := range vortices {
			d.x[i] += placeSpread * step * r.normal()
			d.y[i] += placeSpread * step * r.normal()
			d.strength[i] += strengthSpread * step * r.normal()
		}
		d.front += frontSpread * step * r.normal()
		t.leads[k] = d
	}
	for v := range t.texture {
		t.texture[v] = w.newTexture(&r)
	}
	return t
}

// newTexture is a Gaussian field of variance 1 on two scales, whose columns close on
// themselves.
func (w *weatherCase) newTexture(r *stream) []float32 {
	const margin = 8
	height, width := w.Height+2*margin, w.Width
	field := make([]float32, height*width)
	const scale = 1.7320508075688772 // √3: the sum of four uniform numbers has the variance 1/3
	for i := range field {
		z := r.next()
		sum := z&0xffff + z>>16&0xffff + z>>32&0xffff + z>>48
		field[i] = scale * (float32(sum)/65536 - 2)
	}
	coarse := boxBlur(boxBlur(field, width, 2), width, 2)
	fine := boxBlur(field, width, 1)
	// Means of 9 numbers, and twice of 25, have the variances 1/9 and 0.136²; together,
	// of the same numbers, 1.
	out := make([]float32, w.Height*width)
	for i := range out {
		j := i + margin*width
		out[i] = 0.625*coarse[j]/0.136 + 0.469*3*fine[j]
	}
	return out
}

// boxBlur is the mean over squares of side 2·reach+1; rows end at the edges, columns go
// round.
func boxBlur(field []float32, width, reach int) []float32 {
	height := len(field) / width
	rows, out := make([]float32, len(field)), make([]float32, len(field))
	scale := 1 / float32((2*reach+1)*(2*reach+1))
	for y := range height {
		for x := range width {
			sum := float32(0)
			for d := -reach; d <= reach; d++ {
				sum += field[y*width+(x+d+width)%width]
			}
			rows[y*width+x] = sum
		}
	}
	for y := range height {
		for d := -reach; d <= reach; d++ {
			from := min(height-1, max(0, y+d)) * width
			for x := range width {
				out[y*width+x] += scale * rows[from+x]
			}
		}
	}
	return out
}

// fill writes the samples of the case.
func (w *weatherCase) fill(all *Weather) {
	size := weatherVariables * w.Height * w.Width
	first := w.number * len(w.Leads)
	truth := w.draw(1)
	draws := 2
	for k := range w.Leads {
		at := (first + k) * size
		w.fields(all.Input[at:at+size], -1, nil, 0)
		w.fields(all.Target[at:at+size], k, truth, 1)
	}
	for _, f := range all.Forecasts {
		members, spread := f.Members, 1.0
		switch f.Name {
		case WeatherUnderdispersive:
			spread = 0.45
		case WeatherOverdispersive:
			spread = 1.8
		case WeatherBlurred:
			members = blurredDraws
		}
		one := make([]float32, size)
		for m := range members {
			t := w.draw(draws + m)
			for k := range w.Leads {
				w.fields(one, k, t, spread)
				if f.Name == WeatherBlurred {
					to := f.Values[(first+k)*size:][:size]
					for i, v := range one {
						to[i] += v / blurredDraws
					}
					continue
				}
				to := f.Values[((first+k)*f.Members+m)*size:][:size]
				copy(to, one)
				if f.Name == WeatherBiased {
					for i := range to {
						if i < size/weatherVariables {
							to[i] += warmer
						} else {
							to[i] *= wetter
						}
					}
				}
			}
		}
		draws += members
	}
}

// fields writes temperature and precipitation at lead k of a draw, its departures times
// spread; k = −1 is the analysis.
func (w *weatherCase) fields(out []float32, k int, t *trajectory, spread float64) {
	days, from := 0.0, departure{}
	if k >= 0 {
		days, from = w.Leads[k]/24, t.leads[k]
	}
	state := w.vortices
	for i := range state {
		v := &state[i]
		v.x += jetSpeed*days + spread*from.x[i]
		v.y += spread * from.y[i]
		v.turn *= 1 + 0.25*min(days, 3) + spread*from.strength[i]
	}
	front := w.front + spread*from.front
	kept := math.Exp(-days / (2 * textureDays))
	lost := spread * math.Sqrt(1-kept*kept)
	shift := int(math.Round(jetSpeed * days * float64(w.Width)))
	cells := w.Height * w.Width
	unit := 1 / float64(w.Width)
	for y := range w.Height {
		for x := range w.Width {
			south, lift := w.displaced(&state, (float64(x)+0.5)*unit, (float64(y)+0.5)*unit, front, days)
			i := y*w.Width + (x-shift%w.Width+w.Width)%w.Width
			var texture [weatherVariables]float64
			for v := range texture {
				texture[v] = kept * float64(w.texture[v][i])
				if t != nil {
					texture[v] += lost * float64(t.texture[v][i])
				}
			}
			s := south / frontWidth
			near := 1 / (1 + s*s)
			cell := y*w.Width + x
			out[cell] = float32(8 + 10*s/math.Sqrt(1+s*s) - 4*lift + 0.9*texture[0])
			rain := max(0, near*(0.2+1.2*lift)+0.22*texture[1]-0.3)
			out[cells+cell] = float32(6 * rain * math.Sqrt(rain))
		}
	}
}

// displaced is how far south of the front the air at a point originates, and how much the vortices lift it.
func (w *weatherCase) displaced(state *[vortices]vortex, x, y, front, days float64) (south, lift float64) {
	for i := range state {
		v := &state[i]
		dx, dy := x-v.x, y-v.y
		dx -= math.Round(dx)
		u := 1 - (dx*dx+dy*dy)/(v.radius*v.radius)
		if u <= 0 {
			continue
		}
		t := v.turn * u * u
		sin, cos := 2*t/(1+t*t), (1-t*t)/(1+t*t)
		x, y = v.x+cos*dx-sin*dy, v.y+sin*dx+cos*dy
		lift += t
	}
	return y - front - 0.05*math.Sin(2*math.Pi*waves*(x-jetSpeed*days)+w.phase), lift
}
