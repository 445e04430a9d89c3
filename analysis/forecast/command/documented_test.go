// Tests of the published layout.

package command

import (
	"fmt"
	"strings"
	"testing"

	"repscope/analysis/forecast"
	"repscope/report"
)

// The published layout has the standard deviation over batches, and says so.
func TestDocumented(t *testing.T) {
	t.Parallel()
	truth, _, members := drawn(8, 2, 1, 2, 2, 8)
	in := forecast.Input{Target: arrayOf(t, "truth.npy", truth, 8, 1, 2, 2), Forecasts: []forecast.Forecast{{Name: "net", Members: arrayOf(t, "net.npy", members, 8, 2, 1, 2, 2)}}}
	r, err := forecast.Analyze(t.Context(), in, forecast.Options{BatchSize: 3})
	if err != nil {
		t.Fatal(err)
	}
	mae, _ := r.Models[0].Score("mae")
	var text strings.Builder
	if err := report.Encode(&text, documentedObject(r, &r.Models[0], forecast.Options{BatchSize: 3}, "runs/a")); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"mae_std": ` + strings.TrimRight(fmt.Sprint(mae.BatchSD.V), "0"),
		`"std_over": "batches"`, `"num_samples": 2`,
		`"model_dir": "runs/a"`, `"n_samples": 2`, `"batch_size": 3`, `"device": "cpu"`} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("documented layout without %s:\n%s", part, text.String())
		}
	}
}
