// t-SNE: points laid out in a plane so that neighbors stay neighbors.

package embedding

import (
	"context"
	"fmt"
	"math"

	"repscope/internal/parallel"
	"repscope/neighbors"
	"repscope/points"
	"repscope/stat"
)

// TSNEOptions are the choices of t-SNE; the zero value is the default.
type TSNEOptions struct {
	// Perplexity is the effective number of neighbors of a point, above 1 and below the number of points; 0
	// means 30, or a third of the other points where that is less.
	Perplexity float64
	// Exaggeration multiplies the attraction in the first quarter of the iterations, at least 1; 0 means 12.
	Exaggeration float64
	// Rate is the size of steps; 0 means max(50, n/(4·Exaggeration)) (Belkina et al. 2019).
	Rate float64
	// Iterations is their number; 0 means 1000.
	Iterations int
	// Neighbors has Threads, Memory, Metric, Device and Progress of the search for neighbors; other
	// fields are not used. Results do not depend on the first two.
	Neighbors neighbors.Options
}

// Embedding is a layout of n points in the plane.
type Embedding struct {
	// Coordinates [n × 2], row-major, centered. Their unit means nothing.
	Coordinates []float64
	// KL is the Kullback–Leibler divergence Σ p·ln(p/q) that the layout minimizes, in nats, at least 0: a
	// measure for layouts of the same points under the same perplexity only.
	KL         float64
	Perplexity float64
	Iterations int
}

// TSNE embeds points [n, D] in a plane by t-distributed stochastic neighbor embedding (van der Maaten
// and Hinton 2008, "Visualizing data using t-SNE"). Similarities p of every point to its 3·Perplexity
// nearest neighbors (van der Maaten 2014, "Accelerating t-SNE using tree-based algorithms") come from
// exact distances. The optimization uses momentum, gains and early exaggeration, and starts at the two
// leading principal components scaled to a standard deviation of 10⁻⁴ (Kobak and Berens 2019). There
// is no randomness: the result is a function of points and options for any number of threads. Equal
// points have almost equal positions.
//
// Do not interpret distances between groups, or their sizes and densities. Fewer than 4 points, and
// constant points, are a [stat.UndefinedError]. Errors: options out of range, NaN or Inf, the error of
// ctx.
func TSNE(ctx context.Context, pts points.Points, o TSNEOptions) (*Embedding, error) {
	if err := o.fill(pts.N); err != nil {
		return nil, err
	}
	start, err := initial(pts)
	if err != nil {
		return nil, err
	}
	p, err := similarities(ctx, pts, &o)
	if err != nil {
		return nil, err
	}
	l := &layout{p: p, y: start, n: pts.N, threads: o.Neighbors.Threads}
	l.update, l.gains, l.repulsion = make([]float64, 2*l.n), make([]float64, 2*l.n), make([]float64, 2*l.n)
	l.gradient, l.rowSums = make([]float64, 2*l.n), make([]float64, l.n)
	for k := range l.gains {
		l.gains[k] = 1
	}
	early := o.Iterations / 4
	for t := range o.Iterations {
		exaggeration, momentum := 1.0, 0.8
		if t < early {
			exaggeration, momentum = o.Exaggeration, 0.5
		}
		if err := l.step(ctx, exaggeration, momentum, o.Rate); err != nil {
			return nil, err
		}
	}
	l.center()
	kl, err := l.divergence(ctx)
	if err != nil {
		return nil, err
	}
	return &Embedding{Coordinates: l.y, KL: kl, Perplexity: o.Perplexity, Iterations: o.Iterations}, nil
}

// fewest is the smallest number of points that are laid out.
const fewest = 4

// fill sets the defaults for n points.
func (o *TSNEOptions) fill(n int) error {
	if n < fewest {
		return stat.Undefined("t-SNE", "%d points, want at least %d", n, fewest)
	}
	if o.Perplexity == 0 {
		o.Perplexity = math.Min(30, float64(n-1)/3)
		if n < 7 {
			o.Perplexity = 2
		}
	}
	if o.Exaggeration == 0 {
		o.Exaggeration = 12
	}
	if o.Rate == 0 {
		o.Rate = math.Max(50, float64(n)/(4*o.Exaggeration))
	}
	if o.Iterations == 0 {
		o.Iterations = 1000
	}
	switch {
	case !(o.Perplexity > 1 && o.Perplexity < float64(n)):
		return fmt.Errorf("t-SNE: perplexity %v: want above 1 and below the %d points", o.Perplexity, n)
	case !(o.Exaggeration >= 1) || math.IsInf(o.Exaggeration, 0):
		return fmt.Errorf("t-SNE: exaggeration %v: want at least 1", o.Exaggeration)
	case !(o.Rate > 0) || math.IsInf(o.Rate, 0):
		return fmt.Errorf("t-SNE: step size %v: want above 0", o.Rate)
	case o.Iterations < 1:
		return fmt.Errorf("t-SNE: %d iterations: want at least 1", o.Iterations)
	}
	return nil
}

// initial are the two leading principal components, with a standard deviation of the first of 10⁻⁴.
func initial(pts points.Points) ([]float64, error) {
	c, err := PCA(pts, 2)
	if err != nil {
		return nil, err
	}
	squares := 0.0
	for i := range pts.N {
		squares += float64(c.Scores[i*c.Count] * c.Scores[i*c.Count])
	}
	scale := 1e-4 / math.Sqrt(squares/float64(pts.N))
	y := make([]float64, 2*pts.N)
	for i := range pts.N {
		for k := range c.Count {
			y[2*i+k] = scale * c.Scores[i*c.Count+k]
		}
		if c.Count == 1 {
			// Points along a line could never leave it.
			y[2*i+1] = 1e-6 * float64(i%2)
		}
	}
	return y, nil
}

// layout is a state of the descent.
type layout struct {
	p                           *affinities
	n, threads                  int
	y, update, gains, repulsion []float64 // [n × 2]
	gradient, rowSums           []float64
}

// step is one iteration.
func (l *layout) step(ctx context.Context, exaggeration, momentum, rate float64) error {
	z, err := l.repel(ctx)
	if err != nil {
		return err
	}
	err = parallel.For(ctx, l.threads, l.n, func(_, i int) {
		ax, ay := l.p.attraction(i, l.y)
		l.gradient[2*i] = 4 * (exaggeration*ax - l.repulsion[2*i]/z)
		l.gradient[2*i+1] = 4 * (exaggeration*ay - l.repulsion[2*i+1]/z)
	})
	if err != nil {
		return err
	}
	for k, g := range l.gradient {
		if l.update[k]*g < 0 {
			l.gains[k] += 0.2
		} else {
			l.gains[k] *= 0.8
		}
		l.gains[k] = max(l.gains[k], 0.01)
		l.update[k] = momentum*l.update[k] - rate*l.gains[k]*g
		l.y[k] += l.update[k]
	}
	return nil
}

// repel sets the repulsion of every point, Σ_j t²·(y_i − y_j) with t = 1/(1 + ‖y_i − y_j‖²), and
// returns the sum of all t.
func (l *layout) repel(ctx context.Context) (float64, error) {
	err := parallel.For(ctx, l.threads, l.n, func(_, i int) {
		x, y := l.y[2*i], l.y[2*i+1]
		var sum, fx, fy float64
		for j := 0; j < len(l.y); j += 2 {
			dx, dy := x-l.y[j], y-l.y[j+1]
			t := 1 / (1 + float64(dx*dx) + float64(dy*dy))
			sum += t
			t *= t
			fx += float64(t * dx)
			fy += float64(t * dy)
		}
		l.rowSums[i], l.repulsion[2*i], l.repulsion[2*i+1] = sum-1, fx, fy
	})
	if err != nil {
		return 0, err
	}
	return stat.Sum(l.rowSums), nil
}

// center moves the mean to the origin.
func (l *layout) center() {
	var x, y float64
	for i := range l.n {
		x += l.y[2*i] / float64(l.n)
		y += l.y[2*i+1] / float64(l.n)
	}
	for i := range l.n {
		l.y[2*i] -= x
		l.y[2*i+1] -= y
	}
}

// divergence is Σ p·ln(p/q).
func (l *layout) divergence(ctx context.Context) (float64, error) {
	z, err := l.repel(ctx)
	if err != nil {
		return 0, err
	}
	terms := make([]float64, l.n)
	for i := range terms {
		terms[i] = l.p.divergence(i, l.y, z)
	}
	return stat.Sum(terms), nil
}
