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
		for name, size := range map[string]int{"in order": inOrder(buffers, steps), "by size": bySize(buffers)} {
			if name == "in order" {
				inOrder(buffers, steps)
			} else {
				bySize(buffers)
			}
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
	for at := 0; at < 9*blocks; at += 9 {
		for _, b := range []buffer{
			{first: 1, last: 4, size: 16},                                                               // normalised
			{first: 2, last: 5, size: 16}, {first: 3, last: 5, size: 16}, {first: 4, last: 5, size: 16}, // queries, keys, values
			{first: 5, last: 6, size: 16}, // attention
			{first: 6, last: 9, size: 16}, // with what came before
			{first: 7, last: 8, size: 16}, // normalised
			{first: 8, last: 9, size: 64}, // hidden
			{first: 9, last: 15, size: 16},
		} {
			b.first, b.last = b.first+at, b.last+at
			buffers = append(buffers, &b)
		}
	}
	if order, size := inOrder(buffers, 9*blocks+7), bySize(buffers); order != 112 || size != 96 {
		t.Errorf("arenas of %d and %d elements, want 112 and 96", order, size)
	}
}
