// Formats that are not read: their names, and how to convert them in one line.

package format

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// foreign is an unsupported format of arrays or images. In a recipe FILE stands for the path and STEM for the path
// without its ending.
type foreign struct {
	what    string
	endings []string
	// magic are first bytes, at an offset.
	magic  string
	offset int
	recipe string
}

const (
	// netCDFRecipe decodes packed values, missing ones and times.
	netCDFRecipe = `python -c 'import numpy as np, xarray as xr; d = xr.open_dataset("FILE"); ` +
		`np.savez("STEM.npz", **{k: v.values for k, v in d.variables.items() if v.dtype.kind in "biufMm"})'`
	matRecipe = `python -c 'import numpy as np, scipy.io; ` +
		`np.savez("STEM.npz", **{k: v for k, v in scipy.io.loadmat("FILE").items() if k[0] != "_"})'`
	textRecipe  = `python -c 'import numpy as np; np.save("STEM.npy", np.loadtxt("FILE", delimiter="DELIMITER"SKIP))'`
	videoRecipe = `mkdir STEM_frames; ffmpeg -i FILE STEM_frames/%06d.png`
	imageRecipe = `python -c 'import glob; from PIL import Image; [Image.open(f).convert("RGB").save(f + ".png") for f in glob.glob("FILE/*ENDING")]'`
)

// foreigners are looked through in order: by first bytes, then by endings.
var foreigners = []foreign{
	{what: "a MATLAB file", magic: "MATLAB 5.0 MAT-file", recipe: matRecipe},
	{what: "a GRIB file", magic: "GRIB", endings: []string{".grib", ".grib2", ".grb", ".grb2"},
		recipe: strings.Replace(netCDFRecipe, `"FILE"`, `"FILE", engine="cfgrib"`, 1) + " (with cfgrib)"},
	{what: "an Arrow file", magic: "ARROW1", endings: []string{".arrow", ".feather"},
		recipe: `python -c 'import numpy as np, pandas as pd; np.save("STEM.npy", pd.read_feather("FILE").to_numpy())'`},
	{what: "an LMDB database", magic: "\xde\xc0\xef\xbe", offset: 16, endings: []string{".lmdb", ".mdb"},
		recipe: `python -c 'import io, lmdb, numpy as np; from PIL import Image; t = lmdb.open("FILE", readonly=True, SUBDIR).begin(); ` +
			`np.save("STEM.npy", np.stack([np.asarray(Image.open(io.BytesIO(v))) for _, v in t.cursor()]))' (values that are encoded images)`},
	{what: "a video", magic: "ftyp", offset: 4, endings: []string{".mp4", ".mov", ".m4v"}, recipe: videoRecipe},
	{what: "a video", magic: "\x1aE\xdf\xa3", endings: []string{".mkv", ".webm"}, recipe: videoRecipe},
	{what: "a video", magic: "AVI ", offset: 8, endings: []string{".avi", ".mpg", ".mpeg"}, recipe: videoRecipe},
	{what: "a GIF image", magic: "GIF8", endings: []string{".gif"}, recipe: videoRecipe},
	{what: "a gzip file", magic: "\x1f\x8b", endings: []string{".gz"}, recipe: `gunzip FILE`},
	{what: "a zstd file", magic: "\x28\xb5\x2f\xfd", endings: []string{".zst"}, recipe: `zstd -d FILE`},
	{what: "a program of torch.export", endings: []string{".pt2"},
		recipe: `python -c 'import torch; torch.onnx.export(torch.export.load("FILE"), dynamo=True).save("STEM.onnx")'`},
	{what: "a file of TFRecords", endings: []string{".tfrecord", ".tfrecords"},
		recipe: `python -c 'import numpy as np, tensorflow as tf; np.save("STEM.npy", ` +
			`np.array([tf.train.Example.FromString(r.numpy()).features.feature["KEY"].float_list.value for r in tf.data.TFRecordDataset("FILE")]))' (KEY: the feature; int64_list for whole numbers)`},
	{what: "a MATLAB file", endings: []string{".mat"}, recipe: matRecipe},
	{what: "a table of text", endings: []string{".tsv", ".tab"}, recipe: textRecipe},
	{what: "a CSV file", endings: []string{".csv"}, recipe: textRecipe},
	{what: "a text file", endings: []string{".txt", ".dat"}, recipe: textRecipe},
	{what: "a spreadsheet", endings: []string{".xlsx", ".xls"},
		recipe: `python -c 'import numpy as np, pandas as pd; np.save("STEM.npy", pd.read_excel("FILE").to_numpy())'`},
	{what: "an OpenEXR image", magic: "\x76\x2f\x31\x01", endings: []string{".exr"}},
	{what: "a JSON file", endings: []string{".json"},
		recipe: `python -c 'import json, numpy as np; np.save("STEM.npy", np.array(json.load(open("FILE"))))'`},
	{what: "a JSON Lines file", endings: []string{".jsonl"},
		recipe: `python -c 'import numpy as np, pandas as pd; ` +
			`np.save("STEM.npy", pd.read_json("FILE", lines=True).to_numpy())'`},
}

// Recipes for pickles that hold more than arrays, numbers and texts.
const (
	torchRecipe = `python -c 'import torch; d = torch.load("FILE", map_location="cpu", weights_only=False); d = d if isinstance(d, dict) else vars(d); ` +
		`torch.save({k: v.detach() for k, v in d.items() if torch.is_tensor(v)}, "STEM_tensors.pt")'`
	pickleRecipe = `python -c 'import pickle, numpy as np; d = pickle.load(open("FILE", "rb")); ` +
		`np.savez("STEM.npz", **d) if isinstance(d, dict) else np.save("STEM.npy", np.asarray(d))'`
)

// npyRecipes convert arrays of unsupported types, by the first letter of NumPy's code; V stands for records. ARRAY is
// the expression that loads the array.
var npyRecipes = map[byte]string{
	'O': `python -c 'import numpy as np; np.save("STEM_plain.npy", np.array(ARRAY.tolist(), float))'`,
	'c': `python -c 'import numpy as np; z = ARRAY; np.save("STEM_parts.npy", np.stack([z.real, z.imag], -1))' (real and imaginary parts)`,
	'U': `python -c 'import numpy as np; np.save("STEM_codes.npy", np.unique(ARRAY, return_inverse=True)[1])' (a number for each text)`,
	'M': `python -c 'import numpy as np; ` +
		`np.save("STEM_seconds.npy", ARRAY.astype("datetime64[s]").astype("int64"))' (since 1970)`,
	'm': `python -c 'import numpy as np; np.save("STEM_hours.npy", ARRAY / np.timedelta64(1, "h"))'`,
	'f': `python -c 'import numpy as np; np.save("STEM_float64.npy", ARRAY.astype("float64"))'`,
	'V': `python -c 'import numpy as np; a = ARRAY; np.savez("STEM_fields.npz", **{k: a[k] for k in a.dtype.names})'`,
}

// NPYRecipe is a command that converts an array in a .npy file, or in another file under a key, with an unsupported
// NumPy code (without byte order; V: records); empty if none is known. trusted says that it executes code from the
// file.
func NPYRecipe(path, key, code string) (recipe string, trusted bool) {
	if code == "" {
		return "", false
	}
	kind := code[0]
	switch kind {
	case 'S', 'a':
		kind = 'U'
	}
	array := `np.load("FILE")`
	if kind == 'O' {
		array = `np.load("FILE", allow_pickle=True)`
	}
	if strings.ContainsAny(key, "\"'\\`$\n\r") {
		key = "KEY"
	}
	recipe = npyRecipes[kind]
	if load, ok := loaders[strings.ToLower(filepath.Ext(path))]; ok && key != "" {
		array = strings.ReplaceAll(load.array, "KEY", key)
		recipe = strings.Replace(recipe, "import numpy as np", "import numpy as np, "+load.module, 1)
	} else if key != "" {
		array += `["` + key + `"]`
	}
	return fill(strings.ReplaceAll(recipe, "ARRAY", array), path, nil), kind == 'O'
}

// loaders read an array by its name from files that NumPy does not read, by the ending of the name.
var loaders = map[string]struct{ module, array string }{
	".parquet": {"pandas as pd", `pd.read_parquet("FILE")["KEY"].to_numpy()`},
	".nc":      {"xarray as xr", `xr.open_dataset("FILE")["KEY"].to_numpy()`},
	".zarr":    {"xarray as xr", `xr.open_zarr("FILE")["KEY"].to_numpy()`},
	".h5":      {"h5py", `h5py.File("FILE")["KEY"][()]`},
	".hdf5":    {"h5py", `h5py.File("FILE")["KEY"][()]`},
}

// Foreign names the format of an unsupported file, by its first bytes or by the ending of its name, and a command that
// converts it, which may be empty; "" if it is not known.
func Foreign(path string, head []byte) (what, recipe string) {
	ending := strings.ToLower(filepath.Ext(path))
	kind := Of(head)
	for _, byName := range []bool{false, true} {
		for _, f := range foreigners {
			fits := f.magic != "" && len(head) >= f.offset && bytes.HasPrefix(head[f.offset:], []byte(f.magic))
			if byName {
				fits = has(f.endings, ending) &&
					(kind == Unknown || kind == Zip && (ending == ".pt2" || ending == ".xlsx"))
			}
			if fits {
				return f.what, fill(f.recipe, path, head)
			}
		}
	}
	return "", ""
}

// PickleRecipe is a command that converts a pickle of more than arrays; empty for a file of another name. class says
// that it was opened as a file of PyTorch, and holds instances of other classes.
func PickleRecipe(path string, class bool) string {
	switch ending := strings.ToLower(filepath.Ext(path)); {
	case has([]string{".pkl", ".pickle", ".p"}, ending):
		return fill(pickleRecipe, path, nil)
	case class && has([]string{".pt", ".pth", ".ckpt", ".bin"}, ending):
		return fill(torchRecipe, path, nil)
	}
	return ""
}

// Folder names the format of a folder that is not one of images, and a command that converts
// it; "" if it is not known.
func Folder(path string) (what, recipe string) {
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(path, name))
		return err == nil
	}
	if exists("data.mdb") {
		for _, f := range foreigners {
			if has(f.endings, ".mdb") {
				return f.what, fill(f.recipe, path, nil)
			}
		}
	}
	return "", ""
}

// FolderRecipe is a command that converts the images of a folder with this ending; empty if none is known.
func FolderRecipe(path, ending string) string {
	switch ending {
	case ".bmp", ".gif", ".ppm", ".pgm", ".tga":
		return strings.ReplaceAll(fill(imageRecipe, path, nil), "ENDING", ending)
	case ".npy":
		return fill(`python -c 'import glob, numpy as np; np.save("STEM.npy", np.stack([np.load(f) for f in sorted(glob.glob("FILE/*.npy"))]))'`, path, nil)
	case ".csv":
		return fill(`python -c 'import glob, pandas as pd; pd.concat(map(pd.read_csv, sorted(glob.glob("FILE/*.csv")))).`+
			`to_csv("STEM.csv", index=False)'`, path, nil)
	case ".tar":
		return fill(`mkdir STEM_all && for f in FILE/*.tar; do tar -xf "$f" -C STEM_all; done && `+
			`tar --sort=name -cf STEM.tar -C STEM_all .`, path, nil)
	}
	return ""
}

func has(endings []string, ending string) bool {
	for _, e := range endings {
		if e == ending {
			return true
		}
	}
	return false
}

// unsafe are letters of a path that a shell or Python would read in another way.
const unsafe = "\"'\\`$\n\r"

// fill puts the names into a recipe. A path that a shell or Python would read in another way
// becomes the name FILE.
func fill(recipe, path string, head []byte) string {
	path = filepath.Clean(path)
	if strings.ContainsAny(path, unsafe) {
		path = "FILE" + filepath.Ext(path)
	}
	delimiter, skip := ",", ""
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.ContainsRune(line, '\t'):
		delimiter = `\t`
	case bytes.ContainsRune(line, ';'):
		delimiter = ";"
	case len(head) > 0 && !bytes.ContainsRune(line, ','):
		delimiter = ""
	}
	if len(line) > 0 && strings.ContainsAny(string(line), "abcdfghijklmopqrstuvwxyzABCDFGHIJKLMOPQRSTUVWXYZ_") {
		skip = ", skiprows=1" // names of columns; e and n are in numbers
	}
	if delimiter == "" {
		recipe = strings.Replace(recipe, `, delimiter="DELIMITER"`, "", 1)
	}
	subdir := "subdir=False"
	if !strings.HasSuffix(path, ".mdb") && !strings.HasSuffix(path, ".lmdb") || head == nil {
		subdir = "subdir=True"
	}
	return strings.NewReplacer("FILE", path, "STEM", strings.TrimSuffix(path, filepath.Ext(path)), "DELIMITER", delimiter, "SKIP", skip, "SUBDIR", subdir).Replace(recipe)
}
