// The runs of a trial: files of every format that some binary reads, and a command line that reads them.

//go:build unix

package suite

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"repscope/dataset"
	"repscope/internal/torchfile/torchtest"
)

// trialCase is a folder of small files and a command line that reads them; {} is the folder.
type trialCase struct {
	name   string
	line   string // what is added to every one: see args
	before string // a command line that makes some of the files; {} is the folder
	files  map[string]func() ([]byte, error)
	keep   string // files that are not damaged
	// sealed are files of this name whose payload has a checksum: a run that reads a damaged one has the numbers of
	// the whole one, or none.
	sealed string
}

// args are the words of a command line in a folder.
func (c trialCase) args(line, dir string) []string {
	args := strings.Fields(line)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "{}", dir)
	}
	return args
}

// bytesFrom is a file whose content encode writes.
func bytesFrom(encode func(w io.Writer) error) func() ([]byte, error) {
	return func() ([]byte, error) {
		var b bytes.Buffer
		err := encode(&b)
		return b.Bytes(), err
	}
}

// textFile is a file of a text.
func textFile(text string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(text), nil }
}

// treeFile is a file of the tree of sources.
func treeFile(path string) func() ([]byte, error) {
	return func() ([]byte, error) { return os.ReadFile(filepath.Join("..", filepath.FromSlash(path))) }
}

// folderFiles are the files of a folder of the tree, below another name.
func folderFiles(name, path string) map[string]func() ([]byte, error) {
	all := map[string]func() ([]byte, error){}
	root := filepath.Join("..", filepath.FromSlash(path))
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[name+filepath.ToSlash(strings.TrimPrefix(file, root))] = treeFile(strings.TrimPrefix(file, ".."))
		}
		return err
	})
	if err != nil {
		panic(err) // a folder of this tree
	}
	return all
}

// numbers are reproducible ones in [0, 1).
func numbers(seed uint64, n int) []float32 {
	random := rand.New(rand.NewPCG(seed, 5))
	values := make([]float32, n)
	for i := range values {
		values[i] = random.Float32()
	}
	return values
}

// arrayFile is a .npy file of random numbers.
func arrayFile(seed uint64, shape ...int) func() ([]byte, error) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return bytesFrom(func(w io.Writer) error { return dataset.EncodeNPY(w, shape, numbers(seed, n)) })
}

// wholeFile is a .npy file of the integers i mod m.
func wholeFile(n, m int) func() ([]byte, error) {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i*i%m) + 0
	}
	return bytesFrom(func(w io.Writer) error { return dataset.EncodeNPY(w, []int{n}, values) })
}

// packed is a file that gzip has packed.
func packed(file func() ([]byte, error)) func() ([]byte, error) {
	return bytesFrom(func(w io.Writer) error {
		data, err := file()
		z := gzip.NewWriter(w)
		_, writing := z.Write(data)
		return errors.Join(err, writing, z.Close())
	})
}

// zipped is a zip file of members, stored or deflated.
func zipped(method uint16, members map[string]func() ([]byte, error)) func() ([]byte, error) {
	return bytesFrom(func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, name := range sortedKeys(members) {
			data, err := members[name]()
			if err != nil {
				return err
			}
			member, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
			if err != nil {
				return err
			}
			if _, err := member.Write(data); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// picture is a small image.
func picture(seed uint64, encode func(w io.Writer, m image.Image) error) func() ([]byte, error) {
	m := image.NewGray(image.Rect(0, 0, 24, 16))
	for i, v := range numbers(seed, 24*16) {
		m.Set(i%24, i/24, color.Gray{uint8(255 * v)})
	}
	return bytesFrom(func(w io.Writer) error { return encode(w, m) })
}

func asJPEG(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }
func asTIFF(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) }
func asDeflatedTIFF(w io.Writer, m image.Image) error {
	return tiff.Encode(w, m, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
}

// pages is a TIFF file of several gray pages.
func pages(n, height, width int) func() ([]byte, error) {
	return bytesFrom(func(w io.Writer) error {
		size := height * width
		const entries = 8
		page := 2 + 12*entries + 4
		out := []byte("II*\x00\x08\x00\x00\x00")
		for i := range n {
			begin := 8 + i*(page+size)
			out = binary.LittleEndian.AppendUint16(out, entries)
			for _, e := range [][3]int{{256, 4, width}, {257, 4, height}, {258, 3, 8}, {259, 3, 1}, {262, 3, 1}, {273, 4, begin + page}, {278, 4, height}, {279, 4, size}} {
				out = binary.LittleEndian.AppendUint16(out, uint16(e[0]))
				out = binary.LittleEndian.AppendUint16(out, uint16(e[1]))
				out = binary.LittleEndian.AppendUint32(out, 1)
				out = binary.LittleEndian.AppendUint32(out, uint32(e[2]))
			}
			next := begin + page + size
			if i == n-1 {
				next = 0
			}
			out = binary.LittleEndian.AppendUint32(out, uint32(next))
			for _, v := range numbers(uint64(i), size) {
				out = append(out, uint8(255*v))
			}
		}
		_, err := w.Write(out)
		return err
	})
}

// many are the files of several pictures.
func many(ending string, encode func(w io.Writer, m image.Image) error) map[string]func() ([]byte, error) {
	files := map[string]func() ([]byte, error){}
	for i := range 12 {
		files["i/"+string(rune('a'+i))+ending] = picture(uint64(i), encode)
	}
	return files
}

// encoderCase reads a file of an encoder.
func encoderCase(name, file string, shape ...int) trialCase {
	base := "m" + filepath.Ext(file)
	return trialCase{name: name, line: "manifold --frames {}/f.npy --model m={}/" + base + " --cache off --bootstrap 0", keep: "f.npy",
		files: map[string]func() ([]byte, error){"f.npy": arrayFile(1, append([]int{12}, shape...)...), base: treeFile(file)}}
}

// trialDesign has what designs have.
const trialDesign = `{"document": {"id": "0:1", "name": "a", "type": "FRAME", "clipsContent": true, "absoluteBoundingBox": {"x": 0, "y": 0, "width": 24, "height": 16}, "children": [
 {"id": "0:2", "type": "RECTANGLE", "name": "b", "absoluteBoundingBox": {"x": 1, "y": 1, "width": 10, "height": 4}, "fills": [{"type": "SOLID", "color": {"r": 1, "g": 0.5, "b": 0, "a": 1}}]},
 {"id": "0:3", "type": "TEXT", "name": "c", "characters": "Buy now", "style": {"textCase": "UPPER", "fontSize": 8}, "absoluteBoundingBox": {"x": 1, "y": 6, "width": 10, "height": 3}},
 {"id": "0:4", "type": "GROUP", "name": "d", "children": [{"id": "0:5", "type": "ELLIPSE", "name": "e", "absoluteBoundingBox": {"x": 12, "y": 6, "width": 5, "height": 5}}]}]}}`

const trialTrace = `{"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "create", "arguments": "{\"x\": 1}"}}]}, {"role": "tool", "name": "create", "content": "ok"},
 {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "tool_use", "name": "move", "input": {"x": 2}}]}]}`

const trialSequences = "sequence_id,heavy_chain,light_chain,heavy_cdr_mask,light_cdr_mask\ns1,EVQLVESGGGLVQ,DIQMTQSPSS,0001110000000,0011100000\ns2,QVQLQQSGAELAR,DIVMTQSPDS,0001110000000,0011100000\ns3,EVQLLESGGGLVQ,EIVMTQSPAT,0001110000000,0011100000\n"

const trialStudy = `
defaults: {bootstrap: 0, format: none, cache: "off", k: 3}
datasets:
  a: {frames: {}/f.npy, latents: {z: "{}/z.npy", y: '{}/z.npy'}, only: [manifold, neighborhood]}
  b: &b
    frames: {}/f.npy
    "baseline": random:4
    only: manifold
  c: {<<: *b, samples: 20, seed: 1}
`

const trialMetrics = `{"metrics": {"mae": 1.5, "mae_std": 0.25, "rmse": [1, 2], "by_level": {"500": {"rmse": 2.5}}}, "evaluation_config": {"model_dir": "a/b", "n_samples": 10, "checkpoint": "x.pt"}}`

// trialProblems are problems of a board.
func trialProblems() string {
	var problems []string
	for i := range 12 {
		problems = append(problems, fmt.Sprintf(`{"grade": "6%c", "moves": [{"description": "A%d", "isStart": true}, {"description": "B%d"}, `+
			`{"description": "C9"}, {"description": "D%d"}, {"description": "%c18", "isEnd": true}]}`, "AB"[i%2], 1+i%6, 4+i%6, 12+i%5, 'E'+i%4))
	}
	return `{"data": [` + strings.Join(problems, ", ") + `]}`
}

// trialTable is a table of numbers, classes and texts.
func trialTable(rows int) string {
	var b strings.Builder
	b.WriteString("a,b,label,group\n")
	for i, v := range numbers(9, 2*rows) {
		if i%2 == 0 {
			b.WriteString(strings.Join([]string{number(v), number(v * v), string(rune('u' + i/2%2)), string(rune('0' + i/2%5))}, ",") + "\n")
		}
	}
	return b.String()
}

// trialCases are all of them.
func trialCases() []trialCase {
	type files = map[string]func() ([]byte, error)
	deflated := zipped(zip.Deflate, files{"z.npy": arrayFile(2, 40, 5), "y.npy": arrayFile(3, 40, 4)})
	stored := zipped(zip.Store, files{"z.npy": arrayFile(2, 40, 5), "y.npy": arrayFile(3, 40, 4)})
	tensors := bytesFrom(func(w io.Writer) error {
		return torchtest.Encode(w, torchtest.Dict{{Key: "z", Value: torchtest.Floats([]int{40, 5}, numbers(2, 200))}, {Key: "n", Value: 3},
			{Key: "y", Value: torchtest.Floats([]int{40, 4}, numbers(3, 160))}})
	})
	frames, latents := arrayFile(1, 40, 8, 8), arrayFile(2, 40, 5)
	language := func(file string) string {
		return "sequence --model m={}/m.onnx --sequences {}/s.csv --bootstrap 0 --metrics " + file
	}
	canvas := "canvas --reference-json {}/r.json --generated-json {}/g.json --bootstrap 0 "
	screens := func(ending string, encode func(w io.Writer, m image.Image) error) trialCase {
		return trialCase{name: "screens " + ending, line: canvas + "--reference-image {}/r" + ending + " --generated-image {}/g" + ending + " --metrics ssim,layout,fill,gmsd",
			files: files{"r.json": textFile(trialDesign), "g.json": textFile(strings.Replace(trialDesign, `"x": 1,`, `"x": 3,`, 1)), "r" + ending: picture(1, encode), "g" + ending: picture(2, encode)}}
	}
	folder := func(ending string, encode func(w io.Writer, m image.Image) error) trialCase {
		return trialCase{name: "images " + ending, line: "manifold --frames {}/i --baseline random:4 --cache off --bootstrap 0", files: many(ending, encode), sealed: "*.png"}
	}
	tree := func(ending, content string) string {
		return "d/results/t_gen/v/gid1-1-m-v/gid1-1-m-v-" + ending + content
	}
	forecasts := files{"t.npy": arrayFile(1, 12, 1, 2, 3), "m.npy": arrayFile(2, 12, 3, 1, 2, 3), "i.npy": arrayFile(3, 12, 1, 2, 3), "c.npy": arrayFile(4, 1, 2, 3),
		"lat.npy": bytesFrom(func(w io.Writer) error { return dataset.EncodeNPY(w, []int{2}, []float64{10, 20}) }), "w.npy": arrayFile(5, 2, 3),
		"times.csv": textFile("init,lead\n2020-01-01,6\n2020-01-01,12\n2020-01-02,6\n2020-01-02,12\n2020-01-03,6\n2020-01-03,12\n2020-01-04,6\n2020-01-04,12\n2020-01-05,6\n2020-01-05,12\n2020-01-06,6\n2020-01-06,12\n")}
	robust := "robustness --frames {}/f.npy --baseline random:4 --cache off --bootstrap 0 --per-sample --draws 1 --format none --quiet --out {}/r"
	cases := []trialCase{
		{name: "npy", line: "manifold --latents z={}/z.npy --bootstrap 0", files: files{"z.npy": latents}},
		{name: "npy frames", line: "smoothness --frames {}/f.npy --episodes {}/e.npy --latents z={}/z.npy --bootstrap 0", files: files{"f.npy": frames, "z.npy": latents, "e.npy": wholeFile(40, 1)}},
		{name: "npz deflated", line: "geometry --latents z={}/z.npz:z --latents y={}/z.npz:y --bootstrap 0 --rsa-pairs 50", files: files{"z.npz": deflated}, sealed: "z.npz"},
		{name: "npz stored", line: "manifold --latents z={}/z.npz:z --latents y={}/z.npz:y --bootstrap 0", files: files{"z.npz": stored}, sealed: "z.npz"},
		{name: "pt", line: "manifold --latents z={}/z.pt:z --latents y={}/z.pt:y --bootstrap 0", files: files{"z.pt": tensors}, sealed: "z.pt"},
		{name: "pt of torch", line: "encode --frames {}/z.pt:float32 --baseline pca:1 --restart", files: files{"z.pt": treeFile("internal/torchfile/testdata/tensors.pt")}, sealed: "z.pt"},
		{name: "pt legacy", line: "encode --frames {}/z.pt:float32 --baseline pca:1 --restart", files: files{"z.pt": treeFile("internal/torchfile/testdata/tensors_legacy.pt")}},
		{name: "experience", line: "smoothness --frames {}/x.pth --baseline random:4 --cache off --bootstrap 0", files: files{"x.pth": treeFile("internal/torchfile/testdata/experience.pth")}, sealed: "x.pth"},
		{name: "safetensors", line: "manifold --latents w={}/z.safetensors:WEIGHTS --bootstrap 0", files: files{"z.safetensors": safetensorsFile()}},
		{name: "tiff pages", line: "manifold --frames {}/p.tif --baseline random:4 --cache off --bootstrap 0", files: files{"p.tif": pages(12, 8, 8)}},
		folder(".png", png.Encode), folder(".jpg", asJPEG), folder(".tif", asDeflatedTIFF),
		screens(".png", png.Encode), screens(".jpg", asJPEG), screens(".bmp", bmp.Encode), screens(".tiff", asTIFF),
		{name: "targets", line: "reward --frames {}/f.npy --latents z={}/z.npy --targets x={}/t.csv:a --targets c={}/t.csv:label --rewards {}/b.npy --bootstrap 0 --probes ridge --folds 2", keep: "*.npy",
			files: files{"f.npy": frames, "z.npy": latents, "t.csv": textFile(trialTable(40)), "b.npy": arrayFile(7, 40)}},
		{name: "targets gz", line: "reward --latents z={}/z.npy --targets x={}/t.csv.gz:a --bootstrap 0 --probes ridge --folds 2", keep: "z.npy", files: files{"z.npy": latents, "t.csv.gz": packed(textFile(trialTable(40)))}, sealed: "t.csv.gz"},
		{name: "rollouts", line: "reward --frames {}/f.npy --latents z={}/z.npy --rewards {}/b.npy --predicted z={}/p.npy --actions {}/e.npy --bootstrap 0 --probes ridge --folds 2",
			files: files{"f.npy": frames, "z.npy": latents, "p.npy": arrayFile(8, 40, 5), "b.npy": arrayFile(7, 40), "e.npy": wholeFile(40, 3)}},
		{name: "labels", line: "geometry --latents z={}/z.npy --labels {}/e.npy --bootstrap 0 --rsa-pairs 50 --clusters 2", files: files{"z.npy": latents, "e.npy": wholeFile(40, 3)}},
		{name: "reconstruction", line: "reconstruction --frames {}/f.npy --predictions a={}/p.npy --bootstrap 0 --samples-shown 0", files: files{"f.npy": frames, "p.npy": arrayFile(6, 40, 8, 8)}},
		{name: "problems", line: "generation --generated a={}/g.json --real {}/r.json --bootstrap 0 --metrics diversity,similarity", files: files{"g.json": textFile(trialProblems()), "r.json": textFile(trialProblems())}},
		{name: "rows", line: "generation --generated a={}/g.csv --real {}/r.csv.gz --bootstrap 0 --metrics fidelity", files: files{"g.csv": textFile(trialTable(40)), "r.csv.gz": packed(textFile(trialTable(30)))}, sealed: "r.csv.gz"},
		{name: "generator", line: "generation --reconstruction a={}/recon.npz --latents a={}/latents.npz --predictions a={}/predictions.csv --bootstrap 0 --metrics reconstruction,clusters,conditioning",
			files: files{"recon.npz": treeFile("analysis/generation/command/testdata/published/recon.npz"), "latents.npz": treeFile("analysis/generation/command/testdata/published/latents.npz"), "predictions.csv": treeFile("analysis/generation/command/testdata/published/predictions.csv")}, sealed: "*.npz"},
		{name: "generator models", line: "generation --encoder a={}/e.onnx --decoder a={}/d.onnx --classifier {}/c.onnx --grids {}/p.json --num-samples 8 --bootstrap 0", keep: "p.json",
			files: files{"e.onnx": treeFile("analysis/generation/command/testdata/generator/board_encoder.onnx"), "d.onnx": treeFile("analysis/generation/command/testdata/generator/board_decoder.onnx"), "c.onnx": treeFile("analysis/generation/command/testdata/generator/board_classifier.onnx"), "p.json": textFile(trialProblems())}},
		encoderCase("onnx mlp", "latent/testdata/mlp_opset17.onnx", 24), encoderCase("onnx recurrent", "latent/testdata/dreamer_gru_opset17.onnx", 16, 16), encoderCase("onnx conv", "latent/testdata/small.onnx", 16, 16),
		encoderCase("onnx lstm", "latent/testdata/small_dynamic_lstm.onnx", 16, 16), encoderCase("onnx qdq", "latent/testdata/small_qdq_channels.onnx", 16, 16), encoderCase("onnx qoperator", "latent/testdata/small_qoperator_channels.onnx", 16, 16),
		encoderCase("onnx video", "latent/testdata/video_opset17.onnx", 8, 8), encoderCase("checkpoint", "latent/testdata/conv.pth", 3, 32, 32), encoderCase("checkpoint legacy", "latent/testdata/conv_legacy.pt", 3, 32, 32),
		encoderCase("checkpoint safetensors", "latent/testdata/conv.safetensors", 3, 32, 32), encoderCase("checkpoint video", "latent/testdata/video.pth", 8, 8),
		{name: "onnx external", line: "manifold --frames {}/f.npy --model m={}/mlp_external.onnx --cache off --bootstrap 0", keep: "f.npy",
			files: files{"f.npy": arrayFile(1, 12, 24), "mlp_external.onnx": treeFile("latent/testdata/mlp_external.onnx"), "mlp_external.bin": treeFile("latent/testdata/mlp_external.bin")}},
		{name: "dump", line: "sequence --dump m={}/d.npz --bootstrap 0 --metrics masked_accuracy,loss", files: files{"d.npz": dumpFile()}, sealed: "d.npz"},
		{name: "sequences", line: "sequence --sequences {}/s.csv.gz --mask-plan {}/out-plan.npz", files: files{"s.csv.gz": packed(textFile(trialSequences))}},
		{name: "fasta", line: "sequence --sequences {}/s.fasta --vocabulary {}/v.json --mask-plan {}/out-plan.npz", files: files{"s.fasta": textFile(">a first\nACGTAC\nGTAC\n>b\nTTACGACG\n>c\nACACACGT\n"),
			"v.json": textFile(`{"tokens": ["<pad>", "<unk>", "<cls>", "<eos>", "<mask>", "A", "C", "G", "T"], "pad": "<pad>", "mask": "<mask>", "begin": "<cls>", "end": "<eos>", "unknown": "<unk>"}`)}},
		{name: "language", line: language("masked_accuracy,ppl"), files: files{"m.onnx": treeFile("internal/example/sequences/weights/trained.onnx"), "s.csv": textFile(trialSequences)}},
		{name: "substitutions", line: language("zero_shot") + " --substitutions a={}/assay.csv", keep: "m.onnx", files: files{"m.onnx": treeFile("internal/example/sequences/weights/trained.onnx"), "s.csv": textFile(trialSequences),
			"assay.csv": textFile("sequence_id,mutant,DMS_score,DMS_score_bin\ns1,E1A,-0.5,0\ns1,V2A,-1.5,0\ns1,Q3K,0.5,1\ns1,L4V,1.5,1\ns1,V5I,1.25,1\ns1,E6D,0.75,1\n")}},
		{name: "designs", line: canvas + "--metrics layout,fill,element_count,alignment,tree,blocks", files: files{"r.json": textFile(trialDesign), "g.json": textFile(strings.Replace(trialDesign, `"x": 1,`, `"x": 3,`, 1))}},
		{name: "traces", line: canvas + "--trace {}/t.json --expected-trace {}/x.json --metrics tool_calls", keep: "[rg].json", files: files{"r.json": textFile(trialDesign), "g.json": textFile(trialDesign), "t.json": textFile(trialTrace), "x.json": textFile(trialTrace)}},
		{name: "fixations", line: canvas + "--reference-image {}/r.png --generated-image {}/r.png --saliency-reference {}/s.png --saliency-generated {}/s.npy --fixations {}/f.csv --metrics saliency", keep: "r.*",
			files: files{"r.json": textFile(trialDesign), "g.json": textFile(trialDesign), "r.png": picture(1, png.Encode), "s.png": picture(2, png.Encode), "s.npy": arrayFile(3, 16, 24), "f.csv": textFile("x,y\n3,4\n10,12\n20,3\n")}},
		{name: "tree", line: "canvas --base-dir {}/d --task t_gen --variant v --metrics layout,tool_calls,ssim --bootstrap 0 --ratings {}/ratings.csv", files: files{"d/benchmarks/t_gt/gid1-1.json": textFile(trialDesign), "d/benchmarks/t_gt/gid1-1.png": picture(1, png.Encode),
			tree("json-structure", ".json"): textFile(trialDesign), tree("json-response", ".json"): textFile(trialTrace), tree("canvas", ".png"): picture(2, png.Encode), "ratings.csv": textFile("case_id,rating,rater\ngid1-1-m-v,4,a\ngid1-1-m-v,5,b\n")}},
		{name: "forecast", line: "forecast --target {}/t.npy --forecast a={}/m.npy --input {}/i.npy --climatology {}/c.npy --lat {}/lat.npy --weights {}/w.npy --leads {}/times.csv:lead --groups {}/times.csv:init --bootstrap 0", files: forecasts},
		{name: "forecast model", line: "forecast --target {}/t.npy --input {}/i.npy --model a={}/m.onnx --n-samples 3 --bootstrap 0 --metrics mse,crps", keep: "?.npy", files: files{"t.npy": arrayFile(1, 12, 2, 3, 4), "i.npy": arrayFile(2, 12, 2, 3, 4), "m.onnx": treeFile("analysis/forecast/command/testdata/noise.onnx")}},
		{name: "result", before: robust, line: "compare {}/r/robustness.json --bootstrap 0", keep: "f.npy", files: files{"f.npy": frames}},
		{name: "samples", before: robust, line: "compare {}/r/robustness_samples.csv --metrics levels*", keep: "[^r]*", files: files{"f.npy": frames}},
		{name: "foreign results", line: "compare {}/a.json {}/b.json --baseline a", files: files{"a.json": textFile(trialMetrics), "b.json": textFile(strings.Replace(trialMetrics, "1.5", "2.5", 1))}},
		{name: "scores", line: "compare {}/t.csv --metrics mse", files: files{"t.csv": textFile("model,sample,group,mse\na,0,0,0.5\nb,0,0,0.7\na,1,0,0.4\nb,1,0,0.8\na,2,1,0.5\nb,2,1,0.7\n")}},
		{name: "losses", line: "compare --losses a={}/l.csv --losses b={}/l.jsonl", files: files{"l.csv": textFile("step,loss,val_loss\n1,2,3\n2,1,2.5\n3,0.5,2\n"), "l.jsonl": textFile("{\"step\": 1, \"loss\": 2, \"val_loss\": 3}\n{\"step\": 2, \"loss\": 1, \"val_loss\": 2}\n")}},
		{name: "suite", line: "evaluate {}/s.yaml", keep: "*.npy", files: files{"f.npy": frames, "z.npy": latents, "s.yaml": textFile(trialStudy)}},
		{name: "suite dry", line: "evaluate {}/s.yaml --dry-run", keep: "*.npy", files: files{"f.npy": frames, "z.npy": latents, "s.yaml": textFile(trialStudy)}},
		{name: "study", before: "evaluate {}/s.yaml --quiet --out {}/o", line: "evaluate {}/s.yaml --out {}/o", keep: "*.npy", files: files{"f.npy": frames, "z.npy": latents, "s.yaml": textFile(strings.Split(trialStudy, "  b: &b")[0])}},
		{name: "report", before: robust, line: "evaluate report {}/r", keep: "f.npy", files: files{"f.npy": frames}},
		{name: "config", line: "manifold --config {}/c.yaml", keep: "*.npy", files: files{"z.npy": latents, "c.yaml": textFile("# options\nlatents: {z: \"{}/z.npy\"}\nbootstrap: 0\ngride: [2, 4]\nmanifold:\n  estimator: mle\n")}},
		{name: "shards", before: "neighborhood --frames {}/f.npy --latents z={}/z.npy --k 3 --permutations 0 --bootstrap 0 --cache off --quiet --shard 0/1 --out {}/s", line: "scale merge {}/s", keep: "*.npy", files: files{"f.npy": frames, "z.npy": latents}, sealed: "*.shard"},
		{name: "cache", before: "manifold --frames {}/f.npy --model m={}/m.onnx --cache {}/cache --bootstrap 0 --format none --quiet --out {}/first", line: "manifold --frames {}/f.npy --model m={}/m.onnx --cache {}/cache --bootstrap 0", keep: "[^0-9]*.*",
			files: files{"f.npy": arrayFile(1, 12, 24), "m.onnx": treeFile("latent/testdata/mlp_opset17.onnx")}, sealed: "*"},
		{name: "verify", before: robust, line: "repscope verify {}/r", keep: "f.npy", files: files{"f.npy": frames}, sealed: "*.[cj]s*"},
		{name: "hdf5", line: "encode --frames {}/x.h5:tree/gzip --baseline pca:2 --restart", files: files{"x.h5": treeFile("dataset/hdf5/testdata/layouts_latest.h5")}},
		{name: "hdf5 old", line: "encode --frames {}/x.h5:fixed/gzip --baseline pca:2 --restart", files: files{"x.h5": treeFile("dataset/hdf5/testdata/layouts_earliest.h5")}},
		{name: "hdf5 filters", line: "encode --frames {}/x.h5:lzf_all --baseline pca:2 --restart", files: files{"x.h5": treeFile("dataset/hdf5/testdata/filters_latest.h5")}},
		{name: "hdf5 groups", line: "repscope show {}/x.h5", files: files{"x.h5": treeFile("dataset/hdf5/testdata/groups_latest.h5")}},
		{name: "netcdf", line: "encode --frames {}/x.nc:growing_i4 --baseline pca:1 --restart", files: files{"x.nc": treeFile("dataset/netcdf/testdata/cdf5.nc")}},
		{name: "netcdf 4", line: "encode --frames {}/x.nc:growing_f4 --baseline pca:1 --restart", files: files{"x.nc": treeFile("dataset/netcdf/testdata/nc4.nc")}},
		{name: "parquet", line: "manifold --latents z={}/x.parquet:e --bootstrap 0", files: files{"x.parquet": treeFile("dataset/parquet/testdata/lists_zstd_p2.parquet")}},
		{name: "parquet cubes", line: "encode --frames {}/x.parquet:cube --baseline pca:2 --restart", files: files{"x.parquet": treeFile("dataset/parquet/testdata/cubes.parquet")}},
		{name: "zarr", line: "encode --frames {}/x.zip:shards_blosc --baseline pca:2 --restart", files: files{"x.zip": treeFile("dataset/zarr/testdata/v3.zip")}},
		{name: "zarr folder", line: "encode --frames {}/x:packed --skip-nan --baseline pca:1 --restart", files: folderFiles("x", "dataset/zarr/testdata/xarray_v2.zarr")},
		{name: "shards of pictures", line: "encode --frames {}/x.tar --baseline pca:2 --restart", files: files{"x.tar": tarOf(12)}},
		{name: "folder of an encoder", line: "manifold --frames {}/f.npy --model m={}/m --pool cls --cache off --bootstrap 0", keep: "f.npy", files: files{"f.npy": arrayFile(1, 12, 3, 32, 32),
			"m/config.json": treeFile("model/checkpoint/testdata/families/vit/config.json"), "m/model.safetensors": treeFile("model/checkpoint/testdata/families/vit/model.safetensors")}},
		{name: "audit", line: "audit --train {}/f.npy --test {}/g.npy --targets a={}/t.csv:a --bootstrap 0", files: files{"f.npy": frames, "g.npy": arrayFile(9, 20, 8, 8), "t.csv": textFile(trialTable(60))}},
		{name: "audit of sequences", line: "audit --train {}/a.fasta --test {}/b.fasta --bootstrap 0", files: files{"a.fasta": textFile(">a\nACGTACGTAC\n>b\nTTACGACGAA\n>c\nACACACGTCC\n"), "b.fasta": textFile(">d\nACGTACGTAA\n>e\nGGACGACGAA\n")}},
		{name: "similarity", line: "similarity --latents a={}/a.npy --latents b={}/b.npz:z --k 2 --permutations 3 --bootstrap 0", files: files{"a.npy": latents, "b.npz": stored}, sealed: "b.npz"},
		{name: "errors", line: "surprise --errors a={}/a.npy --violations-of {}/v.csv --bootstrap 0", files: files{"a.npy": arrayFile(4, 2*6*5*2), "v.csv": textFile(trialViolations())}},
		{name: "checkpoints", line: "validate {}/t.csv --outcome y --bootstrap 0", files: files{"t.csv": textFile("run,step,x,z,y\na,1,1,4,2\na,2,2,3,3\na,3,3,3,5\nb,1,2,5,1\nb,2,1,4,3\nb,3,4,2,4\nc,1,1,4,1\nc,2,3,3,3\nc,3,3,1,6\n")}},
		{name: "chart", line: "compare {}/w.csv --metrics loss", files: files{"w.csv": textFile("\"Step\",\"a - loss\",\"a - loss__MIN\",\"a - loss__MAX\",\"b - loss\",\"b - loss__MIN\",\"b - loss__MAX\"\n1,0.5,0.5,0.5,0.7,0.7,0.7\n2,0.25,0.25,0.25,,,\n")}},
		{name: "history", line: "compare {}/h.jsonl --metrics loss", files: files{"h.jsonl": textFile("{\"_step\": 1, \"loss\": 0.5, \"acc\": NaN}\n{\"_step\": 2, \"loss\": 0.25, \"_runtime\": 3}\n")}},
		{name: "store of runs", line: "compare {}/mlruns --metrics loss", files: files{"mlruns/0/meta.yaml": textFile("experiment_id: '0'\n"), "mlruns/0/a/meta.yaml": textFile("lifecycle_stage: active\n"), "mlruns/0/a/metrics/loss": textFile("1 0.5 0\n2 0.25 1\n"),
			"mlruns/0/b/meta.yaml": textFile("lifecycle_stage: active\n"), "mlruns/0/b/metrics/loss": textFile("1 0.5 0\n"), "mlruns/0/b/tags/mlflow.runName": textFile("second")}},
		{name: "export", before: robust, line: "repscope export {}/r/robustness.json --to every_eval_ever --organization me --relationship other", keep: "f.npy", files: files{"f.npy": frames}},
		{name: "export of tables", before: robust, line: "repscope export {}/r/robustness.json --to parquet", keep: "f.npy", files: files{"f.npy": frames}},
		{name: "encode resumed", before: "encode --frames {}/f.npy --baseline random:4 --quiet --out {}/o", line: "encode --frames {}/f.npy --baseline random:4 --out {}/o", files: files{"f.npy": frames}},
	}
	return append(cases, readerCases()...)
}

// trialViolations are rows of untouched and violated episodes for 120 errors.
func trialViolations() string {
	var rows strings.Builder
	rows.WriteString("episode,pair,step,violation,size\n")
	for i := range 120 {
		kind := "" // first of the untouched ones
		if i >= 60 {
			kind = "jump,1"
		} else {
			kind = ","
		}
		fmt.Fprintf(&rows, "%d,%d,%d,%s\n", i/5, i/5%12, i%5-1, kind)
	}
	return rows.String()
}

// tarOf holds pictures as WebDataset does.
func tarOf(n int) func() ([]byte, error) {
	return bytesFrom(func(w io.Writer) error {
		out := tar.NewWriter(w)
		for i := range n {
			content, err := picture(uint64(i), png.Encode)()
			if err == nil {
				err = out.WriteHeader(&tar.Header{Name: fmt.Sprintf("%04d.png", i), Mode: 0o600, Size: int64(len(content))})
			}
			if err == nil {
				_, err = out.Write(content)
			}
			if err != nil {
				return err
			}
		}
		return out.Close()
	})
}

// dumpFile is what a model of sequences answered.
func dumpFile() func() ([]byte, error) {
	ids, labels := make([]int64, 12*9), make([]int64, 12*9)
	for i := range ids {
		ids[i], labels[i] = int64(4+i*i%20), int64(i%3/2)
	}
	return bytesFrom(func(w io.Writer) error {
		return dataset.EncodeNPZ(w, dataset.Field{Name: "token_ids", Shape: []int{12, 9}, Data: ids}, dataset.Field{Name: "mask_labels", Shape: []int{12, 9}, Data: labels},
			dataset.Field{Name: "logits", Shape: []int{12, 9, 32}, Data: numbers(4, 12*9*32)})
	})
}

// safetensorsFile holds two arrays.
func safetensorsFile() func() ([]byte, error) {
	return func() ([]byte, error) {
		header := `{"__metadata__":{"format":"pt"},"WEIGHTS":{"dtype":"F32","shape":[40,5],"data_offsets":[0,800]},"b":{"dtype":"I64","shape":[4],"data_offsets":[800,832]}}`
		header += strings.Repeat(" ", (8-len(header)%8)%8)
		out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
		out = append(out, header...)
		for _, v := range numbers(2, 200) {
			out, _ = binary.Append(out, binary.LittleEndian, v)
		}
		return append(out, make([]byte, 32)...), nil
	}
}

// write makes the files of a case in a folder.
func (c trialCase) write(t *testing.T, dir, home string) {
	t.Helper()
	for name, content := range c.files {
		data, err := content()
		if err != nil {
			t.Fatal(c.name, name, err)
		}
		if ext := filepath.Ext(name); ext == ".yaml" {
			data = bytes.ReplaceAll(data, []byte("{}"), []byte("."))
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if c.before == "" {
		return
	}
	if o, err := (trialRun{args: c.args(c.before, "."), dir: dir, home: home}).do(); err != nil || o.code != 0 {
		t.Fatalf("%s: %s: exit %d, %v: %s", c.name, c.before, o.code, err, o.stderr)
	}
}
