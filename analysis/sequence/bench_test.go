// Benchmarks of metrics over a dump.

package sequence_test

import (
	"os"
	"testing"

	"repscope/analysis"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/analysis/sequence/source"
	"repscope/measure/token"
)

// BenchmarkStream scores the masked residues of the dump that REPSCOPE_BENCH_DUMP names, by region and with
// intervals; benchmarks/peers/sequence_stream.py makes one.
func BenchmarkStream(b *testing.B) {
	path := os.Getenv("REPSCOPE_BENCH_DUMP")
	if path == "" {
		b.Skip("REPSCOPE_BENCH_DUMP names no dump")
	}
	d, err := source.OpenDump(path, token.Antibody(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	in := sequence.Input{Registry: metrics.All(), Datasets: []sequence.Dataset{{Name: "dump", Models: []sequence.Model{{Name: "model", Sequences: d, Source: d}}, Choice: sequence.Choice{Metrics: []string{
		"masked_accuracy", "loss", "perplexity", "region_accuracy", "region_loss", "region_perplexity"}}}}}
	for b.Loop() {
		if _, err := sequence.Analyze(b.Context(), in, sequence.Options{Settings: analysis.Settings{Intervals: true, Family: "metric", Memory: 128e6}}); err != nil {
			b.Fatal(err)
		}
	}
}
