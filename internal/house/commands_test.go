// The commands of the README, of the other documents and of the manuals run.

package house

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/example/screens"
	"repscope/internal/example/sequences"
	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/suite"
)

// asCommand is the variable of the environment that makes this test a binary of
// the suite, with its name.
const asCommand = "REPSCOPE_HOUSE_COMMAND"

// cache is the folder of latents for all tests, which encode the built-in example once.
var cache string

func TestMain(m *testing.M) {
	if name := os.Getenv(asCommand); name != "" {
		entry, ok := suite.Find(name)
		if !ok {
			fmt.Fprintf(os.Stderr, "there is no binary %q\n", name)
			os.Exit(2)
		}
		os.Exit(run.Run(context.Background(), entry.Command, os.Args[1:], os.Stdout, os.Stderr))
	}
	runtest.LongPackage("the rules of the house are about sources and whole programs")
	var err error
	if cache, err = os.MkdirTemp("", "house"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(cache)
	os.Exit(code)
}

// call runs a binary in a folder that holds the files which the documents name.
func call(t *testing.T, folder string, words []string) string {
	t.Helper()
	command := exec.Command(os.Args[0], words[1:]...)
	command.Dir = folder
	command.Env = append(os.Environ(), asCommand+"="+filepath.Base(words[0]), "XDG_CACHE_HOME="+cache, "HOME="+folder)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

// TestDocumentedCommands runs every command of the blocks marked sh: those of
// binaries in a folder with small files of the names that they use, those of make
// as a dry run.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	root, folder := sources(t).root, t.TempDir()
	writeFiles(t, root, folder)
	ran, seen := 0, map[string]bool{}
	for _, document := range documents(t) {
		for _, words := range commandsOf(t, document) {
			line := strings.Join(words, "\x00")
			switch {
			case seen[line]: // in another document
			case strings.HasPrefix(words[0], "bin/"):
				call(t, folder, fewer(words))
				ran++
			case words[0] == "make":
				dryRun(t, root, words)
			}
			seen[line] = true
		}
	}
	if ran < 8 {
		t.Errorf("%d commands were run, want at least 8", ran)
	}
}

// TestConsole holds what the documents show of the console against what is printed.
func TestConsole(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, block := range allShown(t) {
		line, want, ok := strings.Cut(strings.TrimPrefix(block.text, "$ "), "\n")
		if block.kind != "console" || !ok {
			continue
		}
		ran++
		var out strings.Builder
		for line := range strings.Lines(call(t, t.TempDir(), split(line))) {
			out.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: $ %s prints\n%s\nand shows\n%s", block.where, line, out.String(), want)
		}
	}
	if ran == 0 {
		t.Error("no document shows a console")
	}
}

// amounts are numbers of resamples, states, folds and draws that let the built-in example be done in seconds.
// All metrics are measured.
var amounts = [][2]string{{"bootstrap", "20"}, {"samples", "100"}, {"folds", "2"},
	{"rsa-pairs", "1000"}, {"permutations", "3"}, {"draws", "1"}}

// fewer lets a command of the built-in example take small amounts, where it has them and does not say otherwise.
func fewer(words []string) []string {
	e, ok := suite.Find(filepath.Base(words[0]))
	if !ok || !slices.Contains(words, "--example") {
		return words
	}
	out, names := slices.Clone(words), run.FlagNames(e.Command)
	for _, amount := range amounts {
		if name := "--" + amount[0]; slices.Contains(names, amount[0]) && !slices.Contains(words, name) {
			out = append(out, name, amount[1])
		}
	}
	return out
}

// TestManuals runs the lines under "usage" of every binary's help but --example,
// which the README's commands are.
func TestManuals(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	writeFiles(t, sources(t).root, folder)
	call(t, folder, []string{"manifold", "--latents", "jepa=z_jepa.npy", "--quiet", "--shard", "0/1", "--out", "shards"})
	for _, entry := range suite.All() {
		help := call(t, folder, []string{entry.Name, "--help"})
		_, usage, found := strings.Cut(help, "\nusage:\n")
		usage, _, _ = strings.Cut(usage, "\n\n")
		if !found || usage == "" {
			t.Errorf("%s --help has no usage:\n%s", entry.Name, help)
		}
		for line := range strings.Lines(usage) {
			words := strings.Fields(line)
			if slices.Contains(words, "--example") {
				continue
			}
			if words[0] == "scale" && words[1] != "merge" { // they need a cluster, an image or a divided work: tool/scale runs them
				call(t, folder, []string{words[0], words[1], "--help"})
				continue
			}
			call(t, folder, filled(t, words))
		}
	}
}

// filled puts files in the place of the names that a usage has for them.
func filled(t *testing.T, words []string) []string {
	t.Helper()
	files := map[string]string{"--frames": "val.npz:frames", "--model": "jepa=jepa.onnx", "--predictions": "jepa=predicted.npy", "--decoder": "jepa=decoder.onnx",
		"--losses": "jepa=losses.csv", "--split": "split.npy", "--train": "train.npy", "--test": "test.npy", "--target": "truth.npy", "--forecast": "jepa=members.npy", "--input": "analysis.npy", "--generated": "jepa=problems.json",
		"--dump": "jepa=dump.npz", "--base-dir": "dataset", "--task": screens.Task, "--variant": screens.Variant, "--reference-json": "reference.json",
		"--reference-image": "reference.png", "--generated-json": "generated.json", "--generated-image": "generated.png"}
	if words[0] == "validate" {
		files["--outcome"] = "success"
	}
	if words[0] == "surprise" {
		files["--predictor"], files["--actions"] = "jepa=dynamics.onnx", "actions.npy"
		files["--errors"], files["--violations-of"] = "a=errors_a.npy", "rows.csv"
	}
	if words[0] == "sequence" {
		files["--model"], files["--sequences"] = "esm=esm.onnx", "antibodies.csv"
	}
	arguments := map[string]string{"FILES…": "smoothness.json", "TASK=FILE": "a=smoothness.json", "TASK@RUN=FILE": "b@1=smoothness.json", "SUITE.yaml": "study.yaml", "TABLE": "checkpoints.csv", "DIR…": "."}
	if words[0] == "scale" {
		arguments["FILES…"] = "shards"
	}
	for i, word := range words[:len(words)-1] {
		if strings.HasPrefix(words[i+1], "NAME=FILE") && files[word] == "" { // latents, and other arrays by name
			files[word] = "jepa=z_jepa.npy"
		}
	}
	var out []string
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == "…" || word == "[flags]":
		case i == 1 && words[0] == "scale": // its command
			out = append(out, word)
		case arguments[word] != "":
			out = append(out, arguments[word])
		case files[word] != "":
			value := files[word]
			if slices.Contains(out, word) { // another model
				value = "other" + value[strings.Index(value, "="):]
			}
			out = append(out, word, value)
			i++
		default:
			if strings.HasPrefix(word, "--") || strings.ToUpper(word) == word {
				t.Errorf("usage %q: there is no file for %s", strings.Join(words, " "), word)
			}
			out = append(out, word)
		}
	}
	return out
}

// dryRun lets make tell what it would do.
func dryRun(t *testing.T, root string, words []string) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		t.Log("make is not installed: its commands are not looked at")
		return
	}
	command := exec.Command("make", append([]string{"--dry-run"}, words[1:]...)...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
}

// block is one block of shell commands in a document.
var block = regexp.MustCompile("(?s)```sh\n(.*?)```")

// commandsOf returns the words of every command in a document.
func commandsOf(t *testing.T, document string) [][]string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var commands [][]string
	for _, found := range block.FindAllStringSubmatch(string(text), -1) {
		joined := strings.ReplaceAll(found[1], "\\\n", " ")
		for line := range strings.Lines(joined) {
			line, _, _ = strings.Cut(line, " #")
			line, _, _ = strings.Cut(line, "&&")
			if words := split(line); len(words) > 0 {
				commands = append(commands, words)
			}
		}
	}
	return commands
}

// split cuts a command into words as a shell does, with its quotes.
func split(line string) []string {
	var words []string
	for _, word := range regexp.MustCompile(`(?:"[^"]*"|'[^']*'|[^\s"'])+`).FindAllString(line, -1) {
		words = append(words, strings.NewReplacer(`"`, "", "'", "").Replace(word))
	}
	return words
}

// writeFiles writes small files under the names that the documents use: some
// frames of the built-in example, its encoders, and latents made of the pixels.
func writeFiles(t *testing.T, root, folder string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const n, size = 240, example.Height * example.Width
	set := example.Example()
	frames, episode := set.Frames[:n*size], make([]int64, n)
	latents, levels, map2 := make([]float32, 8*n), make([]int64, n), make([]float32, 2*n)
	for i := range n {
		episode[i], levels[i] = int64(i/40), int64(i/13%3)
		for k := range 8 {
			for _, v := range frames[i*size+k*size/8 : i*size+(k+1)*size/8] {
				latents[8*i+k] += float32(v) / 255
			}
		}
		map2[2*i], map2[2*i+1] = latents[8*i], latents[8*i+1]
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	check(dataset.WriteNPY(in("frames.npy"), []int{n, example.Height, example.Width}, frames))
	check(dataset.WriteNPY(in("z_jepa.npy"), []int{n, 8}, latents))
	check(dataset.WriteNPY(in("umap.npy"), []int{n, 2}, map2))
	for _, name := range []string{"z_clean.npy", "z_augmented.npy", "z1.npy", "z2.npy", "z3.npy"} {
		check(dataset.WriteNPY(in(name), []int{n, 8}, latents))
	}
	for _, layer := range []string{"a1.npy", "a2.npy", "b1.npy"} {
		check(dataset.WriteNPY(in(layer), []int{n, 2}, map2))
	}
	check(dataset.WriteNPY(in("levels.npy"), []int{n}, levels))
	table := "lives,enemy_x\n"
	for i := range n {
		table += fmt.Sprintf("%d,%d\n", levels[i], i%50)
	}
	check(os.WriteFile(in("ram.csv"), []byte(table), 0o644))
	checkpoints := "run,step,success_a,success_b,success,rank,val_loss\n"
	for i := range 24 {
		a, b := float64(i*i%11), float64(i*i%13)
		checkpoints += fmt.Sprintf("%c,%d,%v,%v,%v,%d,%d\n", 'a'+i/8, i%8, a, b, (a+b)/2, i*7%9, 24-i)
	}
	check(os.WriteFile(in("checkpoints.csv"), []byte(checkpoints), 0o644))
	check(dataset.WriteNPY(in("actions.npy"), []int{n}, set.Action[:n]))
	check(dataset.WriteNPY(in("rewards.npy"), []int{n}, set.Reward[:n]))
	check(dataset.WriteNPY(in("z_predicted.npy"), []int{n, 8}, latents))
	check(dataset.WriteNPY(in("predicted.npy"), []int{n, example.Height, example.Width}, frames))
	check(dataset.WriteNPZ(in("val.npz"),
		dataset.Field{Name: "frames", Shape: []int{n, example.Height, example.Width}, Data: frames},
		dataset.Field{Name: "episode", Shape: []int{n}, Data: episode},
		dataset.Field{Name: "action", Shape: []int{n}, Data: set.Action[:n]}))
	writeErrors(t, folder)
	parts, hits := make([]int64, n), make([]float64, n)
	for i := range n {
		parts[i], hits[i] = int64(2*i/n), float64(i%2)
	}
	check(dataset.WriteNPZ(in("all.npz"),
		dataset.Field{Name: "frames", Shape: []int{n, example.Height, example.Width}, Data: frames},
		dataset.Field{Name: "episode", Shape: []int{n}, Data: episode}))
	check(dataset.WriteNPY(in("split.npy"), []int{n}, parts))
	check(dataset.WriteNPY(in("hits.npy"), []int{n}, hits))
	check(dataset.WriteNPY(in("train.npy"), []int{n / 2, example.Height, example.Width}, frames[:n/2*size]))
	check(dataset.WriteNPY(in("test.npy"), []int{n / 2, example.Height, example.Width}, frames[n/2*size:]))
	fields := latents[:n/20*4*2*4*4]
	check(dataset.WriteNPY(in("truth.npy"), []int{n / 20, 2, 4, 4}, fields[:n/20*2*4*4]))
	check(dataset.WriteNPY(in("analysis.npy"), []int{n / 20, 2, 4, 4}, fields[:n/20*2*4*4]))
	check(dataset.WriteNPY(in("members.npy"), []int{n / 20, 4, 2, 4, 4}, fields))
	check(os.WriteFile(in("losses.csv"), []byte("epoch,train_loss,val_loss\n1,0.9,1\n2,0.5,0.7\n3,0.4,0.8\n"), 0o644))
	problem := `{"grade":"6B","moves":[{"description":"A1","isStart":true},{"description":"B4"},{"description":"C9"},` +
		`{"description":"D12"},{"description":"%s18","isEnd":true}]}`
	check(os.WriteFile(in("problems.json"), []byte(fmt.Sprintf("["+problem+","+problem+"]", "E", "F")), 0o644))
	cysteines(t, folder) // dump.npz
	copied := func(to, from string) {
		content, err := os.ReadFile(filepath.Join(root, from))
		check(err)
		check(os.MkdirAll(filepath.Dir(in(to)), 0o755))
		check(os.WriteFile(in(to), content, 0o644))
	}
	cells, labels := make([]uint8, 12*12), make([]int64, 12)
	for i := range cells {
		cells[i], labels[i/12] = uint8(i*i%7%2), int64(i/12%3)
	}
	check(dataset.WriteNPZ(in("grids.npz"), dataset.Field{Name: "grids", Shape: []int{12, 2, 2, 3}, Data: cells}, dataset.Field{Name: "label", Shape: []int{12}, Data: labels}))
	copied("vae_encoder.onnx", "analysis/generation/command/testdata/generator/encoder.onnx")
	copied("vae_decoder.onnx", "analysis/generation/command/testdata/generator/decoder.onnx")
	const weights = "internal/example/weights/"
	copied("jepa.onnx", weights+"jepa/best_encoder.onnx")
	copied("decoder.onnx", weights+"jepa/decoder.onnx")
	copied("predictor.onnx", weights+"jepa/predictor.onnx")
	copied("dynamics.onnx", weights+"jepa/predictor.onnx")
	copied("network.onnx", "analysis/forecast/command/testdata/gaussian.onnx")
	copied("encdec.onnx", weights+"encoder_decoder/best_encoder.onnx")
	copied("weights/jepa/best_encoder.pth", weights+"jepa/best_encoder.pth")
	copied("smoothness.json", "report/testdata/smoothness.json")
	copied("evaluation_plots/smoothness_analysis/smoothness.json", "report/testdata/smoothness.json")
	copied("esm.onnx", "internal/example/sequences/weights/trained.onnx")
	check(os.WriteFile(in("study.yaml"), []byte("analyses: manifold\ndatasets: {val: {frames: val.npz:frames, model: {jepa: jepa.onnx}, bootstrap: 0}}\n"), 0o666))
	antibodies := sequences.Example()
	write := func(name string, write func(w io.Writer) error) {
		file, err := os.Create(in(name))
		check(err)
		check(errors.Join(write(file), file.Close()))
	}
	write("antibodies.csv", func(w io.Writer) error { return sequences.WriteCSV(w, antibodies.Sequences[:12], true) })
	write("substitutions.csv", func(w io.Writer) error { return sequences.WriteAssaysCSV(w, antibodies.Assays[:1]) })
	writeScreens(t, folder)
}

// writeErrors writes errors of transitions: six episodes, and six in which something impossible happens.
func writeErrors(t *testing.T, folder string) {
	t.Helper()
	table, errors := "episode,pair,step,violation,size\n", []float64{}
	for episode := range 12 {
		kind := []string{",", "jump,1"}[episode%2]
		for step := -4; step < 4; step++ {
			table += fmt.Sprintf("%d,%d,%d,%s\n", episode, episode/2, step, kind)
			errors = append(errors, float64((7*step*step+3*episode)%11))
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "rows.csv"), []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"errors_a.npy", "errors_b.npy"} {
		if err := dataset.WriteNPY(filepath.Join(folder, name), []int{len(errors)}, errors); err != nil {
			t.Fatal(err)
		}
	}
}

// writeScreens writes a few designs of the example, as a benchmark and as files of one case.
func writeScreens(t *testing.T, folder string) {
	t.Helper()
	set := screens.Example()
	put := func(to, from string) {
		t.Helper()
		content, err := set.ReadFile(from)
		file := filepath.Join(folder, to)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	preferences := "case_a,case_b,winner,rater\n" + set.Case("gid1-16", "slight") + "," + set.Case("gid1-16", "severe") + ",a,ann\n"
	if err := os.WriteFile(filepath.Join(folder, "preferences.csv"), []byte(preferences), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, gid := range []string{"gid1-16", "gid2-17"} {
		reference := set.Reference(gid)
		for _, ending := range []string{".png", ".json"} {
			put(filepath.Join("dataset", reference+ending), reference+ending)
			put("reference"+ending, reference+ending)
		}
		for _, model := range []string{"slight", "severe"} {
			at := path.Join("results", screens.Task, screens.Variant, set.Case(gid, model), set.Case(gid, model))
			put("generated.png", at+"-canvas.png")
			put("generated.json", at+"-json-structure.json")
			for _, ending := range []string{"-canvas.png", "-json-structure.json", "-json-response.json"} {
				put(filepath.Join("dataset", at+ending), at+ending)
			}
		}
	}
}
