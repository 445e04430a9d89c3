// Further runs of a trial: a case for every flag that takes a file, and for every form of one.

//go:build unix

package suite

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"image/png"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
)

type trialFiles = map[string]func() ([]byte, error)

// packedMember is a file of latent/testdata/meaning.tar.gz.
func packedMember(name string) func() ([]byte, error) {
	return func() ([]byte, error) {
		data, err := treeFile("latent/testdata/meaning.tar.gz")()
		if err != nil {
			return nil, err
		}
		unzipped, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		archive := tar.NewReader(unzipped)
		for {
			header, err := archive.Next()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if header.Name == name {
				return io.ReadAll(archive)
			}
		}
	}
}

// trialScores are those of lm-evaluation-harness.
const trialScores = `{"results": {"arc": {"alias": "arc", "acc,none": 0.6, "acc_stderr,none": 0.03, "f1,none": "N/A"},
	"gsm8k": {"exact_match,strict-match": 0.25, "exact_match_stderr,strict-match": 0.0435, "score,none": NaN}},
	"group_subtasks": {"gsm8k": []}, "config": {"model": "hf", "model_args": "pretrained=org/a,dtype=float16", "limit": null},
	"n-shot": {"arc": 0, "gsm8k": 5}, "versions": {"arc": 1.0}, "higher_is_better": {"arc": {"acc": true}},
	"n-samples": {"arc": {"original": 2376, "effective": 397}, "gsm8k": {"original": 1319, "effective": 100}}}`

// trialBenchmarks are results of go test -bench.
const trialBenchmarks = "goos: linux\ngoarch: amd64\npkg: a/b\ncpu: x\nBenchmarkA-8 \t 100\t 12.5 ns/op\t 3 B/op\t 1 allocs/op\n" +
	"BenchmarkA-8 \t 100\t 12.75 ns/op\t 3 B/op\t 1 allocs/op\nBenchmarkB/n=10-8 \t 7\t 1e3 ns/op\t 2.5 MB/s\nPASS\n"

// episodesFile are the episodes of n rows, some rows each.
func episodesFile(n, length int) func() ([]byte, error) {
	episodes := make([]int64, n)
	for i := range episodes {
		episodes[i] = int64(i / length)
	}
	return bytesFrom(func(w io.Writer) error { return dataset.EncodeNPY(w, []int{n}, episodes) })
}

// readerCases are the cases of readers that trialCases lacks.
func readerCases() []trialCase {
	return slices.Concat(containerCases(), dynamicsCases(), designCases(), otherCases(), resultCases())
}

// containerCases read arrays in every form of HDF5, NetCDF, Zarr and Parquet, and folders of them.
func containerCases() (cases []trialCase) {
	for _, c := range [][3]string{
		{"hdf5 extensible", "hdf5/testdata/indexes_latest.h5", "extensible"}, {"hdf5 fixed", "hdf5/testdata/indexes_latest.h5", "fixed_sparse"},
		{"hdf5 tree", "hdf5/testdata/indexes_latest.h5", "tree"}, {"hdf5 of 1.8", "hdf5/testdata/layouts_v108.h5", "tree/gzip"},
		{"hdf5 old index", "hdf5/testdata/indexes_earliest.h5", "tree"}, {"netcdf 2", "netcdf/testdata/cdf2.nc", "packed"},
		{"netcdf classic", "netcdf/testdata/nc4_classic.nc", "growing_f4"}, {"zarr 2 blosc", "zarr/testdata/v2.zip", "blosc_lz4_shuffle"},
		{"zarr 2 lz4", "zarr/testdata/v2.zip", "codec_lz4"}, {"zarr 3 checksum", "zarr/testdata/v3.zip", "transposed"},
		{"zarr 3 shards", "zarr/testdata/v3.zip", "shards_start"}, {"parquet snappy", "parquet/testdata/lists_snappy_p2.parquet", "e"},
		{"parquet lz4", "parquet/testdata/lists_lz4_p1.parquet", "e"}, {"parquet gzip", "parquet/testdata/lists_gzip_p1.parquet", "e"},
		{"parquet groups", "parquet/testdata/groups.parquet", "obs.state"}, {"parquet runs", "parquet/testdata/runs.parquet", "x"},
		{"parquet deltas", "parquet/testdata/delta_binary_packed_p2.parquet", "i32"}, {"parquet booleans", "parquet/testdata/rle_p2.parquet", "bool"},
		{"parquet streams", "parquet/testdata/byte_stream_split_p2.parquet", "f32"}, {"parquet images", "testdata/parquet/images.parquet", "image"},
	} {
		base := "x" + filepath.Ext(c[1])
		cases = append(cases, trialCase{name: c[0], line: "encode --frames {}/" + base + ":" + c[2] + " --baseline pca:1 --skip-nan --restart",
			files: trialFiles{base: treeFile("dataset/" + c[1])}, sealed: "x.zip"})
	}
	for _, name := range []string{"fletcher", "all", "lzf_all"} { // metadata have checksums, too
		cases = append(cases, trialCase{name: "hdf5 sums of " + name, line: "encode --frames {}/x.h5:" + name + " --baseline pca:2 --restart",
			files: trialFiles{"x.h5": treeFile("dataset/hdf5/testdata/filters_latest.h5")}, sealed: "x.h5"})
	}
	return append(cases,
		trialCase{name: "zarr 3 folder", line: "encode --frames {}/x:packed --skip-nan --baseline pca:1 --restart", files: folderFiles("x", "dataset/zarr/testdata/xarray_v3.zarr")},
		trialCase{name: "robot", line: "smoothness --frames {}/r:observation.state --latents z={}/r:action --bootstrap 0", files: folderFiles("r", "dataset/testdata/parquet/robot")},
		trialCase{name: "robot shown", line: "repscope show {}/r", files: folderFiles("r", "dataset/testdata/parquet/robot")},
		trialCase{name: "hub", line: "repscope show {}/h", files: folderFiles("h", "dataset/testdata/parquet/hub")},
		trialCase{name: "tokens", line: "sequence --sequences {}/s.parquet --mask-plan {}/out-plan.npz", files: trialFiles{"s.parquet": treeFile("dataset/testdata/parquet/sequences.parquet")}})
}

// dynamicsCases read heads, predictions, rollouts and further inputs of models.
func dynamicsCases() []trialCase {
	model := func(name string) func() ([]byte, error) { return treeFile("latent/testdata/" + name + ".onnx") }
	latents := func() trialFiles {
		return trialFiles{"z.npy": arrayFile(2, 30, 6), "e.npy": episodesFile(30, 6), "a.npy": wholeFile(30, 2), "p.onnx": model("head_predictor"), "d.onnx": model("head_decoder"),
			"h.onnx": model("head_reward"), "f.npy": arrayFile(1, 30, 4, 5), "r.npy": arrayFile(4, 30), "o.npy": arrayFile(5, 3, 2, 6), "s.npy": wholeFile(3, 7), "n.npy": arrayFile(6, 30, 6), "g.npy": arrayFile(7, 30, 4, 5)}
	}
	dynamics := func(name, line string, used ...string) trialCase {
		files := latents()
		for file := range files {
			if !slices.Contains(used, file) && file != "z.npy" && file != "e.npy" {
				delete(files, file)
			}
		}
		return trialCase{name: name, line: line + " --episodes {}/e.npy --bootstrap 0", files: files}
	}
	rewards := "reward --latents z={}/z.npy --probes ridge --folds 2 "
	return []trialCase{
		dynamics("predictor", rewards+"--actions {}/a.npy --horizon 2 --predictor z={}/p.onnx --head z:true={}/h.onnx --rewards {}/r.npy", "a.npy", "p.onnx", "h.onnx", "r.npy"),
		dynamics("rollouts of files", rewards+"--rollouts z={}/o.npy --rollout-starts {}/s.npy --rewards {}/r.npy --predicted-rewards z:true={}/r.npy", "o.npy", "s.npy", "r.npy"),
		dynamics("decoder", "reconstruction --frames {}/f.npy --latents z={}/z.npy --decoder z={}/d.onnx --predictor z={}/p.onnx --actions {}/a.npy --predictions-range z=-6,4 --samples-shown 0", "f.npy", "d.onnx", "p.onnx", "a.npy"),
		dynamics("surprise", "surprise --latents z={}/z.npy --predictor z={}/p.onnx --actions {}/a.npy --violations skip --draws 1", "p.onnx", "a.npy"),
		dynamics("predicted", "surprise --frames {}/f.npy --latents z={}/z.npy --predicted z={}/n.npy --predicted-frames y={}/g.npy --violations skip --draws 1", "f.npy", "n.npy", "g.npy"),
		{name: "further inputs", line: "encode --frames {}/x.npy --model m={}/m.onnx --layer z --input h0={}/h.npy --input c0=zeros --input gain=1 --restart",
			files: trialFiles{"x.npy": arrayFile(1, 12, 4, 2, 3), "h.npy": arrayFile(2, 2, 1, 4), "m.onnx": model("states")}},
		{name: "weights", line: "smoothness --frames {}/f.npy --weights {}/w --cache off --bootstrap 0", keep: "f.npy",
			files: trialFiles{"f.npy": arrayFile(1, 12, 3, 32, 32), "w/a/best_encoder.pth": treeFile("latent/testdata/conv.pth"), "w/b/best_encoder.safetensors": treeFile("latent/testdata/conv.safetensors")}},
		{name: "stitched layers", line: "similarity --frames {}/f.npy --model a={}/a.onnx --model b={}/b.onnx --layers a=net.*,b=net.* --stitch --stitch-permutations 1 --k 2 --permutations 1 --cache off --bootstrap 0",
			files: trialFiles{"f.npy": arrayFile(1, 40, 24), "a.onnx": model("mlp_opset17"), "b.onnx": model("mlp_opset13")}},
	}
}

// designCases read what models of captions, screens and saliency need, and what has been computed for them.
func designCases() []trialCase {
	screens := func() trialFiles {
		return trialFiles{"r.json": textFile(trialDesign), "g.json": textFile(trialDesign), "r.png": picture(1, png.Encode), "g.png": picture(2, png.Encode)}
	}
	canvas := "canvas --reference-json {}/r.json --generated-json {}/g.json --reference-image {}/r.png --generated-image {}/g.png --bootstrap 0 --metrics "
	with := func(name, line string, more trialFiles) trialCase {
		files := screens()
		for file, content := range more {
			files[file] = content
		}
		return trialCase{name: name, line: canvas + line, keep: "[rg].*", files: files}
	}
	captions := textFile("case_id,gt_caption,gen_caption\ng,a map,\"a map, with pins\"\n")
	captioner := trialFiles{"s.onnx": packedMember("sentence.onnx"), "t.json": packedMember("captioner_blip/tokenizer.json")}
	for _, name := range []string{"config.json", "preprocessor_config.json", "tokenizer.json", "onnx/decoder_model.onnx", "onnx/encoder_model.onnx"} {
		captioner["c/"+name] = packedMember("captioner_vit/" + name)
	}
	ratings := "d/results/t_gen/v/gid1-"
	return []trialCase{
		with("perceptual", "perceptual --perceptual-model {}/p.onnx", trialFiles{"p.onnx": treeFile("analysis/canvas/testdata/perceptual.onnx")}),
		with("saliency model", "saliency --saliency-model {}/s.onnx --saliency-size 16x24", trialFiles{"s.onnx": treeFile("analysis/canvas/testdata/saliency.onnx")}),
		with("embeddings", "semantic --embeddings-reference {}/a.npy --embeddings-generated {}/b.npy --embeddings-ids {}/i.txt --captions {}/c.csv",
			trialFiles{"a.npy": arrayFile(1, 1, 3), "b.npy": arrayFile(2, 1, 3), "i.txt": textFile("g\n"), "c.csv": captions}),
		with("image embeddings", "semantic --image-embeddings-reference {}/a.npy --image-embeddings-generated {}/b.npy --embeddings-ids {}/i.json",
			trialFiles{"a.npy": arrayFile(1, 1, 3), "b.npy": arrayFile(2, 1, 3), "i.json": textFile(`["g"]`)}),
		with("captions", "semantic --sentence-model {}/s.onnx --tokenizer {}/t.json --captions {}/c.csv",
			trialFiles{"s.onnx": packedMember("sentence.onnx"), "t.json": packedMember("captioner_blip/tokenizer.json"), "c.csv": captions}),
		with("vision", "semantic --vision-model {}/v.onnx --vision-preprocessor {}/p.json",
			trialFiles{"v.onnx": packedMember("vision_vit.onnx"), "p.json": packedMember("captioner_vit/preprocessor_config.json")}),
		with("captioner", "semantic --captioner {}/c --sentence-model {}/s.onnx --tokenizer {}/t.json", captioner),
		{name: "preferences", line: "canvas --base-dir {}/d --task t_gen --variant v --metrics layout --bootstrap 0 --ratings {}/p.csv", files: trialFiles{
			"d/benchmarks/t_gt/gid1-1.json": textFile(trialDesign), ratings + "1-m-v/gid1-1-m-v-json-structure.json": textFile(trialDesign),
			ratings + "1-n-v/gid1-1-n-v-json-structure.json": textFile(strings.Replace(trialDesign, `"x": 1,`, `"x": 3,`, 1)),
			"p.csv": textFile("case_a,case_b,winner,rater\ngid1-1-m-v,gid1-1-n-v,a,x\ngid1-1-m-v,gid1-1-n-v,tie,y\ngid1-1-n-v,gid1-1-m-v,a,z\n")}},
	}
}

// otherCases read what forecast, sequence, generation and audit take besides.
func otherCases() []trialCase {
	grids := trialFiles{"t.npy": arrayFile(1, 12, 1, 2, 3), "m.npy": arrayFile(2, 12, 3, 1, 2, 3), "w.npy": arrayFile(5, 2, 3)}
	table := textFile(trialTable(40))
	samples := "generation --generated a={}/g.csv --real {}/r.csv --bootstrap 0 "
	parts := textFile("part,site,score,episode\n" + strings.Repeat("train,a,1,0\ntrain,b,0.5,1\ntest,c,0.25,2\ntest,d,0.75,3\n", 10))
	return []trialCase{
		{name: "regions", line: "forecast --target {}/t.npy --forecast a={}/m.npy --regions a={}/w.npy --bootstrap 0", files: grids},
		{name: "positions", line: "sequence --positions a={}/p.csv --bootstrap 0", files: trialFiles{"p.csv": textFile("seq,pos,region_mode,target,pred,nll,prob\n" +
			"a,1,standard,E,E,0,1\na,2,standard,V,V,0,1\nb,1,standard,E,L,0.6931472,0.5\nb,2,standard,Q,Q,0.6931472,0.5\n")}},
		{name: "holdout", line: samples + "--holdout {}/h.csv --metrics fidelity", files: trialFiles{"g.csv": table, "r.csv": table, "h.csv": table}},
		{name: "published samples", line: "generation --generated a={}/g.json --data {}/r.json --groups real={}/y.csv:a --metrics diversity --bootstrap 0",
			files: trialFiles{"g.json": textFile(trialProblems()), "r.json": textFile(trialProblems()), "y.csv": textFile("a\n" + strings.Repeat("0\n1\n", 6))}},
		{name: "real latents", line: "generation --latents a={}/z.npz --real-latents {}/y.npz --label-names {}/n.json --predictions a={}/p.csv --real-predictions {}/q.csv --bootstrap 0 --metrics fidelity,conditioning", sealed: "*.npz",
			files: trialFiles{"z.npz": treeFile("analysis/generation/command/testdata/published/latents.npz"), "y.npz": treeFile("analysis/generation/command/testdata/published/latents.npz"), "n.json": textFile(`{"0": "6A", "1": "6B", "2": "6C"}`),
				"p.csv": treeFile("analysis/generation/command/testdata/published/predictions.csv"), "q.csv": treeFile("analysis/generation/command/testdata/published/predictions.csv")}},
		{name: "published classifier", line: "generation --encoder a={}/e.onnx --decoder a={}/d.onnx --classifier-checkpoint {}/c.onnx --grids {}/p.json --num-samples 8 --bootstrap 0", keep: "[edp].*",
			files: trialFiles{"e.onnx": treeFile("analysis/generation/command/testdata/generator/board_encoder.onnx"), "d.onnx": treeFile("analysis/generation/command/testdata/generator/board_decoder.onnx"),
				"c.onnx": treeFile("analysis/generation/command/testdata/generator/board_classifier.onnx"), "p.json": textFile(trialProblems())}},
		{name: "audit of parts", line: "audit --frames {}/f.npy --split {}/s.csv:part --episodes {}/s.csv:episode --group {}/s.csv:site --scores a={}/s.csv:score --latents z={}/z.npy --permutations 3 --bootstrap 0",
			files: trialFiles{"f.npy": arrayFile(1, 40, 8, 8), "z.npy": arrayFile(2, 40, 5), "s.csv": parts}},
		{name: "audit of recordings", line: "audit --train {}/f.npy --test {}/f.npy --train-episodes {}/e.npy --test-episodes {}/e.npy --permutations 3 --bootstrap 0", files: trialFiles{"f.npy": arrayFile(1, 40, 8, 8), "e.npy": episodesFile(40, 10)}},
		{name: "audit of a table", line: "audit --sequences {}/s.csv --split {}/s.csv:sequence_id --train-part s1 --permutations 3 --bootstrap 0", files: trialFiles{"s.csv": textFile(trialSequences)}},
	}
}

// resultCases read results of other programs, scales, jobs and what programs ask.
func resultCases() []trialCase {
	again := strings.NewReplacer("org/a", "org/b", "0.6,", "0.7,").Replace(trialScores)
	return []trialCase{
		{name: "harness", line: "compare {}/a.json {}/b.json --metrics acc", files: trialFiles{"a.json": textFile(trialScores), "b.json": textFile(again)}},
		{name: "benchmarks", line: "compare a={}/a.txt b={}/b.txt --metrics ns/op", files: trialFiles{"a.txt": textFile(trialBenchmarks), "b.txt": textFile(strings.ReplaceAll(trialBenchmarks, "12.", "13."))}},
		{name: "scales", line: "compare {}/t.csv --scale {}/s.csv --metrics score", files: trialFiles{"t.csv": textFile("model,task,seed,metric,score\nA,x,1,score,2\nB,x,1,score,3\nA,y,1,score,4\nB,y,1,score,3\nA,x,2,score,2.5\nB,x,2,score,3\nA,y,2,score,4\nB,y,2,score,1\n"),
			"s.csv": textFile("task,worst,best,metric\nx,0,5,score\ny,0,10,score\n")}},
		{name: "published results", line: "compare --results {}/a.json {}/b.json --names P Q", files: trialFiles{"a.json": textFile(trialMetrics), "b.json": textFile(strings.Replace(trialMetrics, "1.5", "2.5", 1))}},
		{name: "halves", line: "validate {}/t.tsv --outcome-halves a,b --run run --bootstrap 0", files: trialFiles{"t.tsv": textFile("run\tstep\ta\tb\tx\nr\t1\t1\t2\t4\nr\t2\t2\t1\t5\nr\t3\t3\t3\t2\ns\t1\t1\t1\t9\ns\t2\t4\t3\t7\ns\t3\t4\t5\t6\n")}},
		{name: "job", line: "scale slurm {}/j.yaml --shards 2", keep: "*.npy", files: trialFiles{"z.npy": arrayFile(1, 40, 5),
			"j.yaml": textFile("datasets: {d: {frames: {}/z.npy, latents: {z: {}/z.npy}, only: [manifold], bootstrap: 0}}\n")}},
		{name: "program", line: "scale k8s --shards 2 --image x/y:1 --claim data --mount / --program /bin/repscope --out made -- manifold --latents z={}/z.npy", files: trialFiles{"z.npy": arrayFile(1, 40, 5)}},
	}
}

// Every flag that takes a file has a case, of some binary.
func TestTrialCases_Readers(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	for _, c := range trialCases() {
		for _, word := range strings.Fields(c.line + " " + c.before) {
			read[word] = true
		}
	}
	for _, c := range Commands() {
		reading := run.ReadingFlags(c)
		run.VisitFlags(c, func(f *flag.Flag) {
			if slices.Contains(reading, f.Name) && !read["--"+f.Name] {
				t.Errorf("%s --%s is read in no trial", c.Name, f.Name)
			}
		})
	}
}
