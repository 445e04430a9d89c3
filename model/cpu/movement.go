// Operators that move or make elements. All of them are written once for every
// element type: move[T] gets the typed slices of input and output.

package cpu

import (
	"repscope/internal/kernel"
	"repscope/model/graph"
	"repscope/model/operator"
)

var movementKernels = map[string]constructor{
	".Transpose": buildTranspose, ".Slice": buildSlice, ".Expand": buildExpand, ".Tile": buildTile, ".Concat": buildConcat,
	".Split": buildSplit, ".Pad": buildPad, ".ConstantOfShape": buildConstantOfShape, ".Range": buildRange, ".Trilu": buildTrilu,
}

// strided copies a box of elements: dst is contiguous with this shape, the source element for index i lies at base + Σ
// i·stride. The inner loop is special-cased.
type strided struct {
	shape, strides []int
	base           int
}

// newStrided merges axes that can be walked as one.
func newStrided(shape, strides []int, base int) *strided {
	merged, apart := graph.Merge(shape, strides)
	s := &strided{shape: merged, base: base}
	for _, at := range apart {
		s.strides = append(s.strides, at[0])
	}
	if len(s.shape) == 0 {
		s.shape, s.strides = []int{1}, []int{1}
	}
	return s
}

// copyStrided writes rows lo ≤ r < hi (a row is the innermost axis).
func copyStrided[T any](s *strided, dst, src []T, lo, hi int) {
	last := len(s.shape) - 1
	n, step := s.shape[last], s.strides[last]
	for r := lo; r < hi; r++ {
		offset, q := s.base, r
		for i := last - 1; i >= 0; i-- {
			offset += q % s.shape[i] * s.strides[i]
			q /= s.shape[i]
		}
		row := dst[r*n : (r+1)*n]
		if step == 1 {
			copy(row, src[offset:])
			continue
		}
		for j := range row {
			row[j] = src[offset]
			offset += step
		}
	}
}

// run returns the run function of a strided copy from input i to output 0.
func (s *strided) run(b *builder, i int) func() error {
	m, x, y := b.memory, b.Step.In[i], b.Step.Out[0]
	total := graph.Count(b.OutShape(0))
	if total == 0 {
		return func() error { return nil }
	}
	row := s.shape[len(s.shape)-1]
	t := b.DType(i)
	return b.span(total/row, max(1, grain/row), func(_, lo, hi int) {
		switch t {
		case graph.Float32:
			copyStrided(s, m.f32[y], m.f32[x], lo, hi)
		case graph.Int64:
			copyStrided(s, m.i64[y], m.i64[x], lo, hi)
		case graph.Bool:
			copyStrided(s, m.bits[y], m.bits[x], lo, hi)
		}
	})
}

func buildTranspose(b *builder) (func() error, error) {
	strides := b.Step.Params.(operator.TransposeParams).Strides(b.Shape(0))
	s := newStrided(b.OutShape(0), strides, 0)
	if graph.Count(b.OutShape(0)) == 0 {
		return func() error { return nil }, nil
	}
	if k := len(s.shape); k >= 2 && s.strides[k-1] > 1 && s.strides[k-2] == 1 && b.DType(0) == graph.Float32 {
		return transposeTiles(b, s), nil
	}
	return s.run(b, 0), nil
}

// transposeStrip is the number of rows that are written together: a cache line of the source.
const transposeStrip = 16

// transposeTiles transposes the two inner axes in strips of rows, so that both sides
// are read and written along cache lines.
func transposeTiles(b *builder, s *strided) func() error {
	k := len(s.shape)
	rows, cols, stride := s.shape[k-2], s.shape[k-1], s.strides[k-1]
	x, y := b.in(0), b.out(0)
	strip := transposeStrip
	if cols < 64 {
		strip = 1024 / cols
	}
	strips := (rows + strip - 1) / strip
	outer := graph.Count(s.shape[:k-2])
	return b.span(outer*strips, max(1, grain/(strip*cols)), func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			matrix, first := t/strips, t%strips*strip
			offset, q := s.base+first, matrix
			for i := k - 3; i >= 0; i-- {
				offset += q % s.shape[i] * s.strides[i]
				q /= s.shape[i]
			}
			// The strip is a panel as wide as a row.
			n := min(strip, rows-first)
			kernel.PackRows(y()[(matrix*rows+first)*cols:][:n*cols], cols, x()[offset:], stride, cols, n)
		}
	})
}

func buildSlice(b *builder) (func() error, error) {
	first, strides := b.Step.Params.(operator.SliceParams).Window(b.Shape(0))
	return newStrided(b.OutShape(0), strides, first).run(b, 0), nil
}

func buildExpand(b *builder) (func() error, error) {
	out := b.OutShape(0)
	return newStrided(out, graph.BroadcastStrides(out, b.Shape(0)), 0).run(b, 0), nil
}

func buildTile(b *builder) (func() error, error) {
	shape, strides := operator.Rounds(b.Shape(0), b.OutShape(0))
	return newStrided(shape, strides, 0).run(b, 0), nil
}

func buildConcat(b *builder) (func() error, error) {
	axis := b.Step.Params.(operator.AxisParams).Axis
	m, y, ids := b.memory, b.Step.Out[0], b.Step.In
	outer, _, _ := graph.Around(b.OutShape(0), axis)
	var widths []int
	width := 0
	for i := range ids {
		_, n, inner := graph.Around(b.Shape(i), axis)
		widths = append(widths, n*inner)
		width += n * inner
	}
	t := b.DType(0)
	return b.span(outer, max(1, grain/max(width, 1)), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			offset := r * width
			for k, id := range ids {
				w := widths[k]
				switch {
				case b.Values[y].Levels != nil:
					copy(m.u8[y][offset:offset+w], m.u8[id][r*w:])
				case t == graph.Float32:
					copy(m.f32[y][offset:offset+w], m.f32[id][r*w:])
				case t == graph.Int64:
					copy(m.i64[y][offset:offset+w], m.i64[id][r*w:])
				case t == graph.Bool:
					copy(m.bits[y][offset:offset+w], m.bits[id][r*w:])
				}
				offset += w
			}
		}
	}), nil
}

func buildSplit(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.SplitParams)
	m, x, outs := b.memory, b.Step.In[0], b.Step.Out
	outer, n, inner := graph.Around(b.Shape(0), p.Axis)
	width := n * inner
	t := b.DType(0)
	return b.span(outer, max(1, grain/max(width, 1)), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			offset := r * width
			for k, id := range outs {
				w := p.Sizes[k] * inner
				switch {
				case id < 0:
				case t == graph.Float32:
					copy(m.f32[id][r*w:(r+1)*w], m.f32[x][offset:])
				case t == graph.Int64:
					copy(m.i64[id][r*w:(r+1)*w], m.i64[x][offset:])
				case t == graph.Bool:
					copy(m.bits[id][r*w:(r+1)*w], m.bits[x][offset:])
				}
				offset += w
			}
		}
	}), nil
}

// buildPad maps, along each axis, an output index to its input index (−1: the constant). Runs contiguous in both are
// copied at once.
func buildPad(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.PadParams)
	in, out := b.Shape(0), b.OutShape(0)
	strides, places := graph.RowMajor(in), p.Places(in, out)
	last := len(in) - 1
	for last > 0 && p.Before[last] == 0 && p.After[last] == 0 {
		last--
	}
	m, x, y, t := b.memory, b.Step.In[0], b.Step.Out[0], b.DType(0)
	row := graph.Count(out[max(last, 0):])
	if row == 0 || graph.Count(out) == 0 {
		return func() error { return nil }, nil
	}
	runs := []padRun{{from: 0, n: 1}} // of a scalar
	if last >= 0 {
		runs = padRuns(places[last], strides[last])
	}
	return b.span(graph.Count(out)/row, max(1, grain/row), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			base, q := 0, r
			for a := last - 1; a >= 0; a-- {
				o := places[a][q%out[a]]
				q /= out[a]
				if o < 0 {
					base = -1
					break
				}
				base += o * strides[a]
			}
			switch t {
			case graph.Float32:
				padRow(m.f32[y][r*row:(r+1)*row], m.f32[x], base, runs, float32(p.Value.Float))
			case graph.Int64:
				padRow(m.i64[y][r*row:(r+1)*row], m.i64[x], base, runs, p.Value.Whole)
			default:
				padRow(m.bits[y][r*row:(r+1)*row], m.bits[x], base, runs, p.Value.Whole != 0)
			}
		}
	}), nil
}

// A padRun is n elements that follow each other, from an element of the input on, or the constant (−1).
type padRun struct{ from, n int }

// padRuns joins the indices of an axis, each of each elements.
func padRuns(indices []int, each int) []padRun {
	var runs []padRun
	for j, k := range indices {
		if j > 0 && (max(k, indices[j-1]) < 0 || k > 0 && indices[j-1] == k-1) {
			runs[len(runs)-1].n += each
			continue
		}
		runs = append(runs, padRun{max(k*each, -1), each})
	}
	return runs
}

func padRow[T any](dst, src []T, base int, runs []padRun, value T) {
	if base < 0 {
		fill(dst, value)
		return
	}
	for _, run := range runs {
		if run.from < 0 {
			fill(dst[:run.n], value)
		} else {
			copy(dst[:run.n], src[base+run.from:])
		}
		dst = dst[run.n:]
	}
}

func buildConstantOfShape(b *builder) (func() error, error) {
	v := b.Step.Params.(*graph.Tensor)
	m, y := b.memory, b.Step.Out[0]
	return func() error {
		switch v.DType {
		case graph.Float32:
			fill(m.f32[y], v.F32[0])
		case graph.Int64:
			fill(m.i64[y], v.I64[0])
		case graph.Bool:
			fill(m.bits[y], v.Bool[0])
		}
		return nil
	}, nil
}

func fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

func buildRange(b *builder) (func() error, error) {
	m, start, step, y := b.memory, b.Step.In[0], b.Step.In[2], b.Step.Out[0]
	return func() error {
		for i := range m.i64[y] {
			m.i64[y][i] = m.i64[start][0] + int64(i)*m.i64[step][0]
		}
		for i := range m.f32[y] {
			m.f32[y][i] = float32(float64(m.f32[start][0]) + float64(i)*float64(m.f32[step][0]))
		}
		return nil
	}, nil
}

func buildTrilu(b *builder) (func() error, error) {
	p := b.Step.Params.(operator.TriluParams)
	s := b.Shape(0)
	rows, cols := s[len(s)-2], s[len(s)-1]
	m, x, y, t := b.memory, b.Step.In[0], b.Step.Out[0], b.DType(0)
	return func() error {
		for i := range graph.Count(s) {
			r, c := i/max(cols, 1)%max(rows, 1), i%max(cols, 1)
			keep := c-r >= p.K
			if !p.Upper {
				keep = c-r <= p.K
			}
			switch {
			case t == graph.Float32 && keep:
				m.f32[y][i] = m.f32[x][i]
			case t == graph.Float32:
				m.f32[y][i] = 0
			case t == graph.Int64 && keep:
				m.i64[y][i] = m.i64[x][i]
			case t == graph.Int64:
				m.i64[y][i] = 0
			default:
				m.bits[y][i] = keep && m.bits[x][i]
			}
		}
		return nil
	}, nil
}
