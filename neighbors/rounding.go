// Points that differ only by rounding.

package neighbors

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"repscope/internal/parallel"
	"repscope/points"
)

const (
	// wideUlps is the largest distance of points that differ only by rounding, in units in the last place of their norm,
	// in float32 and float64. An encoder adds up sums in another order if it takes states in batches of another size, or
	// runs on other kernels. Convolutions, residual and fully connected networks of PyTorch move by 3 to 6.
	wideUlps = 16
	// narrowUlps is that in float16 and bfloat16, whose sums are made in float32: single
	// values are rounded to the other side.
	narrowUlps = 1
	// sameState is how far latents of equal states may be apart, in RMS distances of two
	// points, to be the same except for rounding: in half precision inside an encoder they are a
	// thousandth apart. An encoder with a memory takes equal states farther apart.
	sameState = 0.01
)

// Precision returns the number of significand digits of rounded values: 53 for float64, 24 for float32, 11 for float16,
// 8 for bfloat16. It is the smallest of these types that holds all values, whatever type they are stored in, if they
// use its last digit: rounded numbers do in half of the cases. Numbers of few digits, such as integers or codes, are
// exact: 0.
func Precision(p points.Points) int {
	if p.U8 != nil {
		return 0
	}
	// A sample is as informative as all points.
	const sampled = 1 << 18
	step := max(1, p.N*p.Dim/sampled)
	longest, whole := 0, true
	eachValue(p, step, func(v float64) {
		longest, whole = max(longest, significant(v)), whole && v == math.Trunc(v)
	})
	for _, digits := range [...]int{8, 11, 24, 53} {
		if longest > digits {
			continue
		}
		if whole && digits < 24 || !usesLast(p, step, digits) {
			return 0
		}
		return digits
	}
	return 0
}

// eachValue visits the values of every step-th point.
func eachValue(p points.Points, step int, visit func(v float64)) {
	for i := 0; i < p.N; i += step {
		lo, hi := i*p.Dim, (i+1)*p.Dim
		if p.F32 != nil {
			for _, v := range p.F32[lo:hi] {
				visit(float64(v))
			}
			continue
		}
		for _, v := range p.F64[lo:hi] {
			visit(v)
		}
	}
}

// significant is the number of binary digits of a number, from the first to the last that is not 0; 0 for 0 and for
// numbers too small to count.
func significant(v float64) int {
	b := math.Float64bits(v)
	if b>>52&0x7ff == 0 {
		return 0
	}
	return 53 - min(bits.TrailingZeros64(b|1<<52), 52)
}

// usesLast reports whether the values can be numbers rounded to this many digits: a good part of them needs the last
// digit. Values of a third of the digits, such as the ends of a range, and repeated values are not informative. Few
// digits must be used in every power of two: fixed-point numbers have fewer of them below the largest.
func usesLast(p points.Points, step, digits int) bool {
	const enough, share, least = 16, 0.25, 11
	type count struct {
		all, full int
		last      float64
	}
	var byExponent [2048]count
	var total count
	eachValue(p, step, func(v float64) {
		n := significant(v)
		c := &byExponent[math.Float64bits(v)>>52&0x7ff]
		if n <= digits/3 || c.last == v {
			return
		}
		c.last = v
		c.all++
		total.all++
		if n == digits {
			c.full++
			total.full++
		}
	})
	if total.all == 0 || float64(total.full) < share*float64(total.all) {
		return false
	}
	for i := range byExponent {
		if c := &byExponent[i]; digits <= least && c.all >= enough && float64(c.full) < share*float64(c.all) {
			return false
		}
	}
	return true
}

// Rounding describes points that differ only by rounding.
type Rounding struct {
	// Points are the points, with each point that equals another except for rounding replaced by the first such; the
	// unchanged points if there is none.
	Points points.Points
	// Moved is how many points are not where they were.
	Moved int
}

// WithoutRounding makes points equal that differ only by rounding, so that they count as duplicates. A difference in
// the last digits is not a distance. It would decide by chance which of two neighbors is nearer, and the ratio of their
// distances.
//
// Two points differ only by rounding if they are within 16 units in the last place of their norm in float32 and
// float64, and within one in float16 and bfloat16 (see [Precision]). Points of one state (equal numbers in states) may
// differ by a hundredth of the RMS distance between two points; nil states are all different. Points must be finite.
// Errors: the error of the context, another number of states.
func WithoutRounding(ctx context.Context, p points.Points, states []int, threads int) (Rounding, error) {
	out := Rounding{Points: p}
	if states != nil && len(states) != p.N {
		return out, fmt.Errorf("%d states for %d points", len(states), p.N)
	}
	group := newGroups(p.N)
	if digits := Precision(p); digits > 0 && p.N > 1 {
		ulps, leading := float64(wideUlps), leadingWide
		if digits < 24 {
			ulps, leading = narrowUlps, leadingNarrow
		}
		if err := group.joinNear(ctx, p, math.Ldexp(ulps, 1-digits), leading, threads); err != nil {
			return out, err
		}
	}
	if states != nil {
		group.joinSame(p, states)
	}
	var moved []int
	for i := range group {
		if first := group.of(i); first != i && !equalRow(p, first, i) {
			moved = append(moved, i)
		}
	}
	if len(moved) == 0 {
		return out, nil
	}
	index := make([]int, p.N)
	for i := range index {
		index[i] = group.of(i)
	}
	out.Points, out.Moved = p.Select(index), len(moved)
	return out, nil
}

// groups are sets of points, each named by its lowest.
type groups []int32

func newGroups(n int) groups {
	g := make(groups, n)
	for i := range g {
		g[i] = int32(i)
	}
	return g
}

// of is the lowest point of the group of i.
func (g groups) of(i int) int {
	for g[i] != int32(i) {
		g[i] = g[g[i]]
		i = int(g[i])
	}
	return i
}

func (g groups) join(i, j int) {
	if i, j = g.of(i), g.of(j); i < j {
		g[j] = int32(i)
	} else {
		g[i] = int32(j)
	}
}

// leadingWide and leadingNarrow are the numbers of directions that separate points before all their values do: in half
// precision more pairs are near along one.
const leadingWide, leadingNarrow = 2, 8

// joinNear joins points no farther apart than tolerance times their norm; leading is the number of directions compared
// first.
func (g groups) joinNear(ctx context.Context, p points.Points, tolerance float64, leading, threads int) error {
	directions := leadingDirections(p, leading)
	q := len(directions)
	along, norms := make([]float64, p.N*q), make([]float64, p.N)
	err := parallel.With(ctx, threads, p.N, func() func(i int) error {
		row := make([]float64, p.Dim)
		return func(i int) error {
			p.Row(i, row)
			norms[i] = math.Sqrt(dot(row, row))
			for k, d := range directions {
				along[i*q+k] = dot(row, d)
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	order := make([]int, p.N)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(along[i*q], along[j*q]), cmp.Compare(i, j)) })
	rounding := float64(p.Dim) * 0x1p-51 // of the computation here
	a, b := make([]float64, p.Dim), make([]float64, p.Dim)
	var kept []int // in that order; no two of them are the same
	for step, i := range order {
		if step%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		limit := tolerance * norms[i] * (1 + 2*tolerance)
		reach := limit + rounding*norms[i]
		best, nearest := -1, math.Inf(1)
		for k := len(kept) - 1; k >= 0; k-- {
			j := kept[k]
			if along[i*q]-along[j*q] > reach {
				break
			}
			square := 0.0
			for d := range q {
				x := along[i*q+d] - along[j*q+d]
				square += float64(x * x)
			}
			if square > reach*reach {
				continue
			}
			if d := distance(p.Row(i, a), p.Row(j, b)); d <= tolerance*max(norms[i], norms[j]) && d < nearest {
				best, nearest = j, d
			}
		}
		if best < 0 {
			kept = append(kept, i)
			continue
		}
		g.join(i, best)
	}
	return nil
}

// joinSame joins points of equal states that are near to the first of them.
func (g groups) joinSame(p points.Points, states []int) {
	first := make(map[int]int, len(states))
	var again [][2]int
	for i, state := range states {
		if j, ok := first[state]; ok {
			again = append(again, [2]int{j, i})
		} else {
			first[state] = i
		}
	}
	if again == nil {
		return
	}
	mean, row := make([]float64, p.Dim), make([]float64, p.Dim)
	for i := range p.N {
		for k, v := range p.Row(i, row) {
			mean[k] += v / float64(p.N)
		}
	}
	square := 0.0
	for i := range p.N {
		d := distance(p.Row(i, row), mean)
		square += float64(d * d)
	}
	limit := sameState * math.Sqrt(2*square/float64(max(p.N-1, 1)))
	other := make([]float64, p.Dim)
	for _, pair := range again {
		if distance(p.Row(pair[0], row), p.Row(pair[1], other)) <= limit {
			g.join(pair[0], pair[1])
		}
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for k, v := range a {
		sum += float64(v * b[k])
	}
	return sum
}

func distance(a, b []float64) float64 {
	sum := 0.0
	for k, v := range a {
		d := v - b[k]
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

func equalRow(p points.Points, i, j int) bool {
	for k := range p.Dim {
		switch {
		case p.U8 != nil && p.U8[i*p.Dim+k] != p.U8[j*p.Dim+k],
			p.F32 != nil && p.F32[i*p.Dim+k] != p.F32[j*p.Dim+k],
			p.F64 != nil && p.F64[i*p.Dim+k] != p.F64[j*p.Dim+k]:
			return false
		}
	}
	return true
}

// leadingDirections are orthonormal directions along which points differ about as much as along any, by a few steps of
// subspace iteration on a sample. They only have to separate most pairs.
func leadingDirections(p points.Points, limit int) [][]float64 {
	const sampled, steps = 512, 4
	q := min(limit, p.Dim)
	var rows [][]float64
	mean := make([]float64, p.Dim)
	step := max(1, p.N/sampled)
	for i := 0; i < p.N; i += step {
		rows = append(rows, p.Row(i, nil))
	}
	for _, row := range rows {
		for k, v := range row {
			mean[k] += v / float64(len(rows))
		}
	}
	for _, row := range rows {
		for k := range row {
			row[k] -= mean[k]
		}
	}
	directions := make([][]float64, q)
	for d := range directions {
		directions[d] = make([]float64, p.Dim)
		for k := range directions[d] {
			directions[d][k] = pseudorandom(uint64(d)<<32 | uint64(k))
		}
	}
	for s := range steps {
		orthonormalize(directions)
		if s == steps-1 {
			break
		}
		next := make([][]float64, q)
		for d := range next {
			next[d] = make([]float64, p.Dim)
		}
		for _, row := range rows {
			for d, direction := range directions {
				along := dot(row, direction)
				for k, v := range row {
					next[d][k] += float64(along * v)
				}
			}
		}
		for d := range next { // where points do not differ, the direction stays
			if dot(next[d], next[d]) > 0 {
				directions[d] = next[d]
			}
		}
	}
	return directions
}

// orthonormalize makes directions orthonormal, in two passes because of rounding; dependent directions are replaced.
func orthonormalize(directions [][]float64) {
	for d, v := range directions {
		for attempt := 0; ; attempt++ {
			for range 2 {
				length := math.Sqrt(dot(v, v))
				for k := range v {
					v[k] /= length
				}
				for _, u := range directions[:d] {
					along := dot(u, v)
					for k := range v {
						v[k] -= float64(along * u[k])
					}
				}
			}
			length := math.Sqrt(dot(v, v))
			if length > 1e-8 && length < math.Inf(1) || attempt == 8 {
				for k := range v {
					v[k] /= length
				}
				break
			}
			for k := range v {
				v[k] = pseudorandom(uint64(attempt+1)<<48 | uint64(d)<<32 | uint64(k))
			}
		}
	}
}

// pseudorandom is a number between −1 and 1 that has nothing to do with data.
func pseudorandom(i uint64) float64 {
	i += 0x9e3779b97f4a7c15
	i = (i ^ i>>30) * 0xbf58476d1ce4e5b9
	i = (i ^ i>>27) * 0x94d049bb133111eb
	return float64(int64(i^i>>31)) / (1 << 63)
}
