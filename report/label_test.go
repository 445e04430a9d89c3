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
		"theil_sen":                           {"theil sen", "Theil–Sen"},
		"by_k[k=10].r_nx":                     {"r nx (k = 10)", "R_NX (k = 10)"},
		"auc_r_nx":                            {"auc r nx", "AUC R_NX"},
		"lb_mle[k=5].id":                      {"lb mle id (k = 5)", "Levina–Bickel ID (k = 5)"},
		"gride[n1=2;n2=4].id":                 {"gride id (n1 = 2, n2 = 4)", "Gride ID (n1 = 2, n2 = 4)"},
		"exact_match[filter=strict-match]":    {"exact match (filter = strict-match)", "Exact match (filter = strict-match)"},
		"two_nn.mle":                          {"two nn mle", "Two-NN MLE"},
		"contacts/long/p_at_l2":               {"contacts/long/p at l2", "Contacts/long/p at l2"},
		"":                                    {"", ""},
	} {
		if got := [2]string{Label(path), Title(path)}; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
