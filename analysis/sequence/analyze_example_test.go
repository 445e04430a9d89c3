// Accuracy of a model that answered elsewhere.

package sequence_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/analysis/sequence/source"
	"repscope/measure/token"
)

// A table of positions has what a model answered elsewhere: of two sequences, four hidden residues.
func ExampleAnalyze() {
	folder, err := os.MkdirTemp("", "sequence")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "positions.csv")
	rows := "seq,pos,target,pred,nll\n0,1,L,L,0.1\n0,4,A,V,1.5\n1,2,S,S,0.2\n1,3,E,E,0.2\n"
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	answers, err := source.OpenPositions(path, token.Antibody(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer answers.Close()
	result, err := sequence.Analyze(context.Background(), sequence.Input{
		Registry: metrics.All(),
		Datasets: []sequence.Dataset{{
			Name:   "val",
			Models: []sequence.Model{{Name: "mine", Sequences: answers, Source: answers}},
			Choice: sequence.Choice{Metrics: []string{"masked_accuracy", "perplexity"}},
		}},
	}, sequence.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &result.Datasets[0].Models[0]
	for _, key := range []string{"mask_acc", "ppl"} {
		if value, _, ok := m.Number(key); ok {
			fmt.Printf("%s %.3f\n", key, value.Float())
		}
	}
	// Output:
	// mask_acc 0.750
	// ppl 1.649
}
