// States in memory.

package latent

// Memory is a [Source] of states in memory, such as changed ones. Its fingerprint is empty: their latents are not kept.
type Memory struct {
	States []float32 // one after the other
	Size   []int     // shape of one
}

// Len is the number of states.
func (m *Memory) Len() int { return len(m.States) / m.size() }

// Shape is the shape of a state.
func (m *Memory) Shape() []int { return m.Size }

func (m *Memory) size() int {
	n := 1
	for _, d := range m.Size {
		n *= d
	}
	return n
}

// Float32 copies states.
func (m *Memory) Float32(dst []float32, lo, hi int) error {
	n := m.size()
	copy(dst, m.States[lo*n:hi*n])
	return nil
}

// Fingerprint is empty.
func (m *Memory) Fingerprint() (string, error) { return "", nil }
