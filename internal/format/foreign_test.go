// Formats that are named but not read, and commands that convert them.

package format

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestForeign(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, head, what, recipe string }{
		{"d/x.csv", "1.5,2\n3,4\n", "a CSV file", `python -c 'import numpy as np; np.save("d/x.npy", np.loadtxt("d/x.csv", delimiter=","))'`},
		{"x.csv", "step,reward\n3,4\n", "a CSV file", `python -c 'import numpy as np; np.save("x.npy", np.loadtxt("x.csv", delimiter=",", skiprows=1))'`},
		{"x.csv", "1;2\n", "a CSV file", `python -c 'import numpy as np; np.save("x.npy", np.loadtxt("x.csv", delimiter=";"))'`},
		{"x.csv", "nan,-inf,1e-5\n", "a CSV file", `skiprows=1`},
		{"x.TSV", "1\t2\n", "a table of text", `delimiter="\t"))'`},
		{"x.txt", "-7.32633 1e-7\n", "a text file", `python -c 'import numpy as np; np.save("x.npy", np.loadtxt("x.txt"))'`},
		{"any", "PAR1\x15\x04", "", ""},
		{"x.parquet", "", "", ""}, // an empty file is that first of all
		{"x.mat", "MATLAB 5.0 MAT-file, Platform", "a MATLAB file", "scipy.io.loadmat"},
		{"x.mat", "MATLAB 7.3 MAT-file, Platform", "", ""}, // HDF5
		{"x.h5", "\x89HDF\r\n\x1a\n", "", ""},
		{"d/x.nc", "\x89HDF\r\n\x1a\n", "", ""},
		{"x", "CDF\x02\x00", "", ""},
		{"x.grib2", "GRIB\x00", "a GRIB file", `xr.open_dataset("x.grib2", engine="cfgrib")`},
		{"x.mp4", "\x00\x00\x00\x20ftypisom", "a video", "mkdir x_frames; ffmpeg -i x.mp4 x_frames/%06d.png"},
		{"x.avi", "RIFF\x00\x00\x00\x00AVI LIST", "a video", "ffmpeg"},
		{"x.mkv", "\x1aE\xdf\xa3", "a video", "ffmpeg"},
		{"x.gif", "GIF89a", "a GIF image", "ffmpeg"},
		{"x.tfrecord", "\x10\x00\x00", "a file of TFRecords", "tf.data.TFRecordDataset"},
		{"x.lmdb", strings.Repeat("\x00", 16) + "\xde\xc0\xef\xbe", "an LMDB database", "subdir=False"},
		{"x.npy.gz", "\x1f\x8b\x08", "a gzip file", "gunzip x.npy.gz"},
		{"m.pt2", "PK\x03\x04", "a program of torch.export", `torch.export.load("m.pt2"), dynamo=True).save("m.onnx")`},
		{"it's.csv", "1,2\n", "a CSV file", `np.save("FILE.npy", np.loadtxt("FILE.csv"`},
		{"x.npy", NPYMagic, "", ""},
		{"x.npz", zipMagic, "", ""},
		{"x.txt", NPYMagic, "", ""}, // the content decides
		{"x.pkl", "\x80\x04", "", ""},
		{"x.dunno", "abc", "", ""},
	} {
		what, recipe := Foreign(c.path, []byte(c.head))
		if what != c.what || !strings.Contains(recipe, c.recipe) || (recipe == "") != (c.recipe == "") {
			t.Errorf("%s %q: %q, %s; want %q, %s", c.path, c.head, what, recipe, c.what, c.recipe)
		}
	}
	if r := PickleRecipe("a/x.pkl", false); !strings.Contains(r, `pickle.load(open("a/x.pkl", "rb"))`) || PickleRecipe("x.npy", true) != "" {
		t.Error(r)
	}
	if r := PickleRecipe("x.pt", true); !strings.Contains(r, `torch.load("x.pt"`) || PickleRecipe("x.pt", false) != "" {
		t.Error(r)
	}
	for code, want := range map[string]string{
		"O": `np.load("d/x.npz", allow_pickle=True)["a"].tolist()`, "c16": `z = np.load("d/x.npz")["a"]`, "U3": "d/x_codes.npy", "S1": "np.unique", "m8[s]": `np.timedelta64(1, "h")`, "M8[ns]": "datetime64[s]",
		"f16": "float64", "V": "a.dtype.names", "": "", "q": "",
	} {
		r, runs := NPYRecipe("d/x.npz", "a", code)
		if !strings.Contains(r, want) || (r == "") != (want == "") || runs != (code == "O") {
			t.Errorf("%s: %s, %v", code, r, runs)
		}
	}
	if r, _ := NPYRecipe("d/x.parquet", "at", "M8[us]"); !strings.Contains(r, `pd.read_parquet("d/x.parquet")["at"]`) ||
		!strings.Contains(r, "pandas as pd") {
		t.Errorf("a time of Parquet: %s", r)
	}
	if r, _ := NPYRecipe("x.npy", `a"b`, "c8"); !strings.Contains(r, `["KEY"]`) {
		t.Error(r)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, what, recipe string }{
		"data.mdb": {"", "an LMDB database", "subdir=True"},
		"0.png":    {"", "", ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if what, recipe := Folder(dir); what != c.what || !strings.Contains(recipe, c.recipe) {
			t.Errorf("%s: %q, %s", name, what, recipe)
		}
	}
}

// Every command is one line in which nothing is left to fill in, and what it gives Python is
// Python.
func TestRecipes(t *testing.T) {
	t.Parallel()
	recipes := []string{PickleRecipe("d/x.pkl", false), PickleRecipe("d/x.pt", true), FolderRecipe("d", ".bmp"), FolderRecipe("d", ".npy"), FolderRecipe("d", ".csv"), FolderRecipe("d", ".tar")}
	for _, f := range foreigners {
		if f.recipe == "" {
			continue
		}
		for _, head := range []string{"a,b\n", "1\n"} {
			recipes = append(recipes, fill(f.recipe, "d/x.end", []byte(head)))
		}
	}
	for kind := range npyRecipes {
		for _, key := range []string{"", "a"} {
			r, _ := NPYRecipe("d/x.npy", key, string(kind))
			recipes = append(recipes, r)
		}
	}
	python, _ := exec.LookPath("python3")
	var sources []string
	for _, r := range recipes {
		for _, placeholder := range []string{"FILE", "STEM", "ARRAY", "DELIMITER", "SKIP", "SUBDIR", "ENDING", "\n"} {
			if strings.Contains(r, placeholder) {
				t.Errorf("%s: holds %q", r, placeholder)
			}
		}
		if source, ok := strings.CutPrefix(r, "python -c '"); ok {
			source, _, ok = strings.Cut(source, "'")
			if !ok {
				t.Errorf("%s: a quote is open", r)
			}
			sources = append(sources, source)
		}
	}
	if python == "" {
		t.Log("no python3: the syntax was not checked")
		return
	}
	out, err := exec.Command(python, append([]string{"-c", "import ast, sys\nfor s in sys.argv[1:]: ast.parse(s)"}, sources...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func FuzzForeign(f *testing.F) {
	f.Add("x.csv", []byte("a,b\n"))
	f.Add("x.lmdb", []byte(strings.Repeat("\x00", 16)+"\xde\xc0\xef\xbe"))
	f.Fuzz(func(t *testing.T, path string, head []byte) {
		what, recipe := Foreign(path, head)
		if what == "" && recipe != "" || strings.ContainsAny(recipe, "\n\r") {
			t.Errorf("%q %q: %q, %q", path, head, what, recipe)
		}
	})
}
