// Tests of attention across chains.

package metrics

import (
	"strings"
	"testing"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/sequencetest"
	"repscope/measure/measuretest"
	"repscope/report"
)

func TestCrossChain(t *testing.T) {
	t.Parallel()
	items := sequencetest.Items(t, sequencetest.NewSequences(7, 2), sequencetest.NewSource(1, 2), sequence.RegionStandard)
	for _, layers := range []any{nil, 1} {
		in := sequencetest.Input(All(), 7, 2, "cross_chain")
		in.Datasets[0].Choice.Set = set("cross_chain", map[string]any{"num_layers": layers})
		m := &sequencetest.Analyze(t, in).Datasets[0].Models[0]
		first := 0
		if layers != nil {
			first = sequencetest.Layers - 1
		}
		var total, cross, joint, heavy, toLight float64
		head := 0.0 // the mean share of the last head
		for _, it := range items {
			n := len(it.Tokens)
			light := 0
			for it.Chains[light] == 0 {
				light++
			}
			for h := first * sequencetest.Heads; h < sequencetest.Layers*sequencetest.Heads; h++ {
				var own, crossing float64
				for i := 1; i < n-1; i++ {
					for j := 1; j < n-1; j++ {
						v := float64(it.Clean.Attentions[(h*n+i)*n+j])
						own += v
						if i < light {
							heavy += v
						}
						if (i < light) == (j < light) {
							continue
						}
						crossing += v
						if i < light {
							toLight += v
						}
						if i >= light-5 && i < light+5 && j >= light-5 && j < light+5 {
							joint += v
						}
					}
				}
				total += own
				cross += crossing
				if h == sequencetest.Layers*sequencetest.Heads-1 {
					head += crossing / own / float64(len(items))
				}
			}
		}
		measuretest.Near(t, "cross", number(t, m, "cross_chain/cross_frac"), cross/total, 1e-12)
		measuretest.Near(t, "interface", number(t, m, "cross_chain/interface_frac"), joint/total, 1e-12)
		measuretest.Near(t, "to light", number(t, m, "cross_chain/heavy_to_light"), toLight/heavy, 1e-12)
		measuretest.Near(t, "of a head", m.Tables[0].Rows[sequencetest.Layers*sequencetest.Heads-1][2].(report.Value).V, head, 1e-11)
	}
}

func TestCrossChainWithout(t *testing.T) {
	t.Parallel()
	in := sequencetest.Input(All(), 4, 1, "cross_chain", "masked_accuracy")
	for i := range in.Datasets[0].Models[0].Sequences.(*sequencetest.Sequences).Records {
		clear(in.Datasets[0].Models[0].Sequences.(*sequencetest.Sequences).Records[i].Chains)
	}
	why, _ := sequencetest.Analyze(t, in).Datasets[0].Models[0].Skipped.Get("cross_chain")
	if why != "no sequence has two chains with attention among their residues" {
		t.Error(why)
	}
	in = sequencetest.Input(All(), 4, 1, "cross_chain")
	in.Datasets[0].Choice.Set = set("cross_chain", map[string]any{"num_layers": 3})
	_, err := sequence.Analyze(t.Context(), in, sequence.Options{})
	if err == nil || !strings.Contains(err.Error(),
		"sequence s0: cross_chain.num_layers is 3, but the attention has 2 layers") {
		t.Error(err)
	}
}
