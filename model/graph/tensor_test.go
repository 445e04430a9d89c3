// Tensors that are cut, and sizes of shapes.

package graph

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// Matrices that a tensor is cut into have its elements, however it holds them.
func TestCut(t *testing.T) {
	values := make([]float32, 2*5*3)
	for i := range values {
		values[i] = float32(i)
	}
	read := Defer(func(dst []float32, first int) error { copy(dst, values[first:]); return nil }, 2, 5, 3)
	compute := &Tensor{DType: Float32, Shape: []int{2, 5, 3}, buffer: 40, compute: func(dst, _ []float32) error { copy(dst, values); return nil }}
	broken := Defer(func([]float32, int) error { return errors.New("gone") }, 2, 5, 3)
	for name, x := range map[string]*Tensor{"held": Floats(values, 2, 5, 3), "read": read, "computed": compute} {
		parts := x.Cut([]int{4, 1, 5}, 3)
		row := 0
		for i, height := range []int{4, 1, 5} {
			if !slices.Equal(parts[i].Shape, []int{height, 3}) {
				t.Fatalf("%s: part %d has shape %v", name, i, parts[i].Shape)
			}
			for _, buffer := range [][]float32{nil, make([]float32, parts[i].Buffer())} {
				got, err := parts[i].Load(buffer)
				if want := values[row*3 : (row+height)*3]; err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: part %d is %v, %v, want %v", name, i, got, err, want)
				}
			}
			if parts[i].InParts() {
				if got, err := parts[i].Part(1, 2, make([]float32, 2)); err != nil || !slices.Equal(got, values[row*3+1:][:2]) {
					t.Errorf("%s: elements of part %d are %v, %v", name, i, got, err)
				}
			}
			row += height
		}
		x.parts = parts
		if again := x.Cut([]int{4, 1, 5}, 3); again[0] != parts[0] {
			t.Errorf("%s: other tensors at the second call", name)
		}
		if other := x.Cut([]int{2, 8}, 3); len(other) != 2 {
			t.Errorf("%s: %d parts, want 2", name, len(other))
		}
	}
	if _, err := broken.Cut([]int{10}, 3)[0].Load(nil); err == nil {
		t.Error("no error")
	}
}

func TestElements(t *testing.T) {
	for _, shape := range [][]int{{-1}, {3, -2}, {1 << 20, 1 << 20}, {math.MaxInt, 2}, {math.MaxInt, math.MaxInt}} {
		if n, err := Elements(shape); err == nil {
			t.Errorf("%v has %d elements, want an error", shape, n)
		}
	}
	for n, shape := range map[int][]int{1: {}, 0: {5, 0, 1 << 20}, 24: {2, 3, 4}} {
		if got, err := Elements(shape); err != nil || got != n {
			t.Errorf("%v has %d elements, %v, want %d", shape, got, err, n)
		}
	}
}
