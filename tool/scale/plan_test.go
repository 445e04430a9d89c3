// Tests of plans: what is wrong with the command line, and what a plan says.

package scale_test

import (
	"encoding/json"
	"strings"
	"testing"

	"repscope/internal/runtest"
)

func TestPlan(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	dir := t.TempDir()
	arrays(t, dir, 30000) // so many that one run says less than the law
	args := []string{"plan", "--json", "--within", "1h", "--rates", ratesDir, "--", "neighborhood", "--frames", "f.npy", "--latents", "z=z.npy", "--bootstrap", "0", "--permutations", "0"}
	var plan struct {
		Machine  struct{ Cores int }
		Analyses []struct {
			Units, Tasks int
			Seconds      float64 `json:"predicted_task_s"`
			Memory       int64   `json:"predicted_memory_bytes"`
			Read         int64   `json:"read_bytes"`
			Ends         float64 `json:"exact_up_to_states"`
		}
	}
	out := succeeds(t, dir, "scale", args...)
	_, out, _ = strings.Cut(out, "{") // what is measured is said before
	if err := json.Unmarshal([]byte("{"+out), &plan); err != nil {
		t.Fatal(err)
	}
	a := plan.Analyses[0]
	if plan.Machine.Cores < 1 || a.Units != 118 || a.Tasks != 1 || a.Seconds <= 0 || a.Memory < 1<<20 || a.Ends < 1e4 {
		t.Errorf("got %+v", plan)
	}
	if want := int64(30000*48 + 30000*6*4 + 2*128); a.Read != want {
		t.Errorf("%d bytes are read, want %d", a.Read, want)
	}
	text := succeeds(t, dir, "scale", append([]string{"plan"}, args[2:]...)...)
	for _, want := range []string{"measured on ", "predicted for tasks of ", "neighborhood is feasible without --approx up to about ", " states with "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// A small analysis with a law is run once, and its law is not measured; another plan of it measures nothing.
func TestPlanOfSmallWork(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	dir, rates := t.TempDir(), t.TempDir()
	arrays(t, dir, 1100)
	command := []string{"plan", "--rates", rates, "--", "neighborhood", "--frames", "f.npy", "--latents", "z=z.npy"}
	out := succeeds(t, dir, "scale", command...)
	for _, want := range []string{"scale: measuring neighborhood on its states\n", " s for all its 1100 states\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "not known") || strings.Contains(out, "random states") || strings.Contains(succeeds(t, dir, "scale", command...), "measuring") {
		t.Errorf("measured again, on random states, or not known:\n%s", out)
	}
}

// Analyses without a law are tried on parts of their states, with their options, once; where there are no parts, the
// plan says so.
func TestPlanOfParts(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	dir, rates := t.TempDir(), t.TempDir()
	arrays(t, dir, 1100)
	for _, args := range [][]string{
		{"manifold", "--latents", "z=z.npy", "--bootstrap", "0"},
		{"geometry", "--latents", "z=z.npy", "--bootstrap", "0", "--samples=1050"},
	} {
		command := append([]string{"plan", "--rates", rates, "--"}, args...)
		out := succeeds(t, dir, "scale", command...)
		for _, want := range []string{"scale: measuring " + args[0] + " on parts of its states\n", "  " + args[0] + ": ", "s per pair, measured on 500 to 1"} {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in:\n%s", args, want, out)
			}
		}
		if strings.Contains(out, "not known") || strings.Contains(succeeds(t, dir, "scale", command...), "measuring") {
			t.Errorf("%v: measured again, or not known:\n%s", args, out)
		}
	}
	audit := []string{"plan", "--rates", rates, "--shards", "3", "--", "audit", "--train", "f.npy", "--test", "f.npy"}
	out := succeeds(t, dir, "scale", audit...)
	if !strings.Contains(out, "scale: measuring audit: 2 of 2: 24576 states\n") || strings.Contains(out, "unknown") ||
		strings.Contains(succeeds(t, dir, "scale", audit...), "measuring") {
		t.Errorf("audit is measured again, or not known:\n%s", out)
	}
	out = succeeds(t, dir, "scale", "plan", "--rates", rates, "--", "forecast", "--example")
	if !strings.Contains(out, "warning: forecast: the time of forecast is unknown: it cannot be measured on a part of its inputs") {
		t.Errorf("got:\n%s", out)
	}
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	arrays(t, dir, 300)
	for want, args := range map[string][]string{
		"nothing to divide":                         {"plan"},
		"did you mean manifold?":                    {"plan", "--", "manifolds", "--latents", "z=z.npy"},
		`z=\xff.npy of manifold is not valid UTF-8`: {"plan", "--", "manifold", "--latents", "z=\xff.npy"},
		"--out of manifold is set by scale":         {"plan", "--", "manifold", "--latents", "z=z.npy", "--out", "x"},
		"unknown flag --frame":                      {"plan", "--", "neighborhood", "--frame", "f.npy"},
		"is not a time such as 20m":                 {"plan", "--within", "2 hours", "--", "manifold", "--latents", "z=z.npy"},
		"--image is missing":                        {"k8s", "--claim", "c", "--", "manifold", "--latents", "z=z.npy"},
		"--mount data: want an absolute path":       {"k8s", "--claim", "c", "--image", "i", "--mount", "data", "--", "manifold", "--latents", "z=z.npy"},
		"--resubmit: want the folder":               {"slurm", "--resubmit", "--", "manifold", "--latents", "z=z.npy"},
		"--follow: want --submit":                   {"slurm", "--follow", "--", "manifold", "--latents", "z=z.npy"},
		"--sbatch partition: want an option":        {"slurm", "--sbatch", "partition", "--", "manifold", "--latents", "z=z.npy"},
		"is divided already: want --resubmit":       {"slurm", "."},
		"unknown command":                           {"plans"},
	} {
		if out, code := binary(t, dir, "scale", args...); code != 2 || !strings.Contains(out, want) {
			t.Errorf("%v: status %d, no %q in:\n%s", args, code, want, out)
		}
	}
}
