// Memory that is used again.

package matrix

import "sync"

// Scratch lends memory to one user after the other, from several goroutines: memory that is allocated each time has
// to be cleared, and collected. The zero value is ready.
type Scratch struct{ pool sync.Pool }

// Take lends n numbers, which are what the last user left.
func (s *Scratch) Take(n int) *[]float64 {
	room, _ := s.pool.Get().(*[]float64)
	if room == nil {
		room = new([]float64)
	}
	if cap(*room) < n {
		*room = make([]float64, n)
	}
	*room = (*room)[:n]
	return room
}

// Give takes back what Take lent.
func (s *Scratch) Give(room *[]float64) { s.pool.Put(room) }

// SelectInto is Select with its points in the given memory, of at least len(index)·Dim numbers.
func (x Matrix) SelectInto(room []float64, index []int) Matrix {
	out := Matrix{N: len(index), Dim: x.Dim, Data: room[:len(index)*x.Dim]}
	for r, i := range index {
		copy(out.Row(r), x.Row(i))
	}
	return out
}
