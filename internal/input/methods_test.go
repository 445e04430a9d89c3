// What methods texts say of models.

package input

import (
	"strings"
	"testing"

	"repscope/report"
)

// The name of an ONNX graph, which results of earlier versions hold, is no architecture; that of a checkpoint is.
func TestTreatmentOfArchitectures(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]bool{"onnx": false, "pth": true, "safetensors": true} {
		details := report.Object{}
		details.Set("format", format)
		for _, role := range []string{"model", "head", "decoder"} {
			got := treatment(report.Input{Role: role, Name: "a", Kind: "torch_jit", Details: &details})
			if strings.Contains(got, "torch_jit") != want {
				t.Errorf("%s of format %s: %q", role, format, got)
			}
		}
	}
}
