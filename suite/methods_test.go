// Tests of the texts on methods of all binaries: golden texts, that every option is in them,
// and that all works are cited.

package suite

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repscope/internal/runtest"
	"repscope/report/methods"
)

// methodsFixture is what is kept of a result of the example; see testdata/methods/slim.py.
func methodsFixture(t *testing.T, analysis string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata/methods", analysis+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func methodsOf(t *testing.T, analysis string, file []byte) *methods.Text {
	t.Helper()
	text, err := Methods(analysis+".json", file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Every binary says of its example what stands in the golden file.
func TestMethodsGolden(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	for _, e := range All() {
		if e.Methods == nil {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			text := methodsOf(t, e.Name, methodsFixture(t, e.Name))
			golden := filepath.Join("testdata/methods", e.Name+".md")
			if *update {
				if err := os.WriteFile(golden, []byte(text.Markdown()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if text.Markdown() != string(want) {
				t.Errorf("%s:\n%s", golden, text.Markdown())
			}
			if strings.Contains(text.Markdown(), "%!") || strings.Contains(text.Markdown(), "  ") || strings.Contains(text.Markdown(), " .") {
				t.Errorf("%s: a hole in the text:\n%s", e.Name, text.Markdown())
			}
			if e.Analysis && !strings.Contains(text.Markdown(), " of its numbers)") {
				t.Errorf("%s: it is not said which definition the numbers are of", e.Name)
			}
			for _, c := range text.LaTeX() {
				if c > 0x17f { // what is no Latin letter must have a command
					t.Errorf("%s: %q is not for LaTeX", e.Name, c)
				}
			}
		})
	}
}

// The texts of all binaries make one paper by LaTeX and BibTeX, where they are installed, also with hostile names of
// models.
func TestMethodsLaTeX(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	for _, program := range []string{"pdflatex", "bibtex"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: on Debian they are in texlive-latex-base", program)
		}
	}
	dir, works := t.TempDir(), map[string]string{}
	file := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	main := "\\documentclass{article}\n\\begin{document}\n"
	for _, e := range All() {
		if e.Methods == nil {
			continue
		}
		result := bytes.ReplaceAll(methodsFixture(t, e.Name), []byte(`"jepa"`), []byte(`"模型_100 % of $x^2$ \\\\a{b} & <c> ~#\"q\" þ"`))
		text := methodsOf(t, e.Name, result)
		file(e.Name+"_methods.tex", text.LaTeX())
		main += "\\section{" + e.Name + "}\n\\input{" + e.Name + "_methods}\n"
		for _, r := range text.References() {
			works[r.Key] = r.BibTeX()
		}
	}
	file("main.tex", main+"\\bibliographystyle{plain}\n\\bibliography{works}\n\\end{document}\n")
	file("works.bib", strings.Join(slices.Sorted(maps.Values(works)), "\n"))
	latex := []string{"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main"}
	for _, call := range [][]string{latex, {"bibtex", "main"}, latex, latex} {
		command := exec.Command(call[0], call[1:]...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		if err != nil || call[0] == "bibtex" && strings.Contains(string(out), "Warning--") {
			t.Fatalf("%v: %v\n%s", call, err, out)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "main.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"undefined", "Missing character"} {
		if strings.Contains(string(log), bad) {
			t.Errorf("%s:\n%s", bad, log)
		}
	}
}

// otherwise are, for every option that a result records, another value as JSON, perhaps with
// that of an option which it takes ("k=v;option=value"), or after a dash why the text does not
// change by it alone.
var otherwise = map[string]map[string]string{
	"smoothness": {"horizons": "[1,5]", "latent-scale": `"l2"`},
	"robustness": {"box-level": "-the level is that of the comparisons", "clip": `"none"`, "corruption": `"blur"`, "draws": "2", "levels": "[0.3]", "latent-scale": `"l2"`},
	"neighborhood": {"approx": "true", "approx-references": "99;approx=true", "coranking": `"full"`, "exclude-window": "5", "k": "[3]", "latent-metric": `"cosine"`, "metric": `"cosine"`,
		"null": `"independent"`, "permutations": "0", "space": "-models say which it was", "ties": `"index"`, "latent-scale": `"l2"`},
	"manifold": {"approx": "true", "duplicate-tolerance": "0.5", "estimator": `"fit"`, "exclude-window": `"5"`, "gride": "-models have the orders", "neighbors": "-models have the orders",
		"gaussian-draws": "39", "gaussian-scale": `"raw"`, "gaussian-slices": "9", "groups": "-an input", "learn-clusters": "7", "lidar-delta": "0.5", "power-law": "-models have the ranks", "view-corruption": `"blur"`, "view-level": "0.3", "views": "9",
		"latent-scale": "-it is not used"},
	"geometry": {"clusters": "[5]", "exclude-window": "5", "k": "[3]", "labels": "-an input", "lags": "50", "rsa-pairs": "1000", "starts": "3", "latent-scale": "-it is not used"},
	"similarity": {"bandwidth": `0.7;measures=["cka_rbf"]`, "k": "[3]", "layers": `"a=x"`, "layer-measures": `["cka"];layers="a=x"`,
		"measures": `["cknna"]`, "metric": `"cosine"`, "null": `"independent"`, "permutations": "0",
		"reference": "-comparisons name it", "rsa-pairs": "1000", "latent-scale": `"l2"`,
		"stitch": "true", "stitch-permutations": "5;stitch=true"},
	"reconstruction": {"actions": "-an input", "decoder": "-an input", "decoder-pool": `"mean"`, "moving-threshold": "0.5", "object-area": "9", "object-threshold": "0.5",
		"predictions": `"p.npy"`, "predictions-range": `"0,1"`, "predictor": "-an input", "predicts": `"same"`, "rollout-steps": "4", "ssim-window": `"gaussian"`, "time-axis": `"clip"`},
	"reward": {"actions": "-an input", "alpha": "1", "control": "true", "decoder-pool": `"mean"`, "disentanglement": "true", "folds": "3", "head": "-an input", "horizon": "8",
		"label-efficiency": "[0.1]", "min-entropy": "0.1", "predicted": "-an input", "predicted-rewards": "-an input", "predictor": "-an input", "probe-features": `"next"`,
		"probes": `["knn"]`, "regress": `"lives"`, "rewards": "-an input", "rollout-starts": "-an input", "rollouts": "-an input", "targets": "-an input", "latent-scale": `"l2"`},
	"generation": {"definition": `"documented"`, "metrics": "-what was computed is told", "num-samples": "5", "revalidate": "true", "strict": "true", "temperature": "2", "threshold": "0.4",
		"block": `"7"`, "bootstrap": "0"},
	"forecast": {"batch-size": "8", "crps": `"biased"`, "energy": `"biased"`, "event-quantiles": "[0.5]", "event-rule": `"above"`, "skip-members": "true", "wrap": "true", "fss-windows": "[7]", "input-variables": `["x"]`, "intervals": "[0.3]", "max-distance": "0",
		"metrics": "-what was computed is told", "n-samples": "5", "pairs": "100", "patch": "3", "patch-mode": `"tile"`, "quantiles": "[0.3]", "skip-nan": "true", "spectrum": `"fft"`,
		"thresholds": "[1]", "tile": "5", "variables": `["x"]`, "variogram": `"documented"`, "variogram-p": "1"},
	"sequence": {"columns": `"heavy=x"`, "inputs": `"ids=x"`, "outputs": `"logits=x"`, "mask": `"uniform"`, "mask-cdr": "3", "mask-nongermline": "3", "mask-rate": "0.3",
		"metrics": "-what was computed is told", "region-mode": `"region-level"`, "regions": `["hcdr3"]`, "set": `"p_at_l.min_seq_sep=12"`},
	"canvas": {"alpha": `"drop"`},
	"audit": {"false-alarm": "0.05", "identity": "-of sequences alone", "layout": "-of the figure", "permutations": "0", "references": "100", "repair": `"move"`, "skip-nan": "-dropped states are counted", "tolerance": "0.1",
		"train-part": `"a"`},
	"surprise": {"actions": "-an input", "at": `"5"`, "condition": `"phase"`, "decoder-pool": `"mean"`, "draws": "2", "horizon": "5",
		"latent-scale": `"l2"`, "object-area": "9", "object-threshold": "0.5", "predict-by": `["copy_last"]`,
		"predictor": "-an input", "sizes": "[1]", "violations": `["skip"]`},
	"compare": {"allow-different": "true", "baseline": "-the result names it", "fail-if-worse": `["mse>5"]`, "family": `"run"`, "fixed": `["x"]`, "higher": `["x"]`, "independent": "true", "interval": `"bootstrap"`, "loss-columns": "-losses alone",
		"lower": `["x"]`, "metrics": `["x"]`, "names": `["a=b"]`, "orient": "-tables alone", "scale": `"s.csv"`, "select": `"x"`, "bootstrap": `99;interval="bootstrap"`},
	"validate": {"after": `"time"`, "bootstrap": "0", "higher": `["x"]`, "lower": `["x"]`, "numbers": `["x"]`, "outcome": `"x"`,
		"outcome-halves": `["a","b"]`, "outcome-se": `"x"`, "permutations": "0", "run": `"x"`, "validation-loss": `"x"`},
	"encode": {"dtype": `"float16"`, "output": "-the name of a file", "to": "-the form of a file"},
}

// shared are those that are told by what became of them: the inputs, the blocks, the
// comparisons; of canvas every other option is in the definitions of the result.
var shared = strings.Fields("window episodes-kind layout pixel-range preprocess resize interpolation input-scale mean std input layer pool activation final-activation heads state samples seed bootstrap block family")

// An option that changes numbers changes the text.
func TestMethodsTellOptions(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	for _, e := range All() {
		if e.Methods == nil {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			file := methodsFixture(t, e.Name)
			before := methodsOf(t, e.Name, file).Markdown()
			var result struct{ Options map[string]json.RawMessage }
			if err := json.Unmarshal(file, &result); err != nil {
				t.Fatal(err)
			}
			for name := range result.Options {
				other, ok := otherwise[e.Name][name]
				switch {
				case strings.HasPrefix(other, "-"):
					continue
				case !ok && name == "skip-nan":
					other = "true"
				case !ok && (slices.Contains(shared, name) || e.Name == "canvas"):
					continue
				case !ok:
					t.Errorf("no other value for --%s", name)
					continue
				}
				value, with, _ := strings.Cut(other, ";")
				changed := map[string]string{name: value}
				base := before
				if key, with, ok := strings.Cut(with, "="); ok {
					base = methodsOf(t, e.Name, withOptions(t, file, map[string]string{key: with})).Markdown()
					changed[key] = with
				}
				if after := methodsOf(t, e.Name, withOptions(t, file, changed)).Markdown(); after == base {
					t.Errorf("--%s %s changes nothing of\n%s", name, value, base)
				}
			}
			for name := range otherwise[e.Name] {
				if _, ok := result.Options[name]; !ok {
					t.Errorf("there is no option %s", name)
				}
			}
		})
	}
}

// withOptions is a result file with other values of options.
func withOptions(t *testing.T, file []byte, values map[string]string) []byte {
	t.Helper()
	for name, value := range values {
		pattern := regexp.MustCompile(`(?s)("options": \{.*?"` + regexp.QuoteMeta(name) + `": )(\[[^\]]*\]|"[^"]*"|[^,\n]*)`)
		if !pattern.Match(file) {
			t.Fatalf("there is no option %s", name)
		}
		file = pattern.ReplaceAll(file, []byte("${1}"+strings.ReplaceAll(value, "$", "$$")))
	}
	return file
}

// What became of the shared options changes the text: the inputs and the blocks.
func TestMethodsTellInputs(t *testing.T) {
	t.Parallel()
	file := methodsFixture(t, "manifold")
	before := methodsOf(t, "manifold", file).Markdown()
	for from, to := range map[string]string{
		`"pool": "last"`:          `"pool": "mean"`,
		`"input_scale": "raw"`:    `"input_scale": "unit", "mean": [0.5], "std": [0.25], "resize": [32, 32], "interpolation": "nearest", "window": 4, "layers": ["conv1"], "inputs": ["input h0=0"]`,
		`"states": 1960`:          `"states": 1957, "window": 4, "skipped": 3`,
		`"episodes": 16`:          `"episodes": 1`,
		`"samples": 300,`:         `"samples": 200,`,
		`"blocks": "16`:           `"blocks": "17`,
		`"block": "auto"`:         `"block": "episode"`,
		`"seed": 42`:              `"seed": 43`,
		`"device": "cpu"`:         `"device": "cuda:0 H100"`,
		`"definition": 2`:         `"definition": 3`,
		`"version": "devel"`:      `"version": "v9"`,
		`"family": "rankme"`:      `"family": "run"`,
		`"layout": "auto"`:        `"layout": "HW"`,
		`"episodes-kind": "auto"`: `"episodes-kind": "ends"`,
	} {
		changed := bytes.ReplaceAll(file, []byte(from), []byte(to))
		if from == `"family": "rankme"` {
			changed = regexp.MustCompile(`"family": "[a-z_]+",\n   "difference`).ReplaceAll(file, []byte("\"family\": \"run\",\n   \"difference"))
		}
		if bytes.Equal(changed, file) {
			t.Errorf("there is no %s", from)
		} else if methodsOf(t, "manifold", changed).Markdown() == before {
			t.Errorf("%s in the place of %s changes nothing of\n%s", to, from, before)
		}
	}
	moving := bytes.ReplaceAll(file, []byte(`"blocks": "16 blocks (16 episodes)"`), []byte(`"blocks": "7 blocks (moving blocks of 18)"`))
	if text := methodsOf(t, "manifold", moving).Markdown(); !strings.Contains(text, "Politis & White 2004") || !strings.Contains(text, "moving blocks of 18") {
		t.Errorf("moving blocks:\n%s", text)
	}
	none := regexp.MustCompile(`(?s)"comparisons": \[.*\]`).ReplaceAll(file, []byte(`"comparisons": [], "warnings": []`))
	none = bytes.ReplaceAll(none, []byte(` "blocks": "16 blocks (16 episodes)",`), nil)
	if text := methodsOf(t, "manifold", none).Markdown(); strings.Contains(text, "ntervals") || strings.Contains(text, "Holm") {
		t.Errorf("intervals that are off are told:\n%s", text)
	}
}

// Every work of the bibliography is cited by some room, and none that is not there.
func TestBibliographyIsCited(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"../analysis/*/command/methods.go", "../analysis/internal/output/methods.go", "../tool/*/methods.go",
		"../measure/similarity/measures.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	var cited []string
	for _, path := range files {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?:@|Cite: ")([a-z]+[0-9]{4})`).FindAllStringSubmatch(string(source), -1) {
			if _, ok := methods.Lookup(found[1]); !ok {
				t.Errorf("%s cites %s, which is not in the bibliography", path, found[1])
			}
			cited = append(cited, found[1])
		}
	}
	for _, r := range methods.Bibliography() {
		if !slices.Contains(cited, r.Key) {
			t.Errorf("nothing cites %s", r.Key)
		}
	}
}

// A file that is no result of the suite is refused by its name.
func TestMethodsRefuse(t *testing.T) {
	t.Parallel()
	file := methodsFixture(t, "encode")
	for want, content := range map[string][]byte{
		"x.json: not a result file": []byte("{}"),
		`its analysis "other"`:      bytes.ReplaceAll(file, []byte(`"analysis": "encode"`), []byte(`"analysis": "other"`)),
		`no option "dtype"`:         bytes.ReplaceAll(file, []byte(`"dtype": "float32",`), []byte(`"type": "float32",`)),
	} {
		if _, err := Methods("x.json", content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
