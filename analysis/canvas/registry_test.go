// Tests of all metrics.

package canvas

import "testing"

// TestKeyRanges: every number has a range, and so has how far a modification moves it.
func TestKeyRanges(t *testing.T) {
	t.Parallel()
	for _, k := range Kinds() {
		for _, key := range k.Keys {
			moved := key.difference("moved")
			if !(key.Low < key.High) || moved.Low != key.Low-key.High || moved.High != key.High-key.Low {
				t.Errorf("%s is from %v to %v, and moves from %v to %v", key.Name, key.Low, key.High, moved.Low, moved.High)
			}
			if key.Log && key.Low < 0 {
				t.Errorf("%s may be negative and has a logarithm", key.Name)
			}
		}
	}
}
