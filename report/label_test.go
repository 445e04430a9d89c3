// Tests of paths as readers see them.

package report

import "testing"

func TestLabel(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][2]string{
		"mse":                                 {"mse", "MSE"},
		"r":                                   {"r", "r"},
		"r_squared":                           {"r squared", "R²"},
		"by_k[k=10].trustworthiness":          {"trustworthiness (k = 10)", "Trustworthiness (k = 10)"},
		"fss[quantile=0.9;window=3].fss":      {"fss (quantile = 0.9, window = 3)", "FSS (quantile = 0.9, window = 3)"},
		"probes[name=lives/mlp/true/true].f1": {"f1 (lives/mlp/true/true)", "F1 (lives/mlp/true/true)"},
		"theil_sen":                           {"theil sen", "Theil sen"},
		"":                                    {"", ""},
	} {
		if got := [2]string{Label(path), Title(path)}; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
