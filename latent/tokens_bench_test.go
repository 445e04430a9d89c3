// Speed of models of tokens; the peer is benchmarks/peers/peer_language.py.

package latent

import (
	"fmt"
	"os"
	"testing"
)

// BenchmarkTokens runs the model of REPSCOPE_BENCH_LANGUAGE over 64 sequences of 120 to 320
// tokens, as benchmarks/peers/language.py does.
func BenchmarkTokens(b *testing.B) {
	path := os.Getenv("REPSCOPE_BENCH_LANGUAGE")
	if path == "" {
		b.Skip("REPSCOPE_BENCH_LANGUAGE names no model")
	}
	m, err := OpenTokens(b.Context(), path, TokenOptions{Pad: 1, Letters: []int32{4, 5, 6, 7, 8, 9}})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	var lengths []int
	tokens := 0
	for i := range 64 {
		lengths = append(lengths, 120+i*200/63)
		tokens += lengths[i]
	}
	fill := func(i int, ids, _ []int64) {
		for k := range ids {
			ids[k] = int64(4 + (k*k+i)%20)
		}
	}
	for _, rows := range []int{0, 1, 8, 32} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			before := processorTime(b)
			for b.Loop() {
				err := m.Run(b.Context(), TokenSequences{lengths, fill, rows}, TokenLogits, func(int, *TokenOutput) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((processorTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(tokens*b.N)/b.Elapsed().Seconds(), "tokens/s")
			b.ReportMetric(float64(len(lengths)*b.N)/b.Elapsed().Seconds(), "sequences/s")
		})
	}
}
