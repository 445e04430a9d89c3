// Sums over the pairs at all lags at once, by Fourier transforms of stretches of time.

package motion

import (
	"context"
	"math"
	"sort"

	"repscope/internal/parallel"
	"repscope/measure/internal/matrix"
)

const (
	// Series with at most this number of steps for each point are transformed; in others most steps are empty.
	densestSteps = 4
	// wholeSteps is the longest transform of whole episodes; longer ones go in stretches, of at least this number of lags.
	wholeSteps = 1 << 13
	// taskSteps is how many steps of time make a task, and transforms that are filled together hold.
	taskSteps = 1 << 15
)

// dense reports whether steps without a point are few.
func (l *lagged) dense() bool { return l.span <= densestSteps*l.z.N }

// stretch is a part of an episode: of the points from … to−1, by their order, whose times count from first.
type stretch struct {
	from, to, first int
	sign            float64
}

// stretches cover all pairs at lags up to lags. Neighboring stretches overlap by that number of steps, and pairs in two
// of them are subtracted once. Each stretch, followed by lags empty steps, fits into size steps.
func (l *lagged) stretches(lags int) (out []stretch, size int) {
	whole := l.longest + 1 + lags
	size = 1
	for size < whole && size < wholeSteps || size < whole && size < 8*lags {
		size *= 2
	}
	length := size - lags
	for e, start := range l.start[:len(l.start)-1] {
		times := l.time[start:l.start[e+1]]
		position := func(t int) int { return start + sort.SearchInts(times, t) }
		last := times[len(times)-1]
		for first := times[0]; ; first += length - lags {
			out = append(out, stretch{position(first), position(first + length), first, 1})
			if first+length > last {
				break
			}
			both := first + length - lags
			out = append(out, stretch{position(both), position(first + length), both, -1})
		}
	}
	return out, size
}

// transformed returns the sums of x_s·x_t and the numbers of pairs at lags 0 … lags, from the squared absolute values
// of the transforms, whose transform they are. Two coordinates are transformed as the parts of one complex series.
func (l *lagged) transformed(ctx context.Context, lags, threads int) (sums, counts []float64, err error) {
	all, size := l.stretches(lags)
	tasks := [][]stretch{}
	for from := 0; from < len(all); {
		to, steps := from, 0
		for ; to < len(all) && steps < taskSteps; to++ {
			steps += all[to].to - all[to].from
		}
		tasks = append(tasks, all[from:to])
		from = to
	}
	power := make([][2][]float64, len(tasks))
	err = parallel.With(ctx, threads, len(tasks), func() func(int) error {
		t := newTransformer(l, size)
		return func(task int) error {
			power[task] = t.power(tasks[task])
			return nil
		}
	})
	if err != nil {
		return nil, nil, err
	}
	var total [2][]float64
	for kind := range total {
		total[kind] = make([]float64, size)
		for _, p := range power {
			matrix.AddTo(total[kind], p[kind])
		}
	}
	transform, series := newFourier(size), make([]complex128, size)
	back := func(power []float64) []float64 {
		for k, v := range power {
			series[k] = complex(v/float64(size), 0)
		}
		transform.transform(series)
		out := make([]float64, lags+1)
		for lag := range out {
			out[lag] = real(series[lag])
		}
		return out
	}
	sums, counts = back(total[0]), back(total[1])
	for lag, v := range counts {
		counts[lag] = math.Round(v)
	}
	return sums, counts, nil
}

// transformer is the memory of one goroutine.
type transformer struct {
	*lagged
	transform *fourier
	series    []complex128 // as many as are filled together
	row       []float64
}

func newTransformer(l *lagged, size int) *transformer {
	together := max(1, min(taskSteps/size, (l.z.Dim+1)/2))
	return &transformer{lagged: l, transform: newFourier(size), series: make([]complex128, together*size), row: make([]float64, 2*together)}
}

// power adds up the squared absolute values of the transforms of some stretches: of the coordinates, and of the
// series that is 1 where there is a point.
func (t *transformer) power(stretches []stretch) (power [2][]float64) {
	size := len(t.transform.work)
	power[0], power[1] = make([]float64, size), make([]float64, size)
	add := func(dst []float64, series []complex128, sign float64) {
		t.transform.transform(series)
		for k, c := range series {
			dst[k] += sign * (float64(real(c)*real(c)) + float64(imag(c)*imag(c)))
		}
	}
	together := len(t.series) / size
	for _, s := range stretches {
		for k := 0; k < t.z.Dim; k += 2 * together {
			row := t.row[:min(2*together, t.z.Dim-k)]
			clear(t.series)
			for position := s.from; position < s.to; position++ {
				t.centered(row, position, k)
				step := t.time[position] - s.first
				for q := 0; q < len(row); q += 2 {
					second := 0.0
					if q+1 < len(row) {
						second = row[q+1]
					}
					t.series[q/2*size+step] = complex(row[q], second)
				}
			}
			for q := 0; q < len(row); q += 2 {
				add(power[0], t.series[q/2*size:][:size], s.sign)
			}
		}
		presence := t.series[:size]
		clear(presence)
		for at := s.from; at < s.to; at++ {
			presence[t.time[at]-s.first] = 1
		}
		add(power[1], presence, s.sign)
	}
	return power
}
