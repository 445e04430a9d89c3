// Folders of weights.

package checkpoint

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/dtype"
	"repscope/internal/safetensors"
	"repscope/internal/torchfile/torchtest"
)

// writeFolder writes files, which are text or dictionaries of tensors.
func writeFolder(t *testing.T, files map[string]any) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		var b bytes.Buffer
		switch c := content.(type) {
		case string:
			b.WriteString(c)
		case torchtest.Dict:
			var err error
			if strings.HasSuffix(name, ".safetensors") {
				var list []safetensors.Data
				for _, item := range c {
					v := item.Value.(torchtest.Tensor)
					list = append(list, safetensors.Data{Name: item.Key, DType: dtype.Float32, Shape: v.Shape, Raw: v.Raw})
				}
				err = safetensors.Encode(&b, list...)
			} else {
				err = torchtest.Encode(&b, c)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// index places the tensors of some files.
func index(files map[string]torchtest.Dict) string {
	weights := map[string]string{}
	for name, d := range files {
		for _, item := range d {
			weights[item.Key] = name
		}
	}
	text, _ := json.Marshal(map[string]any{"metadata": map[string]any{"total_size": 1}, "weight_map": weights})
	return string(text)
}

func TestOpenFolder(t *testing.T) {
	t.Parallel()
	all := weights(3, "")
	parts := map[string]torchtest.Dict{"model-00001-of-00002.safetensors": all[:5], "model-00002-of-00002.safetensors": all[5:]}
	bins := map[string]torchtest.Dict{"pytorch_model-00001-of-00002.bin": all[:5], "pytorch_model-00002-of-00002.bin": all[5:]}
	for name, files := range map[string]map[string]any{
		"safetensors":            {"model.safetensors": all, "pytorch_model.bin": "never read"},
		"bin":                    {"pytorch_model.bin": all},
		"safetensors in parts":   {"model.safetensors.index.json": index(parts), "model-00001-of-00002.safetensors": all[:5], "model-00002-of-00002.safetensors": all[5:]},
		"bin in parts":           {"pytorch_model.bin.index.json": index(bins), "pytorch_model-00001-of-00002.bin": all[:5], "pytorch_model-00002-of-00002.bin": all[5:]},
		"one part of the index":  {"model.safetensors.index.json": index(map[string]torchtest.Dict{"a.safetensors": all}), "a.safetensors": all},
		"the rest of the folder": {"model.safetensors": all, "README.md": "text", "tokenizer.json": "{}"},
	} {
		files["config.json"] = `{"encoder": {"activation": "relu"}}`
		n, err := Open(writeFolder(t, files), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		defer n.Close()
		if n.Architecture != "ConvEncoder" || n.Parameters != 51+6+245+10+40+147 || value(t, n) != 3 || len(n.Files()) == 0 {
			t.Errorf("%s: %+v", name, n)
		}
		if says := strings.Join(n.Notes, "\n"); strings.Contains(says,
			`the folder also contains "pytorch_model.bin"`) != (len(files) > 2 && files["pytorch_model.bin"] != nil) {
			t.Errorf("%s: notes %q", name, says)
		}
		if !slices.ContainsFunc(n.Settings, func(s string) bool { return strings.Contains(s, "relu") }) {
			t.Errorf("%s: config.json was not read: settings %q", name, n.Settings)
		}
	}
}

func TestOpenFolderErrors(t *testing.T) {
	t.Parallel()
	all := weights(3, "")
	parts := map[string]torchtest.Dict{"a.safetensors": all[:5], "b.safetensors": all[5:]}
	for _, c := range []struct {
		name  string
		files map[string]any
		want  string
	}{
		{"nothing", map[string]any{"config.json": "{}"}, "a folder without model.safetensors or pytorch_model.bin, as save_pretrained writes them; give the file of the encoder"},
		{"other files", map[string]any{"best.onnx": "x"}, `give one of its files: "best.onnx"`},
		{"no index", map[string]any{"model.safetensors.index.json": "[]"}, "not an index of weights"},
		{"empty index", map[string]any{"model.safetensors.index.json": "{}"}, "weight_map is missing or empty"},
		{"outside", map[string]any{"model.safetensors.index.json": `{"weight_map":{"a":"../b.safetensors"}}`}, `tensor "a" is in "../b.safetensors", want the name of a file in the same folder`},
		{"missing part", map[string]any{"model.safetensors.index.json": index(parts), "a.safetensors": all[:5]}, "b.safetensors: no such file"},
		{"missing tensor", map[string]any{"model.safetensors.index.json": index(parts), "a.safetensors": all[:5], "b.safetensors": all[6:]}, `tensor "` + all[5].Key + `", which`},
		{"tensor in two parts", map[string]any{"model.safetensors.index.json": index(parts), "a.safetensors": all[:6], "b.safetensors": all[5:]}, `tensor "` + all[5].Key + `", which`},
	} {
		_, err := Open(writeFolder(t, c.files), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzIndex reads any bytes as an index of weights; it names files of its own folder only.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata":{},"weight_map":{"a.weight":"model-00001-of-00002.safetensors"}}`))
	f.Add([]byte(`{"weight_map":{"a":"/etc/passwd","b":"..","c":""}}`))
	f.Add([]byte(`{"weight_map":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		weights, err := parseIndex(data)
		if err != nil {
			return
		}
		for tensor, file := range weights {
			if filepath.Dir(filepath.Join("folder", file)) != "folder" {
				t.Errorf("tensor %q in %q", tensor, file)
			}
		}
	})
}
