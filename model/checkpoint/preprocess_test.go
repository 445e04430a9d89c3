// Folders of open_clip, and the files that say how encoders want images.

package checkpoint

import (
	"os"
	"path/filepath"
	"repscope/model/checkpoint/internal/settings"
	"slices"
	"strings"
	"testing"
)

// TestOpenCLIPFolder: the configuration of open_clip tells the heads and the activation.
func TestOpenCLIPFolder(t *testing.T) {
	t.Parallel()
	weights, err := os.ReadFile(filepath.Join("testdata", "families", "open_clip", "weights.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	golden := arraysIn(t, filepath.Join("testdata", "families", "open_clip", "golden.npz"))
	for config, want := range map[string]string{
		`{"model_cfg": {"vision_cfg": {"width": 24, "head_width": 12, "layers": 2}}}`:                    "heads=2",
		`{"model_cfg": {"quick_gelu": true, "vision_cfg": {"width": 24, "head_width": 6, "layers": 2}}}`: "heads=4",
	} {
		dir := writeFolder(t, map[string]any{"open_clip_model.safetensors": string(weights), "open_clip_config.json": config})
		n, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(n.Settings, " ")
		if !strings.Contains(got, want) || strings.Contains(got, "quick_gelu") != strings.Contains(config, "quick_gelu") {
			t.Errorf("%s: settings %s", config, got)
		}
		same := slices.Equal(run(t, n.Graph, golden["x0"]).Shape, golden["y0"].Shape)
		if err := n.Close(); err != nil || !same {
			t.Errorf("%s: %v", config, err)
		}
		if files, err := Processors(dir); err != nil || len(files) != 1 || files[0].Name != settings.OpenCLIPFile || string(files[0].Data) != config {
			t.Errorf("%s: %v (%v)", config, files, err)
		}
	}
	for _, config := range []string{`{}`, `[]`, `{"model_cfg": {"vision_cfg": {"width": 0, "head_width": 0}}}`, `{"model_cfg": 3}`} {
		dir := writeFolder(t, map[string]any{"open_clip_model.safetensors": string(weights), "open_clip_config.json": config})
		if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "number of heads") {
			t.Errorf("%s: %v", config, err)
		}
	}
}

// TestProcessors: the file of the library of the weights comes first, and a file has none.
func TestProcessors(t *testing.T) {
	t.Parallel()
	all := weights(3, "")
	dir := writeFolder(t, map[string]any{"open_clip_model.safetensors": all, settings.OpenCLIPFile: "{}", "preprocessor_config.json": "{}", "config.json": "{}"})
	names := func(dir string) (list []string) {
		files, err := Processors(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			list = append(list, f.Name)
		}
		return list
	}
	if got := names(dir); got[0] != settings.OpenCLIPFile {
		t.Errorf("files %v", got)
	}
	if err := os.Rename(filepath.Join(dir, "open_clip_model.safetensors"), filepath.Join(dir, "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	if got := names(dir); got[0] != "preprocessor_config.json" || got[len(got)-1] != "config.json" {
		t.Errorf("files %v", got)
	}
	if got := names(filepath.Join(dir, "model.safetensors")); got != nil {
		t.Errorf("files %v of a file", got)
	}
	if err := os.Truncate(filepath.Join(dir, "preprocessor_config.json"), settings.FileSize+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Processors(dir); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a file of more than %d bytes: %v", settings.FileSize, err)
	}
}
