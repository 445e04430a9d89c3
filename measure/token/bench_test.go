// Benchmarks of predictions.

package token

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkPredict scores one position of 32 tokens.
func BenchmarkPredict(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	logits := make([]float32, 1024*32)
	for i := range logits {
		logits[i] = float32(3 * random.NormFloat64())
	}
	b.SetBytes(32 * 4)
	for i := 0; b.Loop(); i++ {
		at := i % 1024
		if _, err := Predict(logits[32*at:][:32], at%20+4); err != nil {
			b.Fatal(err)
		}
	}
}
