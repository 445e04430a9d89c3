// Package motion measures how points move in time: the autocorrelation of their
// paths and its integrated time τ, the lengths of steps, and how straight paths are.
//
//	runs := motion.Runs(z.N, episode, nil) // z: points.Points, [N, D], in order of time
//	path := motion.NewPath(z)
//	memory, err := path.Autocorrelation(ctx, runs, 100, nil, 0)
//	steps := path.Steps(motion.Pairs(runs))
//	turns := path.Turns(motion.Triples(runs))
//	fmt.Println(memory.Tau, stat.Median(steps), stat.Mean(turns.Degrees))
//
// Runs say which points follow each other: neither pairs nor triples cross the border
// of two episodes or a gap in time.
package motion

import (
	"math"

	"repscope/measure/internal/matrix"
	"repscope/points"
)

// Run is a stretch of points Start ≤ i < End that follow each other in time.
type Run struct{ Start, End int }

// Runs are the longest stretches of n points that follow each other in one episode:
// there the labels of episode are equal and time grows by 1. nil episodes mean one,
// nil times the positions themselves.
func Runs(n int, episode, time []int) []Run {
	var out []Run
	for start := 0; start < n; {
		end := start + 1
		for end < n && (episode == nil || episode[end] == episode[start]) && (time == nil || time[end] == time[end-1]+1) {
			end++
		}
		out = append(out, Run{start, end})
		start = end
	}
	return out
}

// Pairs lists the consecutive points of all runs, by the first of them.
func Pairs(runs []Run) []points.Pair {
	var out []points.Pair
	for _, r := range runs {
		for i := r.Start; i+1 < r.End; i++ {
			out = append(out, points.Pair{Now: i, Next: i + 1})
		}
	}
	return out
}

// Triples lists the points that have two successors in their run.
func Triples(runs []Run) []int {
	var out []int
	for _, r := range runs {
		for i := r.Start; i+2 < r.End; i++ {
			out = append(out, i)
		}
	}
	return out
}

// Path is points in the order of time, in float64 and centered.
type Path struct{ x matrix.Matrix }

// NewPath copies points [N, D]. Coordinates that are NaN or Inf are kept, and so are results that
// depend on them.
func NewPath(z points.Points) *Path {
	x, _ := matrix.Centered(z)
	return &Path{x: x}
}

// Steps returns ‖z_{t+1} − z_t‖ of every pair, in the units of the points.
func (p *Path) Steps(pairs []points.Pair) []float64 {
	out := make([]float64, len(pairs))
	for i, pair := range pairs {
		out[i] = math.Sqrt(matrix.SquaredDistance(p.x.Row(pair.Next), p.x.Row(pair.Now)))
	}
	return out
}

// Turns describe successive steps (Hénaff, Goris & Simoncelli 2019, "Perceptual
// straightening of natural videos"), one entry per triple z_t, z_{t+1}, z_{t+2}.
type Turns struct {
	// Cosine is the cosine of the two steps: 1 on a straight line, 0 expected for
	// independent steps, −0.5 for independent points.
	Cosine []float64
	// Degrees is the angle between them, from 0 (straight on) to 180 (back).
	Degrees []float64
	// Moved is 1 where both steps have a length, else 0, as Cosine and Degrees are
	// there: sums over it are those over the triples that move.
	Moved []float64
}

// Turns compares the two steps that begin at every point of triples.
func (p *Path) Turns(triples []int) Turns {
	n := len(triples)
	out := Turns{Cosine: make([]float64, n), Degrees: make([]float64, n), Moved: make([]float64, n)}
	first, second := make([]float64, p.x.Dim), make([]float64, p.x.Dim)
	for i, t := range triples {
		here, next, after := p.x.Row(t), p.x.Row(t+1), p.x.Row(t+2)
		for k, v := range next {
			first[k], second[k] = v-here[k], after[k]-v
		}
		a, b := math.Sqrt(matrix.Dot(first, first)), math.Sqrt(matrix.Dot(second, second))
		if a == 0 || b == 0 {
			continue
		}
		for k := range first {
			first[k], second[k] = first[k]/a, second[k]/b
		}
		out.Cosine[i] = max(-1, min(1, matrix.Dot(first, second)))
		out.Degrees[i] = angle(first, second)
		out.Moved[i] = 1
	}
	return out
}

// angle between unit vectors in degrees, 2·atan2(‖u − v‖, ‖u + v‖): exact to the last
// digits near 0 and 180 too, where the arc cosine is not.
func angle(u, v []float64) float64 {
	apart, together := 0.0, 0.0
	for k, a := range u {
		d, s := a-v[k], a+v[k]
		apart += float64(d * d)
		together += float64(s * s)
	}
	return 2 * math.Atan2(math.Sqrt(apart), math.Sqrt(together)) * 180 / math.Pi
}
