// Encode and Stream: a source of states in, latents out.

package latent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/dataset"
	"repscope/internal/share"
	"repscope/model"
	"repscope/model/graph"
	"repscope/model/pixels"
	"repscope/points"
)

// InputScale is the scale of pixel values at the encoder's input.
type InputScale string

const (
	// ScaleRaw presents values as stored (the default): 0..255 for uint8.
	ScaleRaw InputScale = "raw"
	// ScaleUnit maps the pixel range [Low, High] to [0, 1].
	ScaleUnit InputScale = "unit"
)

// defaultBatch is the number of states per batch if EncodeOptions does not say.
const defaultBatch = 64

// EncodeOptions are the options of Encode. The zero value is valid.
type EncodeOptions struct {
	Batch int  // states per batch; 0 means 64
	Pool  Pool // how [B, K, D] outputs become [B, D]; empty: the model's default
	Preprocessing
	// Changed marks states as changed, such as noisy frames: an encoder of integers then gets the nearest integers that it
	// takes. It refuses other non-integer states, unless they are resized.
	Changed bool
	// Threads bounds the goroutines; 0 uses OpenOptions.
	Threads int
	// Cache keeps latents on disk between runs; nil means no cache. A Stream
	// does not use it.
	Cache *Cache
	// Kept, if not nil, is called when the latents come from the cache.
	Kept func()
	// Room, if not nil, is called with the size of the latents before any state is read. An error of it stops the run. It
	// is not called for encoders of other packages, whose outputs have no shape yet.
	Room func(bytes int64) error
	// Progress, if not nil, is called after each batch from one goroutine.
	// Latents found in the cache are reported at once as (total, total).
	Progress func(done, total int)
	// Warn, if not nil, receives problems that do not stop the run, such as a cache that cannot be written.
	Warn func(error)
}

// result is one output of a batch: the values and their shape [B, …].
type result struct {
	values []float32
	shape  []int
}

// array is a copy.
func (r result) array() Array { return Array{slices.Clone(r.shape), slices.Clone(r.values)} }

// pipeline takes batches in and gives their outputs back in order.
type pipeline interface {
	// submit begins to encode a batch, which must stay as it is until its outputs
	// are collected; up to depth batches may be under way.
	submit(ctx context.Context, batch []float32, n int, state []int) error
	// collect returns the outputs of the oldest batch; the memory is the encoder's.
	collect(ctx context.Context) ([]result, error)
	depth() int
	// drain finishes the pending batches after an error.
	drain()
	// takesPixels reports whether batches of n states may enter unconverted, by submitBytes or submitNoisy; displacements
	// are the displacements of the noisy batch collected last.
	takesPixels(n int) bool
	submitBytes(ctx context.Context, states []uint8, n int, state []int, levels pixels.Levels) error
	submitNoisy(ctx context.Context, batch pixels.Noisy, n int, state []int) error
	displacements() []float64
}

// byteSource is a source of states whose type may be uint8.
type byteSource interface {
	DType() dataset.DType
	Uint8(dst []uint8, lo, hi int) error
}

// direct is an encoder that exposes its own memory, which saves a copy of every batch; all encoders of this package do.
// The states come unscaled in type but in the shape of the source.
type direct interface {
	LayerEncoder
	pipeline
	// outputShapes are the shapes for one state, with the batch first.
	outputShapes(state []int) ([][]int, error)
	// pools are the default poolings of the outputs.
	pools() []Pool
	// separate is an error if the outputs' rows of one state do not lie together.
	separate(ctx context.Context, state []int) error
	setThreads(n int)
}

// Latents maps every state of src through enc, pools each output to a vector,
// and returns the float32 latents, one row per state. NaN or Inf in a latent is an error
// naming the encoder and the state; so is an output of more than one vector
// per state without a Pool. Of an encoder of several layers it takes the first.
// Cancelling ctx stops it between two operators.
func Latents(ctx context.Context, enc Encoder, src Source, o EncodeOptions) (points.Points, error) {
	info := enc.Info()
	z, err := latents(ctx, enc, info, src, o)
	if err != nil {
		if ctx.Err() != nil {
			return points.Points{}, ctx.Err()
		}
		return points.Points{}, fmt.Errorf("encoder %s: %w", info.Name, err)
	}
	return z, nil
}

func latents(ctx context.Context, enc Encoder, info Info, src Source, o EncodeOptions) (points.Points, error) {
	if _, err := ParsePool(string(o.Pool)); err != nil {
		return points.Points{}, err
	}
	s, err := newStream(enc, info, src, o)
	if err != nil {
		return points.Points{}, err
	}
	if err := s.check(ctx); err != nil {
		return points.Points{}, err
	}
	if s.outputs != nil && o.Room != nil {
		if err := o.Room(4 * int64(src.Len()) * int64(graph.Count(s.outputs[0].Shape))); err != nil {
			return points.Points{}, err
		}
	}
	o.Preprocessing = s.pre.Preprocessing
	key := ""
	if o.Cache != nil || share.In(ctx) {
		named := o
		if s.single && o.Pool != PoolMean { // the poolings give the same, and are one entry
			named.Pool = PoolNone
		}
		if key, err = keyOf(info, src, named); err != nil {
			return points.Points{}, &ReadError{err}
		}
	}
	latents, err := share.Do(ctx, sharedKey("latents", key), func() (found, error) { return s.cached(ctx, o, key) },
		found.size)
	if err == nil && latents.kept && o.Kept != nil {
		o.Kept()
	}
	return latents.z, err
}

// found are latents, and whether they come from the cache.
type found struct {
	z    points.Points
	kept bool
}

func (f found) size() int64 { return sizeOf(f.z) }

// sharedKey is the key under which concurrent runs share something; empty without one.
func sharedKey(what, key string) string {
	if key == "" {
		return ""
	}
	return what + " " + key
}

func sizeOf(z points.Points) int64 { return 4 * int64(len(z.F32)) }

// cached takes the latents from the cache, or encodes the states and puts them there.
func (s *Stream) cached(ctx context.Context, o EncodeOptions, key string) (found, error) {
	total := s.src.Len()
	z, dim, err := o.Cache.load(key, total)
	if z != nil {
		if o.Progress != nil {
			o.Progress(total, total)
		}
		return found{points.Float32(z, dim), true}, nil
	}
	if err != nil && o.Warn != nil {
		o.Warn(err)
	}
	if z, dim, err = s.all(ctx, func(int, int) {}); err != nil {
		return found{}, err
	}
	if err := o.Cache.store(key, z, total, dim); err != nil && o.Warn != nil {
		o.Warn(fmt.Errorf("latent cache: %w", err))
	}
	return found{z: points.Float32(z, dim)}, nil
}

// all encodes all states and returns the latents of the first output and their
// dimension. After each batch of states lo ≤ i < hi it calls done.
func (s *Stream) all(ctx context.Context, done func(lo, hi int)) ([]float32, int, error) {
	var latents []float32
	dim := 0
	err := s.run(ctx, 0, func(lo, hi int, rows [][]float32) error {
		if latents == nil {
			dim = len(rows[0]) / (hi - lo)
			if dim == 0 {
				return fmt.Errorf("the output has shape %v: no latent dimensions", s.outputs[0].Shape)
			}
			latents = make([]float32, s.src.Len()*dim)
		}
		copy(latents[lo*dim:hi*dim], rows[0])
		done(lo, hi)
		return nil
	})
	return latents, dim, err
}

// StreamOutput is one array that a Stream makes.
type StreamOutput struct {
	Layer Layer // its Name is empty for an encoder without layers
	Pool  Pool  // as it applies; PoolNone where there is one vector per state
	Shape []int // of one state's part
}

// Stream encodes a source batch by batch, in memory that does not depend on the
// number of states:
//
//	s, err := latent.NewStream(ctx, enc, states, latent.EncodeOptions{Pool: latent.PoolKeep})
//	err = s.Run(ctx, 0, func(lo, hi int, rows [][]float32) error { … })
type Stream struct {
	enc     Encoder
	info    Info
	src     Source
	o       EncodeOptions
	pre     *preprocessor
	outputs []StreamOutput // nil until known
	pools   []Pool         // with PoolFlatten instead of PoolKeep, by output
	single  bool           // the first output is known to be one vector per state
	most    int            // states of a batch
	levels  pixels.Levels  // the meaning of bytes, once there are some
	noise   *Noise         // on the states, where the encoder runs; nil: none
}

// NewStream prepares to encode src. It checks shapes and poolings before anything is read; an encoder of another
// package receives the first state to determine its output. The pooling applies to every output; PoolKeep leaves them
// in their own shapes.
func NewStream(ctx context.Context, enc Encoder, src Source, o EncodeOptions) (*Stream, error) {
	info := enc.Info()
	s, err := newStream(enc, info, src, o)
	if err == nil {
		err = s.check(ctx)
	}
	if err == nil && s.outputs == nil {
		one := *s
		one.o.Batch, one.o.Progress = 1, nil
		err = one.run(ctx, src.Len()-1, func(int, int, [][]float32) error { return nil })
		s.outputs, s.pools = one.outputs, one.pools
	}
	if err != nil {
		return nil, fmt.Errorf("encoder %s: %w", info.Name, err)
	}
	return s, nil
}

// Outputs describes the arrays, in the order of the encoder's layers.
func (s *Stream) Outputs() []StreamOutput { return s.outputs }

// Run encodes the states from first on. For each batch of states lo ≤ i < hi it
// calls write with the rows of each output, which are valid during the call.
// Rows have the same bits whatever first and the batch size are. NaN or Inf in a
// row is an error naming the state. Progress counts all states.
func (s *Stream) Run(ctx context.Context, first int, write func(lo, hi int, rows [][]float32) error) error {
	if first < 0 || first > s.src.Len() {
		return fmt.Errorf("encoder %s: state %d of %d", s.info.Name, first, s.src.Len())
	}
	if err := s.run(ctx, first, write); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("encoder %s: %w", s.info.Name, err)
	}
	return nil
}

func newStream(enc Encoder, info Info, src Source, o EncodeOptions) (*Stream, error) {
	state := src.Shape()
	width := graph.Count(state)
	if src.Len() == 0 || width == 0 {
		return nil, fmt.Errorf("no states to encode (%d of shape %v)", src.Len(), state)
	}
	if o.Batch < 0 {
		return nil, fmt.Errorf("batch %d, want at least 1", o.Batch)
	}
	if o.Batch == 0 {
		o.Batch = defaultBatch
	}
	if o.Pool != PoolKeep {
		if _, err := ParsePool(string(o.Pool)); err != nil {
			return nil, err
		}
	}
	pre, err := newPreprocessor(o.Preprocessing, state)
	if err != nil {
		return nil, err
	}
	return &Stream{enc: enc, info: info, src: src, o: o, pre: pre}, nil
}

// check finds wrong shapes and poolings before anything is read, for encoders that know their shapes.
func (s *Stream) check(ctx context.Context) error {
	d, ok := s.enc.(direct)
	if !ok {
		return nil
	}
	if s.o.Threads > 0 {
		d.setThreads(s.o.Threads)
	}
	shapes, err := d.outputShapes(s.pre.seen)
	if err != nil {
		return err
	}
	if err := s.resolve(shapes); err != nil {
		return err
	}
	return d.separate(ctx, s.pre.seen)
}

// Check finds, before anything is read, a shape of states or a pooling that does not fit the encoder; the errors are a
// ShapeError and a PoolError. It returns the shape of one state at the encoder's input, and the type of its elements;
// for an encoder of another package, of the state itself.
func Check(enc Encoder, state []int, p Pool) (input []int, dtype string, err error) {
	e, ok := enc.(*modelEncoder)
	if !ok {
		return slices.Clone(state), model.Float32.String(), nil
	}
	fail := func(err error) ([]int, string, error) {
		return nil, "", fmt.Errorf("encoder %s: %w", e.info.Name, err)
	}
	shapes, err := e.outputShapes(state)
	if err != nil {
		return fail(err)
	}
	s := &Stream{enc: enc, info: e.info, o: EncodeOptions{Pool: p}}
	if err := s.resolve(shapes); err != nil {
		return fail(err)
	}
	return slices.Clone(e.shape[1:]), e.input.DType.String(), nil
}

// resolve determines the poolings for the outputs' shapes [B, …].
func (s *Stream) resolve(shapes [][]int) error {
	defaults := []Pool{s.info.DefaultPool}
	layers := make([]Layer, len(shapes))
	if d, ok := s.enc.(direct); ok {
		defaults, layers = d.pools(), d.Layers()
	}
	outputs, pools := make([]StreamOutput, len(shapes)), make([]Pool, len(shapes))
	for k, shape := range shapes {
		out := StreamOutput{Layer: layers[k], Pool: PoolKeep, Shape: slices.Clone(shape[1:])}
		pools[k] = PoolFlatten
		if s.o.Pool != PoolKeep {
			asked := s.o.Pool
			if len(shapes) > 1 && len(shape) <= 2 { // other layers may have several vectors
				asked = PoolNone
			}
			pool, dim, err := asked.resolveMap(shape, defaults[k], layers[k].channels)
			if err != nil {
				if len(shapes) > 1 {
					err = fmt.Errorf("layer %s: %w", layers[k].Label(), err)
				}
				return err
			}
			if out.Pool, out.Shape, pools[k] = pool, []int{dim}, pool; pool == poolPositions {
				out.Pool = PoolMean
			}
		}
		outputs[k] = out
	}
	s.outputs, s.pools = outputs, pools
	s.single = graph.Count(shapes[0][1:]) == shapes[0][len(shapes[0])-1]
	return nil
}

// ReadError is a failure to read states: no encoder is to blame for it.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

// OfRun marks errors that are no fault of a model.
func (e *ReadError) OfRun() {}

// pass is one batch on its way through the encoder.
type pass struct {
	lo, hi          int
	batch, prepared []float32 // buffers for states as read, and as preprocessed
	bytes           []uint8   // buffer for states as read, if the encoder takes bytes
	states          []float32 // at the encoder's input; nil if these are bytes
}

// begin reads the states of a pass and submits them.
func (s *Stream) begin(ctx context.Context, enc pipeline, p *pass) error {
	n := p.hi - p.lo
	read := func(err error) error { return &ReadError{fmt.Errorf("states %d to %d: %w", p.lo, p.hi-1, err)} }
	if src, ok := s.src.(byteSource); ok && src.DType() == dataset.Uint8 && !s.pre.reshapes() && enc.takesPixels(n) {
		p.bytes = slices.Grow(p.bytes[:0], n*graph.Count(s.pre.in))[:n*graph.Count(s.pre.in)]
		if err := src.Uint8(p.bytes, p.lo, p.hi); err != nil {
			return read(err)
		}
		p.states = nil
		if s.noise != nil {
			return s.submitNoisy(ctx, enc, p, pixels.Noisy{Bytes: p.bytes})
		}
		if s.levels.Values == nil {
			s.levels.Values, s.levels.Plane = s.pre.levels()
		}
		return enc.submitBytes(ctx, p.bytes, n, s.pre.out, s.levels)
	}
	if p.batch == nil {
		p.batch = make([]float32, s.most*graph.Count(s.pre.in))
		p.prepared = p.batch
		if s.pre.reshapes() {
			p.prepared = make([]float32, s.most*graph.Count(s.pre.out))
		}
	}
	batch := p.batch[:n*graph.Count(s.pre.in)]
	if err := s.src.Float32(batch, p.lo, p.hi); err != nil {
		return read(err)
	}
	p.states = p.prepared[:n*graph.Count(s.pre.out)]
	if s.noise != nil {
		return s.submitNoisy(ctx, enc, p, pixels.Noisy{Floats: p.states})
	}
	s.pre.apply(p.states, batch, n)
	if e, ok := enc.(*modelEncoder); ok {
		if err := e.integers(p.states, s.o.Changed || s.pre.reshapes()); err != nil {
			return read(err)
		}
	}
	return enc.submit(ctx, p.states, n, s.pre.seen)
}

func (s *Stream) run(ctx context.Context, first int, write func(lo, hi int, rows [][]float32) error) error {
	enc, ok := s.enc.(pipeline)
	if !ok {
		enc = &foreign{Encoder: s.enc}
	}
	defer enc.drain()
	total := s.src.Len()
	s.most = min(s.o.Batch, total-first)
	passes := make([]pass, enc.depth())
	w := &writer{Stream: s, write: write}
	// The encoder works on earlier batches while the next one is read.
	read, done := 0, 0
	for lo := first; lo < total || done < read; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if lo < total && read-done < len(passes) {
			p := &passes[read%len(passes)]
			p.lo, p.hi = lo, min(lo+s.o.Batch, total)
			if err := s.begin(ctx, enc, p); err != nil {
				return err
			}
			lo, read = p.hi, read+1
			continue
		}
		results, err := enc.collect(ctx)
		if err != nil {
			return err
		}
		p := &passes[done%len(passes)]
		done++
		if err := w.rows(p, results); err != nil {
			return err
		}
		if s.o.Progress != nil {
			s.o.Progress(p.hi, total)
		}
	}
	return nil
}

// writer pools and checks the outputs of batches and passes them on.
type writer struct {
	*Stream
	write  func(lo, hi int, rows [][]float32) error
	pooled [][]float32 // buffers for a full batch, by output; nil without pooling
	part   [][]float32
}

func (w *writer) rows(p *pass, results []result) error {
	if w.outputs == nil {
		if err := w.resolve([][]int{results[0].shape}); err != nil {
			return err
		}
	}
	if w.part == nil {
		w.pooled, w.part = make([][]float32, len(results)), make([][]float32, len(results))
		for k, out := range w.outputs {
			if pool := w.pools[k]; pool != PoolNone && pool != PoolFlatten {
				w.pooled[k] = make([]float32, w.most*graph.Count(out.Shape))
			}
		}
	}
	n, width := p.hi-p.lo, graph.Count(w.pre.out)
	for k, r := range results {
		row, dim := len(r.values)/n, graph.Count(w.outputs[k].Shape)
		if w.part[k] = r.values; w.pooled[k] != nil {
			w.part[k] = w.pooled[k][:n*dim]
		}
		for i := range n {
			z := w.part[k][i*dim : (i+1)*dim]
			if w.pooled[k] != nil {
				ApplyPool(w.pools[k], z, r.values[i*row:(i+1)*row])
			}
			var state []float32 // bytes are finite
			if p.states != nil {
				state = p.states[i*width : (i+1)*width]
			}
			if err := finite(z, state); err != nil {
				if len(results) > 1 {
					err = fmt.Errorf("layer %s: %w", w.outputs[k].Layer.Label(), err)
				}
				return fmt.Errorf("state %d: %w", p.lo+i, err)
			}
		}
	}
	return w.write(p.lo, p.hi, w.part)
}

// foreign adapts an encoder of another package.
type foreign struct {
	Encoder
	batch Array
}

func (f *foreign) submit(_ context.Context, states []float32, n int, state []int) error {
	f.batch = Array{append([]int{n}, state...), states}
	return nil
}

func (f *foreign) collect(ctx context.Context) ([]result, error) {
	n := f.batch.Shape[0]
	out, err := f.Encode(ctx, f.batch)
	if err != nil {
		return nil, err
	}
	if len(out.Shape) == 0 || out.Shape[0] != n || graph.Count(out.Shape) != len(out.Values) {
		return nil, fmt.Errorf("the output has shape %v over %d values for a batch of %d, want [B, …]",
			out.Shape, len(out.Values), n)
	}
	return []result{{out.Values, out.Shape}}, nil
}

func (f *foreign) depth() int           { return 1 }
func (f *foreign) drain()               {}
func (f *foreign) takesPixels(int) bool { return false }

func (f *foreign) submitBytes(context.Context, []uint8, int, []int, pixels.Levels) error {
	return errForeign
}
func (f *foreign) submitNoisy(context.Context, pixels.Noisy, int, []int) error { return errForeign }
func (f *foreign) displacements() []float64                                    { return nil }

var errForeign = errors.New("this encoder does not accept stored states")

// finite reports the first element that is not a number or infinite, and
// whether the state was to blame.
func finite(z, state []float32) error {
	for j, v := range z {
		if d := v - v; d == 0 {
			continue
		}
		for k, s := range state {
			if s-s != 0 {
				return fmt.Errorf("latent element %d is %g; element %d of the state itself is %g", j, v, k, s)
			}
		}
		return fmt.Errorf("latent element %d is %g", j, v)
	}
	return nil
}
