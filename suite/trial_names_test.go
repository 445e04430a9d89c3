// The trial by hostile names, of models, files, folders, arrays, columns, datasets and results of other programs.

//go:build unix

package suite

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"repscope/dataset"
	"repscope/internal/runtest"
)

// nameParts make names that do something where they are taken for more than text: on a terminal, in a shell, a
// spreadsheet, LaTeX, HTML, Markdown, YAML, JSON, a pattern, a path, a format string, a regular expression.
var nameParts = []string{
	"\x1b[31m", "\x1b]0;title\x07", "\r", "\n", "\t", "\b\b\b", "\x00", "\x7f", "\u0085", "\u009b31m", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\U000e0041", "\xff", "\xc3(", "\xed\xa0\x80",
	"'", "\"", "`", "$(touch PWNED)", "`touch PWNED`", "; touch PWNED ;", "' ; touch PWNED ; '", "\" ; touch PWNED ; \"", "\ntouch PWNED\n", "| touch PWNED", "&& touch PWNED #", "${HOME}", "$HOME", "~", "!!", "\\", "\\\n",
	"=1+1", "+1", "-1", "@SUM(A1)", "\t=1+1", "=cmd|' /C calc'!A0", "--out=/x", "-", "--", "-rf", ",", ";", ":", "a=b", "a=b=c", "=", "x:y", "@1", "a@b",
	"../x", "..", ".", "/", "a/b", "a\\b", ".hidden", "//", "CON", "nul.txt", "x.", "x ", " x", "*", "?", "[a-z]", "{a,b}", "[", "{model}", "{name}", "%s%n%d", "%!", "a b", "(", ")", "^$", ".*",
	"<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&amp;", "&#x3c;", "]]>", "<!--", "-->", "\" onmouseover=\"alert(1)", "{{.}}", "</style>", "javascript:alert(1)",
	"\\input{/etc/passwd}", "\\write18{touch PWNED}", "$x$", "a_b^c", "50%", "a&b", "#1", "\\\\", "{}", "~x", "[x](y)", "|x|", "# x", "- x", "> x", "1. x", "***", "&anchor", "*alias", "!!python/object:os.system", "? x", "key: value", "null", "true", "~", "---", "...", "yes", "0x1f", "1e3", "NaN", "|", ">", "<<",
	"mean", "models", "random", "example", "pca:2", "top:1", "off", "none", "auto", "é", "e\u0301", "İ", "ß", "日本", "👩‍👩‍👧", "ﬁ",
}

// trialNames are n of them: every part, then long ones, then several parts in one.
func trialNames(random *rand.Rand, n int) []string {
	names := []string{"x\x1b[31m\u202e'\"<script>alert(1)</script>$(touch PWNED)\\{}&_#%^~", strings.Repeat("a", 4096), strings.Repeat("é", 2048), strings.Repeat("../", 1000), strings.Repeat("<", 300)}
	parts := slices.Clone(nameParts)
	random.Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
	names = append(names, parts...)
	for len(names) < n {
		name := ""
		for range 2 + random.IntN(3) {
			name += nameParts[random.IntN(len(nameParts))]
		}
		names = append(names, name)
	}
	return names[:n]
}

// namedFiles writes files in which a name stands; a file of the name itself is there where the system has one.
func namedFiles(t *testing.T, dir, name string) (own bool) {
	t.Helper()
	put := func(file string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, file), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	quoted, _ := json.Marshal(name)
	text := string(quoted)
	cell := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	latents, err := arrayFile(2, 40, 5)()
	if err != nil {
		t.Fatal(err)
	}
	put("z.npy", latents)
	other, err := arrayFile(3, 40, 5)()
	if err != nil {
		t.Fatal(err)
	}
	put("y.npy", other)
	members, err := arrayFile(2, 12, 3, 1, 2, 3)()
	if err != nil {
		t.Fatal(err)
	}
	put("members.npy", members)
	truth, err := arrayFile(3, 12, 1, 2, 3)()
	if err != nil {
		t.Fatal(err)
	}
	put("truth.npy", truth)
	field := func(name string) dataset.Field {
		return dataset.Field{Name: name, Shape: []int{40, 5}, Data: numbers(2, 200)}
	}
	if err := dataset.WriteNPZ(filepath.Join(dir, "n.npz"), field(name), field("plain")); err != nil {
		put("n.npz", nil)
	}
	header := []byte(`{` + text + `:{"dtype":"F32","shape":[40,5],"data_offsets":[0,800]}}`)
	put("n.safetensors", append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, 800)...))
	var rows strings.Builder
	for i := range 40 {
		fmt.Fprintf(&rows, "%d,%d,%s\n", i%3, i*i%7, cell)
	}
	put("n.csv", []byte(cell+",b,c\n"+rows.String()))
	put("losses.csv", []byte("step,"+cell+"\n1,2\n2,1\n"))
	put("seq.csv", []byte("sequence_id,heavy_chain,light_chain\n"+cell+",EVQLVESGGGLV,DIQMTQSPSS\nb"+cell[1:]+",QVQL,EIVL\n"))
	put("seq.fasta", []byte(">"+name+"\nEVQLVESGGGLV\n>b\nQVQLVESG\n"))
	put("p.json", []byte(strings.ReplaceAll(trialProblems(), `"6A"`, text)))
	put("d.json", []byte(strings.NewReplacer(`"Buy now"`, text, `"a"`, text, `"e"`, text).Replace(trialDesign)))
	put("trace.json", []byte(strings.ReplaceAll(trialTrace, `"move"`, text)))
	put("metrics.json", []byte(`{"metrics": {`+text+`: 1.5, "mae": 2}, "evaluation_config": {"name": `+text+`, `+text+`: 1}}`))
	put("rows.json", []byte(`[{"id": `+text+`, "model": "a", "mse": 1}, {"id": `+text+`, "model": `+text+`, "mse": 2}]`))
	put("scores.csv", []byte("model,sample,group,mse\na,"+cell+",0,0.5\n"+cell+","+cell+",0,0.7\na,1,0,0.4\n"+cell+",1,0,0.8\n"))
	study, err := yaml.Marshal(map[string]any{"datasets": map[string]any{strings.ToValidUTF8(name, "?"): map[string]any{"latents": map[string]any{strings.ToValidUTF8(name, "?"): "z.npy", "y": "y.npy"}, "bootstrap": 0, "only": []string{"manifold"}}}})
	if err != nil {
		t.Fatal(err)
	}
	put("study.yaml", study)
	named, err := yaml.Marshal(map[string]any{"models": map[string]any{"a": map[string]any{"label": strings.ToValidUTF8(name, "?"), "group": strings.ToValidUTF8(name, "?")}, strings.ToValidUTF8(name, "?"): "b"},
		"datasets": map[string]any{"d": map[string]any{"latents": map[string]any{"a": "z.npy", "y": "y.npy"}, "bootstrap": 0, "only": []string{"manifold"}, "cache": "off", "format": "svg"}}})
	if err != nil {
		t.Fatal(err)
	}
	put("named.yaml", named)
	runs := []byte("\"Step\"")
	for _, end := range []string{" - loss", " - loss__MIN", " - loss__MAX"} {
		runs = append(append(runs, ','), strings.TrimSuffix(cell, `"`)+end+`"`...)
	}
	put("chart.csv", append(runs, "\n1,0.5,0.5,0.5\n2,0.25,0.25,0.25\n"...))
	put("history.jsonl", []byte(`{"_step": 1, `+text+`: 0.5, "loss": 1}`+"\n"))
	if err := os.MkdirAll(filepath.Join(dir, "mlruns", "0", "a", "metrics"), 0o777); err != nil {
		t.Fatal(err)
	}
	put("mlruns/0/a/meta.yaml", []byte("lifecycle_stage: active\n"))
	put("mlruns/0/a/metrics/loss", []byte("1 0.5 0\n"))
	if err := os.Mkdir(filepath.Join(dir, "mlruns", "0", "a", "tags"), 0o777); err != nil {
		t.Fatal(err)
	}
	put("mlruns/0/a/tags/mlflow.runName", []byte(name))
	put("v.csv", []byte(strings.ReplaceAll(trialViolations(), "jump", cell)))
	errorsOfTransitions, err := arrayFile(4, 120)()
	if err != nil {
		t.Fatal(err)
	}
	put("e.npy", errorsOfTransitions)
	if strings.ContainsAny(name, "/\x00") || name == "." || name == ".." || name == "" {
		return false
	}
	return os.WriteFile(filepath.Join(dir, name+".npy"), latents, 0o600) == nil
}

// namedLines are command lines with a name; {} is the name, and words are apart by a tab.
var namedLines = []string{
	"manifold\t--latents\t{}=z.npy\t--latents\ty=y.npy\t--bootstrap\t0\t--methods\t--format\tsvg",
	"smoothness\t--frames\ty.npy\t--latents\t{}=z.npy\t--bootstrap\t0\t--format\tsvg",
	"geometry\t--latents\ta=n.npz:{}\t--latents\tb=n.npz:plain\t--bootstrap\t0\t--rsa-pairs\t20\t--format\tnone",
	"manifold\t--latents\ta=n.safetensors:{}\t--bootstrap\t0\t--format\tnone", "manifold\t--latents\ta=n.npz\t--format\tnone",
	"reward\t--latents\tz=z.npy\t--targets\tx=n.csv:{}\t--targets\tc=n.csv:c\t--bootstrap\t0\t--probes\tridge\t--folds\t2\t--format\tsvg", "reward\t--latents\tz=z.npy\t--targets\t{}=n.csv:b\t--bootstrap\t0\t--probes\tridge\t--folds\t2\t--predictions-csv\t--format\tsvg",
	"geometry\t--latents\tz=z.npy\t--labels\tn.csv:{}\t--bootstrap\t0\t--rsa-pairs\t20\t--format\tnone",
	"generation\t--generated\t{}=p.json\t--real\tp.json\t--bootstrap\t0\t--metrics\tdiversity,similarity\t--format\tsvg", "generation\t--generated\ta=n.csv\t--real\tn.csv\t--bootstrap\t0\t--metrics\tfidelity\t--format\tnone",
	"forecast\t--target\ttruth.npy\t--forecast\t{}=members.npy\t--variables\t{}\t--bootstrap\t0\t--documented-json\td/x.json\t--format\tsvg",
	"sequence\t--sequences\tseq.csv\t--mask-plan\tplan.npz", "sequence\t--sequences\tseq.fasta\t--mask-plan\tplan.npz",
	"canvas\t--reference-json\td.json\t--generated-json\td.json\t--trace\ttrace.json\t--expected-trace\ttrace.json\t--metrics\tlayout,tree,blocks,tool_calls\t--bootstrap\t0\t--reports\t--format\tsvg",
	"compare\tmetrics.json\t--metrics\t*\t--higher\t*\t--methods\t--table\tt/t.csv,t/t.tex,t/t.md\t--format\tsvg", "compare\tmetrics.json\tmetrics.json\t--names\t{}\tb\t--metrics\tmae\t--allow-different\t--table\tt/t.csv,t/t.tex\t--format\tsvg",
	"compare\t{}=metrics.json\tb=metrics.json\t--metrics\tmae\t--format\tnone", "compare\trows.json\t--metrics\tmse\t--format\tsvg", "compare\tscores.csv\t--metrics\tmse\t--format\tsvg", "compare\t--losses\t{}=losses.csv\t--loss-columns\t{}",
	"evaluate\tstudy.yaml", "encode\t--frames\t{}.npy\t--baseline\tpca:2\t--restart", "encode\t--frames\tz.npy\t--baseline\tpca:2\t--output\t{}.npy", "manifold\t--latents\ta={}.npy\t--bootstrap\t0\t--methods\t--format\tsvg", "manifold\t--latents\ta=z.npy\t--seed\t{}",
	"scale\tslurm\t--shards\t2\t--rates\trates\t--sbatch\t--comment={}\t--\tmanifold\t--latents\t{}=z.npy\t--latents\ta={}.npy",
	"scale\tk8s\t--shards\t2\t--rates\trates\t--image\tx/y:1\t--claim\tdata\t--mount\t/\t--\tmanifold\t--latents\t{}=z.npy\t--latents\ta={}.npy",
	"similarity\t--latents\t{}=z.npy\t--latents\ty=y.npy\t--k\t2\t--permutations\t3\t--bootstrap\t0\t--format\tsvg", "similarity\t--latents\ta=n.npz:{}\t--latents\tb=n.npz:plain\t--k\t2\t--permutations\t3\t--bootstrap\t0\t--format\tnone",
	"audit\t--train\tz.npy\t--test\ty.npy\t--targets\t{}=n.csv:b\t--junit\td/j.xml\t--bootstrap\t0\t--format\tsvg", "audit\t--frames\tz.npy\t--split\tn.csv:{}\t--bootstrap\t0\t--format\tnone", "audit\t--sequences\tseq.csv\t--split\tseq.csv:heavy_chain\t--bootstrap\t0\t--format\tnone",
	"surprise\t--errors\t{}=e.npy\t--violations-of\tv.csv\t--bootstrap\t0\t--format\tsvg", "validate\tn.csv\t--outcome\tb\t--format\tsvg", "validate\tn.csv\t--outcome\t{}\t--format\tnone",
	"compare\tchart.csv\t--metrics\t*\t--format\tsvg", "compare\thistory.jsonl\t--metrics\t*\t--format\tnone", "compare\tmlruns\t--metrics\t*\t--format\tnone", "compare\tscores.csv\t--metrics\tmse\t--fail-if-worse\ta\t--junit\td/j.xml\t--format\tnone",
	"evaluate\tnamed.yaml", "repscope\texport\tout0/manifold.json\t--to\tevery_eval_ever\t--organization\t{}\t--relationship\tother", "repscope\texport\tout0/manifold.json\t--to\thf_eval_results\t--dataset-id\ta/b\t--task-id\tt\t--metrics\tisotropy",
	"repscope\texport\tout0/manifold.json\t--to\tparquet", "repscope\texport\tout0/manifold.json\t--to\tparquet\t--metrics\t{}", "repscope\tshow\tn.npz:{}", "repscope\tshow\t{}",
	"manifold\t--config\t{}", "manifold\t{}", "{}", "evaluate\t{}", "compare\t{}", "repscope\tverify\t{}", "scale\tmerge\t{}", "manifold\t--{}=1",
}

// No name does more than to be shown, or refused. REPSCOPE_TRIAL_NAMES=100 is the long form.
func TestTrialNames(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	n := howMany(t, "REPSCOPE_TRIAL_NAMES", 3)
	only := howMany(t, "REPSCOPE_TRIAL_ONLY", -1)
	root := t.TempDir()
	l := newLedger()
	names := trialNames(rand.New(rand.NewPCG(trialSeed(t), 9)), n)
	trials(len(names), func(i int) {
		if only >= 0 && i != only {
			return
		}
		name := names[i]
		dir := filepath.Join(root, fmt.Sprint("name", i), "work")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Error(err)
			return
		}
		namedFiles(t, dir, name)
		inputs := contents(t, filepath.Dir(dir))
		for k, line := range namedLines {
			args := strings.Split(strings.ReplaceAll(line, "{}", name), "\t")
			if strings.Contains(name, "\t") {
				args = strings.Split(line, "\t")
				for j := range args {
					args[j] = strings.ReplaceAll(args[j], "{}", name)
				}
			}
			if slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "\x00") }) {
				continue // no system has such an argument
			}
			out := filepath.Join(dir, fmt.Sprint("out", k))
			if at := slices.Index(args, "--"); at >= 0 && args[0] == "scale" {
				args = slices.Insert(args, at, "--out", out)
			} else if strings.Count(line, "\t") > 1 || strings.HasPrefix(line, "evaluate") {
				args = append(args, "--out", out)
			}
			run := trialRun{args: args, dir: dir, home: filepath.Join(root, "home")}
			if strings.HasPrefix(line, "{}") {
				run.args = append([]string{"repscope"}, args...)
			}
			o, err := run.do()
			if err != nil {
				continue // the system has no such argument
			}
			what := fmt.Sprintf("%d: %.60q in %.160s", i, name, line)
			l.count(what, o)
			fail := func(kind, detail string) {
				l.fail(t, kind, "%s: exit %d: %s: %.300q", what, o.code, detail, o.stderr)
			}
			if wrong := o.wrong(1 << 20); wrong != "" {
				fail(wrong, "")
			}
			if len(o.stderr) > 4000+6*len(name) {
				fail("a long message", fmt.Sprint(len(o.stderr)))
			}
			for _, fault := range namedFaults(t, dir, out, name) {
				fail(fault[0], fault[1])
			}
		}
		after := contents(t, filepath.Dir(dir))
		for file, content := range inputs {
			if after[file] != content {
				l.fail(t, "an input has changed", "%d: %q: %s", i, name, file)
			}
		}
		for file := range after {
			base := filepath.Base(file)
			first, _, _ := strings.Cut(strings.TrimPrefix(file, "work/"), "/")
			if _, ok := inputs[file]; !ok && (base == "PWNED" || !strings.HasPrefix(file, "work/") || !strings.HasPrefix(first, "out") && !slices.Contains([]string{"plan.npz", "t", "d", "rates"}, first)) && (name != "example" || first != "evaluation_plots") { // --example=1
				l.fail(t, "a file in another place", "%d: %q: %q", i, name, file)
			}
		}
		if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
			t.Error(err)
		}
	})
	l.log(t)
}

// namedFaults are what is wrong with the files of a run that has met a name: a kind and a detail each.
func namedFaults(t *testing.T, dir, out, name string) (faults [][2]string) {
	t.Helper()
	add := func(kind, file, detail string) {
		faults = append(faults, [2]string{kind, fmt.Sprintf("%s: %.200q", file, detail)})
	}
	files := map[string]string{}
	for _, folder := range []string{out, filepath.Join(dir, "t"), filepath.Join(dir, "d")} {
		if _, err := os.Stat(folder); err == nil {
			for file, content := range contents(t, folder) {
				files[filepath.Join(folder, file)] = content
			}
		}
	}
	markup := strings.ContainsAny(name, "<") && strings.Contains(name, ">")
	for path, content := range files {
		base := filepath.Base(path)
		if strings.HasPrefix(base, ".") && !strings.HasPrefix(base, ".evaluate") {
			add("a hidden file", path, "")
		}
		if hidden(base) != "" {
			add("a file name that is not seen", path, hidden(base))
		}
		switch ext := filepath.Ext(path); ext {
		case ".json", ".md", ".tex", ".bib", ".html", ".svg", ".sha256", ".sh", ".yaml", ".xml":
			if bad := hidden(content); bad != "" {
				add("a file has hidden characters", path, bad)
			}
			if ext == ".xml" || ext == ".svg" {
				if err := xml.Unmarshal([]byte(content), new(struct{})); err != nil {
					add("no XML", path, err.Error())
				}
			}
			if markup && (ext == ".html" || ext == ".svg" || ext == ".xml" || ext == ".md") && strings.Contains(strings.ReplaceAll(content, `\<`, ""), name) {
				add("markup is left as it stands", path, name)
			}
			if ext == ".json" && !json.Valid([]byte(content)) {
				add("no JSON", path, content)
			}
			if ext == ".tex" && strings.ContainsAny(name, `\$&#_%^~{}`) && len(name) > 2 && strings.Contains(escapedLaTeX.ReplaceAllString(content, "·"), name) {
				add("LaTeX is left as it stands", path, name)
			}
			if ext == ".yaml" {
				decoder := yaml.NewDecoder(strings.NewReader(content))
				var document any
				if err := decoder.Decode(&document); err != nil {
					add("no YAML", path, err.Error())
				}
			}
			if ext == ".sh" {
				faults = append(faults, scriptFaults(dir, path)...)
			}
		case ".csv":
			rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
			if err != nil {
				add("no CSV", path, err.Error())
			}
			for _, row := range rows {
				for _, cell := range row {
					if computedCell(cell) {
						add("a cell that is computed", path, cell)
					}
				}
			}
		}
	}
	return faults
}

// escapedLaTeX are characters that LaTeX prints.
var escapedLaTeX = regexp.MustCompile(`\\[\\$&#_%{}]`)

// computedCell reports whether a spreadsheet takes a cell for more than text.
func computedCell(cell string) bool {
	if len(cell) < 2 || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return false
	}
	var number float64
	_, err := fmt.Sscan(cell, &number)
	return err != nil || strings.ContainsAny(cell, "|!()")
}

// scriptFaults runs a script where every program that it may call does nothing.
func scriptFaults(dir, path string) (faults [][2]string) {
	tools := filepath.Join(filepath.Dir(dir), "work", "out-tools")
	err := os.MkdirAll(tools, 0o777)
	for _, tool := range []string{"sbatch", "squeue", "scontrol", "kubectl", "scale", "srun", "sleep"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(tools, tool), []byte("#!/bin/sh\necho 1\n"), 0o700))
	}
	touch, looking := exec.LookPath("touch")
	if err = errors.Join(err, looking); err == nil {
		_ = os.Symlink(touch, filepath.Join(tools, "touch"))
	}
	if err != nil {
		return [][2]string{{"no tools", err.Error()}}
	}
	if said, err := exec.Command("/bin/sh", "-n", path).CombinedOutput(); err != nil {
		return [][2]string{{"no script", path + ": " + string(said)}}
	}
	if base := filepath.Base(path); base != "submit.sh" && base != "apply.sh" {
		return nil // what they call is the binary
	}
	c := exec.Command("/usr/bin/timeout", "10", "/bin/sh", path)
	c.Dir, c.Env = dir, []string{"PATH=" + tools, "SLURM_ARRAY_TASK_ID=0"}
	_ = c.Run()
	if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
		_ = os.Remove(filepath.Join(dir, "PWNED"))
		return [][2]string{{"a script runs a name", path}}
	}
	return nil
}
