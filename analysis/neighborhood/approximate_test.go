// Tests of the comparison on a sample of states.

package neighborhood

// The approximate mode against the exact one.

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"repscope/analysis"
	"repscope/internal/runtest"
	"repscope/neighbors"
	"repscope/report"
)

func TestApproximate(t *testing.T) {
	runtest.Long(t, "a large search")
	t.Parallel()
	const n = 1500
	frames := walk(n, 8, 1)
	episode := make([]int, n)
	for i := range episode {
		episode[i] = i / 300
	}
	in := Input{Frames: frames, Episode: episode, Models: []Encoded{{Name: "near", Latents: noisy(frames, 0.5, 2)}, {Name: "other", Latents: walk(n, 3, 3)}}}
	for _, window := range []int{0, 10} {
		o := Options{K: []int{5, 20}, ExcludeWindow: window, PerPoint: true, Permutations: 2, Settings: analysis.Settings{Seed: 7}}
		exact := analyze(t, in, o)
		o.Approximate, o.References, o.Intervals = true, 300, true
		sampled := analyze(t, in, o)
		if s := sampled.Sampling; s == nil || s.References != 300 || s.Strata != 5 || !s.Recall.Exact || s.Recall.Value.Float() != 1 {
			t.Errorf("sampling: %+v", s)
		} else if !strings.Contains(s.Exact, "300 references among all 1500 states") || !strings.Contains(s.Estimated, "5 strata") {
			t.Errorf("sampling: %q, %q", s.Exact, s.Estimated)
		}
		if len(sampled.Comparisons) > 0 || sampled.Models[0].Curves != nil || sampled.Blocks != "" {
			t.Error("a sample has no comparisons, curves and blocks")
		}
		for i := range exact.Models {
			for q := range exact.Models[i].ByK {
				a, b := &sampled.Models[i].ByK[q], &exact.Models[i].ByK[q]
				for _, s := range []struct {
					name             string
					got, want, error report.Value
				}{
					{"T", a.Trustworthiness, b.Trustworthiness, a.SamplingSE.Trustworthiness},
					{"C", a.Continuity, b.Continuity, a.SamplingSE.Continuity},
					{"Q", a.QNX, b.QNX, a.SamplingSE.QNX},
					{"R", a.RNX, b.RNX, a.SamplingSE.RNX},
					{"LCMC", a.LCMC, b.LCMC, a.SamplingSE.LCMC},
					{"MRRE false", a.MRREFalse, b.MRREFalse, a.SamplingSE.MRREFalse},
					{"MRRE missing", a.MRREMissing, b.MRREMissing, a.SamplingSE.MRREMissing},
				} {
					if !(math.Abs(s.got.Float()-s.want.Float()) <= 3*s.error.Float()) {
						t.Errorf("window %d, k = %d: %s = %v ± %v, exactly %v", window, a.K, s.name, s.got.Float(), s.error.Float(), s.want.Float())
					}
				}
				near(t, "null", a.MadeNull().TrustworthinessMean.Float(), b.MadeNull().TrustworthinessMean.Float(), 0.03)
				if a.TrustCI.Defined() || a.TrustSE.Defined() {
					t.Error("a sample has no intervals")
				}
				trust, _ := sampled.Models[i].PointScores(q)
				all, _ := exact.Models[i].PointScores(q)
				if len(trust) != 300 || len(sampled.Models[i].pointIndex) != 300 {
					t.Fatalf("scores of %d points, want those of 300 references", len(trust))
				}
				for at, point := range sampled.Models[i].pointIndex {
					if trust[at] != all[point] {
						t.Fatalf("point %d: %v, want %v", point, trust[at], all[point])
					}
				}
			}
		}
		o.Threads = 3
		var first, again bytes.Buffer
		if err := report.Encode(&first, sampled.Models); err != nil {
			t.Fatal(err)
		}
		if err := report.Encode(&again, analyze(t, in, o).Models); err != nil || !bytes.Equal(again.Bytes(), first.Bytes()) {
			t.Errorf("three threads give another result: %v", err)
		}
		// All states as references: the exact scores.
		o.References = n
		all := analyze(t, in, o)
		near(t, "all references", all.Models[0].ByK[1].Trustworthiness.Float(), exact.Models[0].ByK[1].Trustworthiness.Float(), 1e-12)
		if se := all.Models[0].ByK[1].SamplingSE.Trustworthiness.Float(); se != 0 {
			t.Errorf("all references: sampling error %v", se)
		}
	}
}

func TestApproximateIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	frames := walk(100, 8, 1)
	in := Input{Frames: frames, Models: []Encoded{{Name: "a", Latents: frames}}}
	if _, err := Analyze(ctx, in, Options{Approximate: true, References: 20}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

func TestPenaltyJSON(t *testing.T) {
	for want, p := range map[string]Penalty{"0": {}, "9007199254740991": {Sum: 9007199254740991}, "0.5": {Sum: 0.5}, "null": {Reason: "sampled"}} {
		text, err := json.Marshal(p)
		if err != nil || strings.TrimSpace(string(text)) != want {
			t.Errorf("%+v: %s, %v, want %s", p, text, err, want)
		}
	}
}

// Where there are no co-ranking curves, what is read off them says why, and which option
// changes it; an exclusion window is no reason.
func TestReasonsOfNoCurves(t *testing.T) {
	t.Parallel()
	runtest.Long(t, "more than 5,000 states")
	for _, c := range []struct {
		states int
		o      Options
		want   string
	}{
		{30, Options{ExcludeWindow: 3}, ""},
		{30, Options{CoRanking: neighbors.CoRankingOff},
			"the co-ranking curves were not computed: off (--coranking off)"},
		{neighbors.AutoCoRankingPoints + 1, Options{ExcludeWindow: 3},
			"the co-ranking curves were not computed: more than 5000 states (compute them with --coranking full)"},
		{30, Options{Approximate: true, References: 10}, "the co-ranking curves were not computed: --approx ranks a sample of the states"},
	} {
		frames := walk(c.states, 2, 1)
		c.o.K = []int{2}
		m := analyze(t, Input{Frames: frames, Models: []Encoded{{Name: "z", Latents: noisy(frames, 1, 2)}}}, c.o).Models[0]
		for _, v := range []report.Value{m.AUCRNX.Value, m.KStar, m.QLocal.Value, m.QGlobal.Value} {
			if v.Reason != c.want || v.Defined() != (c.want == "") {
				t.Errorf("%d states, %+v: %v for the reason %q, want %q", c.states, c.o, v, v.Reason, c.want)
			}
		}
	}
}
