// The places of buffers.

package graph

import (
	"testing"

	"pgregory.net/rapid"
)

// Buffers that are in use at the same time never share memory, however they are placed.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.IntRange(1, 30).Draw(t, "steps")
		var buffers []*buffer
		for first := range steps {
			for range rapid.IntRange(0, 3).Draw(t, "buffers") {
				buffers = append(buffers, &buffer{first: first, last: rapid.IntRange(first, steps).Draw(t, "last"), size: align * rapid.IntRange(1, 9).Draw(t, "size")})
			}
		}
		for name, place := range map[string]func() int{
			"in order": func() int { return inOrder(buffers, steps) },
			"by size":  func() int { return largestFirst(buffers, bySize) },
			"by time":  func() int { return largestFirst(buffers, byTime) },
		} {
			size := place()
			for i, a := range buffers {
				if a.offset < 0 || a.offset+a.size > size {
					t.Fatalf("%s: buffer %d at %d, size %d, in an arena of %d", name, i, a.offset, a.size, size)
				}
				for k, b := range buffers[:i] {
					if a.first <= b.last && b.first <= a.last && a.offset < b.offset+b.size && b.offset < a.offset+a.size {
						t.Fatalf("%s: buffers %d %+v and %d %+v overlap", name, k, *b, i, *a)
					}
				}
			}
		}
	})
}

// In the order of the steps of transformer blocks, small values leave no gap for the large ones of the hidden layers.
func TestPlacesLargestFirst(t *testing.T) {
	const blocks = 3
	buffers := []*buffer{{first: 0, last: 6, size: 16}}
	for offset := 0; offset < 9*blocks; offset += 9 {
		for _, b := range []buffer{
			{first: 1, last: 4, size: 16},                                                               // normalized
			{first: 2, last: 5, size: 16}, {first: 3, last: 5, size: 16}, {first: 4, last: 5, size: 16}, // queries, keys, values
			{first: 5, last: 6, size: 16}, // attention
			{first: 6, last: 9, size: 16}, // with what came before
			{first: 7, last: 8, size: 16}, // normalized
			{first: 8, last: 9, size: 64}, // hidden
			{first: 9, last: 15, size: 16},
		} {
			b.first, b.last = b.first+offset, b.last+offset
			buffers = append(buffers, &b)
		}
	}
	if order, size := inOrder(buffers, 9*blocks+7), largestFirst(buffers, bySize); order != 112 || size != 96 {
		t.Errorf("arenas of %d and %d elements, want 112 and 96", order, size)
	}
}

// A result takes the memory of the operand that it may overwrite, unless something else reads that.
func TestPlanOver(t *testing.T) {
	t.Parallel()
	sum := &Operator{Name: "Sum"}
	value := func(root int, shape ...int) Value { return Value{Type: Type{DType: Float32, Shape: shape}, Root: root} }
	for name, c := range map[string]struct {
		second []int // operands of the second step, which may overwrite operand 1
		shape  []int // of its result
		also   bool  // a third step reads the operand
		same   bool
	}{
		"dead after": {second: []int{0, 1}, shape: []int{4, 9}, same: true},
		"read later": {second: []int{0, 1}, shape: []int{4, 9}, also: true},
		"read twice": {second: []int{1, 1}, shape: []int{4, 9}},
		"an input":   {second: []int{1, 0}, shape: []int{4, 9}},
		"a shape":    {second: []int{0, 1}, shape: []int{9, 4}},
	} {
		p := &Program{Inputs: []int{0}, Outputs: []int{3}, Values: []Value{value(0, 4, 9), value(1, 4, 9), value(2, c.shape...), value(3, 4, 9)},
			Steps: []Step{{Op: sum, In: []int{0}, Out: []int{1}}, {Op: sum, In: c.second, Out: []int{2}}, {Op: sum, In: []int{2}, Out: []int{3}}}}
		if c.also {
			p.Steps[2].In = append(p.Steps[2].In, 1)
		}
		l := p.PlanOver(func(s *Step) int { return len(s.In) - 1 - len(s.In)%2*2 }) // 1 of two operands
		if same := l.Offset[1] == l.Offset[2]; same != c.same {
			t.Errorf("%s: offsets %v", name, l.Offset)
		}
		if l := p.Plan(); l.Offset[1] == l.Offset[2] {
			t.Errorf("%s: offsets %v without leave to overwrite", name, l.Offset)
		}
	}
}
