// What show prints of each format.

package repscope

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShow(t *testing.T) {
	t.Parallel()
	const hdf5, data = "../../dataset/hdf5/testdata/", "../../dataset/testdata/"
	for _, c := range []struct {
		args string
		code int
		want string // in the output or the message, spaces as one
	}{
		{hdf5 + "layouts_latest.h5", 0, "fixed/gzip float32 [7 6 5] shuffle gzip"},
		{hdf5 + "layouts_latest.h5:fixed", 0, ": .h5, .hdf5, 2 arrays fixed/gzip"},
		{hdf5 + "layouts_latest.h5:/fixed/none", 0, ": .h5, .hdf5, 1 array fixed/none float32 [7 6 5]"},
		{hdf5 + "layouts_latest.h5:fixde", 1, `no array "fixde"`},
		{hdf5 + "types_earliest.h5", 0, "numbers/f4 float32 [4 3] (fixed: K, labels: [a bc], range: [1 9], scale_factor: 0.5, units: m s-1)"},
		{hdf5 + "types_earliest.h5", 0, `compound a compound of 2 fields ("a" and so on) [1] not readable: elements are`},
		{hdf5 + "groups_latest.h5", 0, "not readable: \"external\" is an external link to other.h5:/data"},
		{data + "deflated.npz", 0, "deflated.npz: .npz, 3 arrays frames uint8 [7 4 4] deflate"},
		{data + "f4.npy " + data + "bool.npy", 0, "bool.npy: .npy, 1 array bool"},
		{data + "rgb", 0, "a folder of images, 1 array uint8 [3 3 4 5]"},
		{data + "torch/nested.pt", 0, "a.b.c.0 float32 [4 3]"},
		{data + "torch/rewards.pt", 0, "1 array float64 [3]"},
		{"../../latent/testdata/video_opset13.onnx", 0, "ONNX, 1 input, 1 output (opset: 13, parameters: 13268) input x float32 [batch 1 time height width] output z"},
		{"../../model/checkpoint/testdata/families/dinov3_gated/model.safetensors", 0, "layer.0.norm1.bias float16 [24]"},
		{data + "nothing.npy", 1, "no such file"},
		{data + "README.md", 1, "README.md: begins with"},
		{"", 2, "show: no file"},
		{"--jsn x", 2, "unknown flag --jsn"},
	} {
		var out, stderr bytes.Buffer
		code := Run(commands(), append([]string{"show"}, strings.Fields(c.args)...), &out, &stderr)
		if got := strings.Join(strings.Fields(out.String()+stderr.String()), " "); code != c.code || !strings.Contains(got, c.want) {
			t.Errorf("show %s: status %d, %s; want %d, %s", c.args, code, got, c.code, c.want)
		}
	}
}

func TestShow_JSON(t *testing.T) {
	t.Parallel()
	var out, stderr bytes.Buffer
	path := filepath.Join("../../dataset/hdf5/testdata/types_latest.h5")
	if code := Run(commands(), []string{"show", "--json", path + ":numbers/f4"}, &out, &stderr); code != 0 {
		t.Fatal(stderr.String())
	}
	var all struct {
		Schema string
		Files  []struct {
			Path, Format string
			Arrays       []struct {
				Name, Type string
				Shape      []int
				Attributes map[string]any
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	a := all.Files[0].Arrays[0]
	if all.Schema != "repscope/show/1" || len(all.Files[0].Arrays) != 1 || a.Type != "float32" || len(a.Shape) != 2 || a.Attributes["units"] != "m s-1" {
		t.Errorf("%s", out.String())
	}
}

// TestShow_Names has names and types of a file that would begin lines and columns of their own.
func TestShow_Names(t *testing.T) {
	t.Parallel()
	header := `{"a\nb\tc":{"dtype":"F3\n2","shape":[2],"data_offsets":[0,8]}}`
	path := filepath.Join(t.TempDir(), "a.safetensors")
	data := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+"12345678"...)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	code := Run(commands(), []string{"show", path}, &out, &stderr)
	if lines := strings.Split(out.String(), "\n"); code != 0 || len(lines) != 3 ||
		!strings.HasPrefix(lines[1], `  a\nb\tc  F3\n2  [2]`) {
		t.Errorf("status %d, %q, %s", code, out.String(), stderr.String())
	}
}
