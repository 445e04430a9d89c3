// Tests of the published layout and its numbers.

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"repscope/internal/run"
)

// Every published number by --definition documented is that of an independent program
// (testdata/published/published.py: NumPy, SciPy, scikit-learn), in the published layout.
func TestPublishedNumbers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "published")
	file := func(name string) string { return filepath.Join(dir, name) }
	out := filepath.Join(t.TempDir(), "results.json")
	var stdout, stderr bytes.Buffer
	code := run.Run(t.Context(), Command, []string{"--generated", "vae=" + file("generated.json"), "--data",
		file("real.json"), "--reconstruction", "vae=" + file("recon.npz"),
		"--latents", "vae=" + file("latents.npz"), "--predictions", "vae=" + file("predictions.csv"), "--definition",
		"documented", "--output", out,
		"--metrics", "reconstruction,diversity,statistical,latent_space,grade_conditioning", "--bootstrap", "0", "--format",
		"none", "--out", t.TempDir(), "--cpu"}, &stdout, &stderr)
	if code != 0 {
		t.Fatalf("status %d: %s", code, stderr.String())
	}
	var got, want map[string]any
	for path, to := range map[string]*map[string]any{out: &got, file("golden.json"): &want} {
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	delete(want, "versions")
	warnings := got["metrics"].(map[string]any)["grade_conditioning"].(map[string]any)
	if list, ok := warnings["warnings"].([]any); !ok || len(list) == 0 {
		t.Errorf("no warnings in %v", warnings)
	}
	delete(warnings, "warnings") // texts of ours
	same(t, "", got, want)
}

// same compares two JSON values, numbers to 12 digits.
func same(t *testing.T, path string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		keys, others := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(object))
		if !slices.Equal(keys, others) {
			t.Errorf("%s has the keys %v, want %v", path, others, keys)
			return
		}
		for _, key := range keys {
			same(t, path+"/"+key, object[key], want[key])
		}
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			t.Errorf("%s has %d elements, want %d", path, len(list), len(want))
			return
		}
		for i := range want {
			same(t, fmt.Sprint(path, "/", i), list[i], want[i])
		}
	case float64:
		if v, ok := got.(float64); !ok || math.Abs(v-want) > 1e-12*math.Max(1, math.Abs(want)) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}
