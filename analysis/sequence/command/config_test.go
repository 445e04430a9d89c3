// The tree of a configuration: what is merged over what, and what is refused.

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/analysis/sequence"
	"repscope/internal/run"
)

// configured runs the checks of the command with a configuration and returns its settings.
func configured(t *testing.T, yaml string, args ...string) (s *settings, o *run.Options, code int, messages string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	command := run.Command{Name: "sequence", Out: t.TempDir(), Setup: func(flags *run.Flags) run.Job {
		s = &settings{flags: flags}
		s.tree.register(flags)
		s.registerInputs(flags)
		s.registerMetrics(flags)
		check := func(of *run.Options) error {
			o = of
			return s.check(of)
		}
		return run.Job{Check: check, Run: func(context.Context, *run.Env) error { return nil }}
	}}
	var stdout, stderr bytes.Buffer
	code = run.Run(t.Context(), command, append(args, "--config", path, "--dump", "m/a=x.npz", "--quiet"), &stdout, &stderr)
	return s, o, code, strings.ReplaceAll(stderr.String(), path, "run.yaml")
}

const exampleTree = `
eval:
  metrics:
    p_at_l: {enabled: true, contact_threshold: 10, min_seq_sep: 4}
    loss: {enabled: false}
    chain_probe:
      enabled: false
  regions: {enabled: true, mode: per_position, position_batch_size: 16, hcdr1: false, all_cdr: true}
  masking: {mask_rate: 0.2, seed: 7}
data:
  eval:
    a:
      metrics:
        p_at_l: {threshold: 6.5}
        loss: {enabled: true}
      regions: {hcdr3: true, position_batch_size: 8}
    b:
      path: b.csv
      load_coords: false
      metrics: {only: [mask_acc, loss]}
      masking: {mask_rate: 0.5, mask: ranked}
      regions: {mode: standard, all_cdr: false}
`

func TestConfigurationTree(t *testing.T) {
	t.Parallel()
	s, o, code, messages := configured(t, exampleTree)
	if code != 0 {
		t.Fatalf("%d: %s", code, messages)
	}
	if got := s.datasets(); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("datasets %v", got)
	}
	a, b := s.choice(o, "a"), s.choice(o, "b")
	if slices.Contains(a.Metrics, "chain_probe") || !slices.Contains(a.Metrics, "loss") || !slices.Contains(a.Metrics, "p_at_l") {
		t.Errorf("metrics of a %v", a.Metrics)
	}
	if !slices.Equal(b.Metrics, []string{"masked_accuracy", "loss"}) {
		t.Errorf("metrics of b %v", b.Metrics)
	}
	if v := a.Set["p_at_l"]; v["contact_threshold"] != 6.5 || v["min_seq_sep"] != 4 {
		t.Errorf("options of a %v", v)
	}
	if v := b.Set["p_at_l"]; v["contact_threshold"] != 10.0 {
		t.Errorf("options of b %v", v)
	}
	if a.Mode != sequence.RegionPerPosition || b.Mode != sequence.RegionStandard || s.batch() != 8 {
		t.Errorf("modes %s and %s, batch %d", a.Mode, b.Mode, s.batch())
	}
	if !slices.Equal(a.Regions, []string{"hcdr3", "all_cdr"}) || b.Regions != nil {
		t.Errorf("regions %v and %v", a.Regions, b.Regions)
	}
	for name, want := range map[string]string{"a": "auto {Rule:0 Rate:0.2", "b": "ranked {Rule:2 Rate:0.5"} {
		c := s.choice(o, name)
		if !strings.HasPrefix(c.Masking, want) || !strings.Contains(c.Masking, "Seed:7") {
			t.Errorf("masking of %s: %s", name, c.Masking)
		}
	}
	if !s.tree.noCoordinates("b") || s.tree.noCoordinates("a") {
		t.Error("coordinates")
	}
	// What flags say takes the place of the tree.
	s, o, code, messages = configured(t, exampleTree, "--metrics", "loss", "--set", "p_at_l.threshold=8", "--mask-rate",
		"0.3",
		"--region-mode", "region-level", "--regions", "heavy", "--sequences", "b=other.csv", "--position-batch", "4")
	if code != 0 {
		t.Fatalf("%d: %s", code, messages)
	}
	b = s.choice(o, "b")
	if !slices.Equal(b.Metrics, []string{"loss"}) || b.Set["p_at_l"]["contact_threshold"] != 8 || b.Mode != sequence.RegionLevel || !slices.Equal(b.Regions, []string{"heavy"}) ||
		!strings.Contains(b.Masking, "Rate:0.3") || s.sequences.files[0].path != "other.csv" || s.batch() != 4 {
		t.Errorf("%+v, %+v", b, s.sequences)
	}
	// A section of the command wins over what is common.
	s, o, code, messages = configured(t, "eval: {metrics: {only: [loss]}}\nsequence: {eval: {metrics: {only: [ppl]}}}\n")
	if c := s.choice(o, "a"); code != 0 || !slices.Equal(c.Metrics, []string{"perplexity"}) {
		t.Errorf("%d %s: %v", code, messages, c.Metrics)
	}
	if s, o, _, _ = configured(t, "eval: {regions: {enabled: false}}\n"); slices.Contains(s.choice(o, "a").Metrics, "region_accuracy") {
		t.Error("regions are off")
	}
	if s, o, _, _ = configured(t, "seed: 5\n"); s.choice(o, "a").Metrics != nil || s.choice(o, "a").Regions != nil {
		t.Error("nothing is chosen")
	}
	// Metrics that take long are computed where they are asked for, not where another one is disabled.
	for _, test := range []struct {
		yaml  string
		asked bool
	}{
		{"seed: 5\n", false},
		{"eval: {metrics: {cdr_probe: {enabled: false}}}\n", false},
		{"eval: {metrics: {pseudo_perplexity: {enabled: true}}}\n", true},
		{"eval: {metrics: {only: [pseudo_perplexity]}}\n", true},
	} {
		s, o, code, messages = configured(t, test.yaml)
		c := s.choice(o, "a")
		asked := c.Asked
		if asked == nil {
			asked = c.Metrics
		}
		if code != 0 || slices.Contains(asked, "pseudo_perplexity") != test.asked || test.asked && !slices.Contains(c.Metrics, "pseudo_perplexity") {
			t.Errorf("%s%d %s: asked for: %v", test.yaml, code, messages, !test.asked)
		}
	}
}

// TestAllBadKeys: all that is wrong in a configuration is told at once, each with its line and the
// nearest name, also beside options that are none.
func TestAllBadKeys(t *testing.T) {
	t.Parallel()
	_, _, code, messages := configured(t, `seeed: 3
eval:
  metrics:
    los: {enabled: true}
    p_at_l: {enabled: yes, min_sep: 4, contact_thresh: 8}
    ppl: 3
    only: [mask_ac]
  regions: {hcdr7: true, mode: standrad, position_batch: 4}
  masking: {mask_rat: 0.1, seed: x}
data:
  train: x
  eval:
    a: {pth: x.csv, load_coords: 3, metrics: {lss: {}}}
`)
	want := []string{
		`line 1: unknown option "seeed"`, `line 4: unknown metric "los"`, `p_at_l has no option "min_sep"`,
		`p_at_l has no option "contact_thresh"`, "ppl: want a mapping", `line 7: unknown metric "mask_ac"`,
		`line 8: unknown key "hcdr7" of regions`, `unknown key "position_batch" of regions`, `mode: "standrad"`,
		`line 9: unknown key "mask_rat" of masking`, "seed is x", `line 11: unknown key "train" of data`,
		`line 13: unknown key "pth" of a`, "load_coords is 3", `unknown metric "lss"`,
		"hint: did you mean loss?", "hint: did you mean mask_rate?", "hint: did you mean path?", "hint: did you mean position_batch_size?",
	}
	if code != 2 {
		t.Errorf("exit code %d", code)
	}
	for _, w := range want {
		if !strings.Contains(messages, w) {
			t.Errorf("%s is not told: %s", w, messages)
		}
	}
}

func TestBadConfigurationTree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ yaml, message, hint string }{
		{"eval: {metric: {}}", `configuration run.yaml, line 1: unknown key "metric" of eval`, "did you mean metrics?"},
		{"eval: 7", "eval: want a mapping of metrics, regions, masking", ""},
		{"eval:\n  metrics:\n    p_at_k: {enabled: true}", `run.yaml, line 3: unknown metric "p_at_k"`, "did you mean p_at_l?"},
		{"eval: {metrics: {p_at_l: {distance: 8}}}", `p_at_l has no option "distance"`, ""},
		{"eval: {metrics: {p_at_l: {threshold: 8, contact_threshold: 6}}}",
			"p_at_l.contact_threshold occurs twice, also as contact_threshold", ""},
		{"eval: {metrics: {loss: {threshold: 8}}}", "loss has no options, but loss.threshold is set", ""},
		{"eval: {metrics: {p_at_l: {min_seq_sep: far}}}", "p_at_l.min_seq_sep is far, want a whole number", ""},
		{"eval: {metrics: {p_at_l: {min_seq_sep: [1]}}}", "p_at_l.min_seq_sep: want one value", ""},
		{"eval: {metrics: {p_at_l: true}}", "p_at_l: want a mapping, such as {enabled: true}", ""},
		{"eval: {metrics: {p_at_l: {enabled: 1}}}", "enabled is 1; want true or false", ""},
		{"eval: {metrics: {ppl: {}, perplexity: {}}}", "metric perplexity occurs twice", ""},
		{"eval: {metrics: {only: loss}}", "only: want a list of metrics", ""},
		{"eval: {metrics: {only: []}}", "the list is empty", ""},
		{"eval: {metrics: {only: [los]}}", `unknown metric "los"`, "did you mean loss?"},
		{"eval: {metrics: {only: [loss], loss: {enabled: false}}}",
			"metric loss is listed in only, but has enabled: false", ""},
		{"eval: {regions: {hcdr4: true}}", `unknown key "hcdr4" of regions`, "did you mean hcdr1?"},
		{"eval: {regions: {mode: single}}", `mode: "single" is not one of`, ""},
		{"eval: {regions: {position_batch_size: 0}}", "position_batch_size is 0; want a whole number from 1", ""},
		{"eval: {masking: {mask_rat: 0.1}}", `unknown key "mask_rat" of masking`, "did you mean mask_rate?"},
		{"eval: {masking: {mask_rate: 2}}", "run.yaml, line 1: the share of masked residues is 2", ""},
		{"eval: {masking: {mask_rate: much}}", "mask_rate is much; want a number", ""},
		{"eval: {masking: {seed: -1}}", "seed is -1; want a whole number from 0", ""},
		{"eval: {masking: {mask: all}}", `mask: "all" is not one of`, ""},
		{"eval: {masking: }", "masking: want a mapping", ""},
		{"data: {eva: {}}", `unknown key "eva" of data`, "did you mean eval?"},
		{"data: {eval: [a]}", "want a dataset under every key of data.eval", ""},
		{"data: {eval: {a: x.csv}}", "a: want a mapping of path, load_coords", ""},
		{"data: {eval: {a: {pth: x.csv}}}", `unknown key "pth" of a`, "did you mean path?"},
		{"data: {eval: {a: {path: 7}}}", "path: want a file of sequences", ""},
		{"data: {eval: {a: {load_coords: maybe}}}", "load_coords is maybe; want true or false", ""},
		{"data: {eval: {a/b: {path: x.csv}}}", "is not a valid dataset name", ""},
		{"data: {eval: {valid: {metrics: {}}}}", "dataset valid has neither a path nor a flag; the datasets are a", ""},
		{"data: {eval: {a: {}, a: {}}}", "a is given twice", ""},
		{"eval: {}\neval: {}", "eval is given twice", ""},
		{"evall: {}", `unknown option "evall"`, "did you mean eval?"},
	} {
		_, _, code, messages := configured(t, c.yaml)
		if code != 2 || !strings.Contains(messages, c.message) || !strings.Contains(messages, c.hint) {
			t.Errorf("%q: %d and %q, want %q and %q", c.yaml, code, messages, c.message, c.hint)
		}
	}
}
