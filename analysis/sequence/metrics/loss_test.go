// Loss and perplexity, and where they are undefined.

package metrics

import (
	"math"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
)

func TestLoss(t *testing.T) {
	t.Parallel()
	c := tokenCases(t)[sequence.RegionStandard]
	nll, _ := c.mean(nil, nllOf)
	c.check(t, "loss", nll)
	c.check(t, "ppl", math.Exp(nll))
	c.check(t, "loss_bits", nll/math.Ln2)
}

// Without masks, and where the truth cannot be, scores are null with the reason.
func TestLossUndefined(t *testing.T) {
	t.Parallel()
	in := sequencetest.Input(All(), 5, 1, tokenMetrics...)
	in.Datasets[0].Choice.Mask = func(r *sequence.Record) []int { return nil }
	c := tokenCase{ModelResult: &sequencetest.Analyze(t, in).Datasets[0].Models[0]}
	for _, key := range []string{"loss", "ppl", "top3_acc", "bits_below_unigram", "unigram_bits", "brier", "ece", "adaptive_ece", "overconfidence",
		"residue_balanced_acc", "region/overall/loss", "region/hcdr3/ppl"} {
		c.check(t, key, math.NaN())
	}
	for _, name := range []string{"confusion", "per_position", "region_germline"} {
		if reason, ok := c.Skipped.Get(name); !ok {
			t.Errorf("%s is not skipped: %v", name, reason)
		}
	}
	in = sequencetest.Input(All(), 5, 1, tokenMetrics...)
	in.Datasets[0].Models[0].Source.(*sequencetest.Source).Skill = math.Inf(-1)
	c = tokenCase{ModelResult: &sequencetest.Analyze(t, in).Datasets[0].Models[0]}
	for _, key := range []string{"loss", "ppl", "loss_bits", "bits_below_unigram", "region/overall/loss", "region/overall/ppl"} {
		c.check(t, key, math.NaN())
		if v, _, _ := c.Number(key); v.Reason != infiniteLoss {
			t.Errorf("%s is null for the reason %q, want %q", key, v.Reason, infiniteLoss)
		}
	}
	for _, key := range []string{"region/overall/prob", "region/overall/accuracy", "top3_acc", "residue_balanced_acc"} {
		c.check(t, key, 0)
	}
	for _, row := range rowsOf(t, c.ModelResult, "per_position") {
		if row["loss"] != nil || row["prob"] != 0.0 {
			t.Errorf("position %v: %v", row["position"], row)
		}
	}
}
