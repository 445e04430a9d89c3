// Runs: inputs in, outputs out, several of them under way on GPUs.

package model

import (
	"context"
	"errors"
	"fmt"

	"repscope/model/pixels"
)

// Run computes the outputs, by name, for inputs by name. Every input is required.
//
// An input has the element type that the model computes it in. Also accepted are bool for numbers (0 and 1), int64 for
// float32 if every element is one, and int64 0 and 1 for bool. Anything else is an error that names the expected type,
// such as floats for ids. So are an unknown name, another rank, a size that differs from one that the file fixes, and
// an integer outside the narrower type that the file declares.
//
// The inputs are only read, and may be changed afterwards. The outputs, map included, belong to the model: they are
// valid until its next call and must not be changed. Inputs of repeated shapes cost no preparation and, without
// conversion, no memory. Cancelling ctx stops the run between two operators.
func (m *Model) Run(ctx context.Context, inputs map[string]*Tensor) (map[string]*Tensor, error) {
	tensors, err := m.byName(inputs)
	if err != nil {
		return nil, err
	}
	outputs, err := m.run(ctx, tensors)
	if err != nil {
		return nil, err
	}
	if m.named == nil {
		m.named = make(map[string]*Tensor, len(outputs))
	}
	for i, t := range outputs {
		m.named[m.outputs[i].Name] = t
	}
	return m.named, nil
}

// RunInOrder is Run with inputs in the order of Inputs and outputs in the order of Outputs.
func (m *Model) RunInOrder(ctx context.Context, inputs ...*Tensor) ([]*Tensor, error) {
	if len(inputs) != len(m.inputs) {
		return nil, fmt.Errorf("%d inputs given, the model has %d: %s", len(inputs), len(m.inputs), describe(m.inputs))
	}
	return m.run(ctx, inputs)
}

func (m *Model) run(ctx context.Context, tensors []*Tensor) ([]*Tensor, error) {
	if len(m.queue) > 0 {
		return nil, fmt.Errorf("%d runs are under way", len(m.queue))
	}
	inputs, err := m.bind(tensors)
	if err != nil {
		return nil, err
	}
	if err := m.Submit(ctx, inputs); err != nil {
		return nil, err
	}
	return m.Collect(ctx)
}

// Depth is the number of runs that may be under way: 1 on the processor.
func (m *Model) Depth() int { return m.exec.Depth() }

// submitted is a pending run. If the file fixes another batch size, or fewer rows at a time are faster on the CPU, it
// keeps the inputs, which go through the executor in pieces when they are collected.
type submitted struct {
	rows   int
	pieces []*Tensor // nil: the executor has the run
	size   int       // rows of a piece
}

// Submit begins a run with inputs in the order of Inputs, of the types that the model
// computes in; they must stay as they are until the run is collected. It is for pipelines:
// up to Depth runs may be under way, and one is read while another is computed.
func (m *Model) Submit(ctx context.Context, inputs []*Tensor) error {
	rows := m.batch(inputs)
	size := m.rows
	if size == 0 {
		size = m.portion(inputs, rows)
	}
	if rows == size {
		if err := m.exec.Submit(ctx, inputs); err != nil {
			return err
		}
		m.queue = append(m.queue, submitted{rows: rows})
		return nil
	}
	kept := make([]*Tensor, len(inputs)) // the caller may use the list and the tensors' headers again
	for i, t := range inputs {
		if len(t.Shape) == 0 || t.Shape[0] != rows || rows == 0 {
			return fmt.Errorf("input %q has shape %v in a batch of %d", m.inputs[i].Name, t.Shape, rows)
		}
		header := *t
		header.Shape = append([]int{}, t.Shape...)
		kept[i] = &header
	}
	m.queue = append(m.queue, submitted{rows, kept, size})
	return nil
}

// portion is the number of rows that the executor takes at a time: all of them, unless the rows are independent and
// fewer are faster.
func (m *Model) portion(inputs []*Tensor, rows int) int {
	p, ok := m.exec.(portioner)
	if !ok || !m.divisible || rows < 2 {
		return rows
	}
	for _, t := range inputs {
		if len(t.Shape) == 0 || t.Shape[0] != rows {
			return rows
		}
	}
	return p.Portion(inputs, rows)
}

// batch is the size of the first input's first axis.
func (m *Model) batch(inputs []*Tensor) int {
	if len(inputs) == 0 || len(inputs[0].Shape) == 0 {
		return 0
	}
	return inputs[0].Shape[0]
}

// Collect waits for the oldest run and returns its outputs, in the order of Outputs. They
// are valid until the next call of any method.
func (m *Model) Collect(ctx context.Context) ([]*Tensor, error) {
	if len(m.queue) == 0 {
		return nil, errors.New("no run is under way")
	}
	s := m.queue[0]
	m.queue = append(m.queue[:0], m.queue[1:]...)
	if s.pieces == nil {
		return m.exec.Collect(ctx)
	}
	return m.inPieces(ctx, s)
}

// Drain finishes pending runs after an error.
func (m *Model) Drain() {
	for _, s := range m.queue {
		if s.pieces == nil {
			_, _ = m.exec.Collect(context.Background()) // only its end matters
		}
	}
	m.queue = m.queue[:0]
}

// TakesPixels reports whether SubmitBytes and SubmitNoisy can begin runs with n states:
// a GPU runs the model, whose only input is of float32 and of any batch size or this one.
func (m *Model) TakesPixels(n int) bool {
	_, ok := m.exec.(pixelExecutor)
	return ok && len(m.inputs) == 1 && m.inputs[0].DType == Float32 && (m.rows == 0 || m.rows == n)
}

var errPixels = errors.New("the model cannot read stored states on its device")

// SubmitBytes is Submit with states of uint8 instead of the only input, of this shape; levels maps each byte to a
// float32. See TakesPixels.
func (m *Model) SubmitBytes(ctx context.Context, states []uint8, shape []int, levels pixels.Levels) error {
	x, ok := m.exec.(pixelExecutor)
	if !ok {
		return errPixels
	}
	return m.began(shape, x.SubmitBytes(ctx, states, shape, levels))
}

// SubmitNoisy is Submit with states that noise changes before they are scaled and become the only input, of this shape.
// See TakesPixels.
func (m *Model) SubmitNoisy(ctx context.Context, batch pixels.Noisy, shape []int) error {
	x, ok := m.exec.(pixelExecutor)
	if !ok {
		return errPixels
	}
	return m.began(shape, x.SubmitNoisy(ctx, batch, shape))
}

func (m *Model) began(shape []int, err error) error {
	if err == nil {
		m.queue = append(m.queue, submitted{rows: shape[0]})
	}
	return err
}

// Displacements are ‖x' − x‖₂ of the states x that noise changed to x' in the run
// collected last, nil if it had none.
func (m *Model) Displacements() []float64 {
	if x, ok := m.exec.(pixelExecutor); ok {
		return x.Displacements()
	}
	return nil
}

// pieces is the state of running a batch in pieces, kept from batch to batch.
type pieces struct {
	inputs []*Tensor // of one piece
	filled []*Tensor // memory for the last one
	joined []*Tensor // outputs of all of them
}

// inPieces runs rows in smaller batches. Of a size that the file fixes the last one is filled up with its last row.
func (m *Model) inPieces(ctx context.Context, s submitted) ([]*Tensor, error) {
	for lo := 0; lo < s.rows; lo += s.size {
		hi := min(lo+s.size, s.rows)
		size := hi - lo
		if m.rows > 0 {
			size = m.rows
		}
		if err := m.exec.Submit(ctx, m.piece(s, lo, hi, size)); err != nil {
			return nil, err
		}
		out, err := m.exec.Collect(ctx)
		if err != nil {
			return nil, err
		}
		if err := m.join(out, lo, hi, size, s.rows); err != nil {
			return nil, err
		}
	}
	return m.pieces.joined, nil
}

// piece is the rows lo to hi of the inputs, filled up to size with the last of them.
func (m *Model) piece(s submitted, lo, hi, size int) []*Tensor {
	p := &m.pieces
	if p.inputs == nil {
		for range s.pieces {
			p.inputs, p.filled = append(p.inputs, &Tensor{}), append(p.filled, &Tensor{})
		}
	}
	for i, t := range s.pieces {
		x := p.inputs[i]
		x.DType = t.DType
		x.Shape = append(append(x.Shape[:0], size), t.Shape[1:]...)
		fill := p.filled[i]
		switch t.DType {
		case Float32:
			x.F32, fill.F32 = part(t.F32, fill.F32, lo, hi, s.rows, size)
		case Int64:
			x.I64, fill.I64 = part(t.I64, fill.I64, lo, hi, s.rows, size)
		case Bool:
			x.Bool, fill.Bool = part(t.Bool, fill.Bool, lo, hi, s.rows, size)
		}
	}
	return p.inputs
}

// part is the rows lo to hi of n, in memory of its own if they must be padded.
func part[T any](all, memory []T, lo, hi, n, rows int) (rowsOf, kept []T) {
	width := len(all) / n
	x := all[lo*width : hi*width]
	if hi-lo == rows {
		return x, memory
	}
	memory = append(memory[:0], x...)
	for range rows - (hi - lo) {
		memory = append(memory, x[len(x)-width:]...)
	}
	return memory, memory
}

// join appends the outputs of the rows lo to hi of n, computed in a batch of a size, to earlier ones.
func (m *Model) join(out []*Tensor, lo, hi, size, n int) error {
	if m.pieces.joined == nil {
		for range out {
			m.pieces.joined = append(m.pieces.joined, &Tensor{})
		}
	}
	for k, t := range out {
		if len(t.Shape) == 0 || t.Shape[0] == 0 || t.Shape[0]%size != 0 {
			return fmt.Errorf("output %q has shape %v for a batch of %d: want the batch as the first axis", m.outputs[k].Name, t.Shape, size)
		}
		all := m.pieces.joined[k]
		if lo == 0 {
			all.DType, all.Bits, all.F32, all.I64, all.Bool = t.DType, t.Bits, all.F32[:0], all.I64[:0], all.Bool[:0]
		}
		all.F32 = append(all.F32, t.F32[:len(t.F32)/size*(hi-lo)]...)
		all.I64 = append(all.I64, t.I64[:len(t.I64)/size*(hi-lo)]...)
		all.Bool = append(all.Bool, t.Bool[:len(t.Bool)/size*(hi-lo)]...)
		all.Shape = append(append(all.Shape[:0], t.Shape[0]/size*n), t.Shape[1:]...)
	}
	return nil
}
