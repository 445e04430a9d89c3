// States in memory.

package latent

import "repscope/points"

// Memory is a [Source] of states in memory, such as changed ones. Its fingerprint is empty: their latents are not kept.
type Memory struct {
	States []float32 // one after the other
	Size   []int     // shape of one
}

// Len is the number of states.
func (m *Memory) Len() int { return len(m.States) / points.Size(m.Size) }

// Shape is the shape of a state.
func (m *Memory) Shape() []int { return m.Size }

// Float32 copies states.
func (m *Memory) Float32(dst []float32, lo, hi int) error {
	n := points.Size(m.Size)
	copy(dst, m.States[lo*n:hi*n])
	return nil
}

// Fingerprint is empty.
func (m *Memory) Fingerprint() (string, error) { return "", nil }
