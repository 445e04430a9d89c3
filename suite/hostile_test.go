// Tests that texts of files do nothing but appear: on a terminal, in a spreadsheet, on a page, in a document.

package suite

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/escape"
	"repscope/internal/run"
	"repscope/internal/runtest"
)

// hostileText colors a terminal, names its window, goes back to the begin of the line, turns letters round, begins
// like a formula, and ends whatever quotes, tags, cells and commands it stands in.
const hostileText = "@x\x1b[31m\x1b]0;t\x07\r\u202egnp\u2066\u200b\u0085'\"<script>alert(1)</script>`$(x)|\\n{};%&_#~^"

// hostileName is what of it a model's name may hold.
const hostileName = "@x\u202egnp\u2066\u200b'\"<script>alert(1)</script>`$(x)|\\n{};%&_#~^"

// hostileFiles writes files with such texts.
func hostileFiles(t *testing.T, dir string) {
	t.Helper()
	apartFiles(t, dir)
	quoted, err := json.Marshal(hostileText)
	if err != nil {
		t.Fatal(err)
	}
	cell := `"` + strings.ReplaceAll(strings.ReplaceAll(hostileText, `"`, `""`), "\r", "") + `"`
	put := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := dataset.WriteNPZ(filepath.Join(dir, "h.npz"), dataset.Field{Name: hostileText, Shape: []int{30, 2}, Data: make([]float32, 60)},
		dataset.Field{Name: "b" + hostileText, Shape: []int{30, 2}, Data: make([]float32, 60)}); err != nil {
		t.Fatal(err)
	}
	header := []byte(`{` + string(quoted) + `:{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}`)
	put("h.safetensors", append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, 16)...))
	onnx, err := os.ReadFile("../latent/testdata/mlp_opset17.onnx")
	if err != nil {
		t.Fatal(err)
	}
	put("h.onnx", bytes.ReplaceAll(onnx, []byte("Gemm"), []byte("G\x1b[m")))
	var rows strings.Builder
	for i := range 30 {
		fmt.Fprintf(&rows, "%d,%d\n", i%3, i*i%7)
	}
	put("h.csv", []byte(cell+",b"+cell[1 : len(cell)-1][:2]+"\n"+rows.String()))
	put("bad.csv", []byte("a\n"+cell+"\n1\n"))
	put("losses.csv", []byte("step,"+cell+"\n1,2\n2,1\n"))
	put("seq.csv", []byte("id,VH,VL\n"+cell+",EVQLVESGGGLV,DIQMTQSPSS\nb"+cell+",QVQL,EIVL\n"+"c,EV1QL"+cell[1:3]+",EIVL\n"))
	put("g.json", []byte(`{"data": [{"grade": `+string(quoted)+`, "moves": [{"description": `+string(quoted)+`}]}]}`))
	put("d.json", []byte(strings.ReplaceAll(`{"name": H, "type": H, "characters": H, "absoluteBoundingBox": {"x": 0, "y": 0, "width": 100, "height": 80}, "children": [
		{"type": "TEXT", "name": H, "characters": H, "absoluteBoundingBox": {"x": 1, "y": 2, "width": 30, "height": 40}}]}`, "H", string(quoted))))
	put("h.yaml", []byte(string(quoted)+": 1\n"))
	put("set.yaml", []byte("datasets: {"+string(quoted)+": {frames: f.npy}}\n"))
	put("key.yaml", []byte("datasets: {d: {"+string(quoted)+": 1}}\n"))
	text, err := os.ReadFile(filepath.Join(dir, "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	inside := string(quoted[1 : len(quoted)-1])
	foreign := strings.NewReplacer(`"random"`, string(quoted), `"robustness"`, `"h`+inside+`"`, `"mean"`, `"m`+inside+`"`, `"warnings": [`, `"warnings": [`+string(quoted)+`, `, "r_samples.csv", "none.csv").Replace(string(text))
	foreign = strings.Replace(foreign, ", ]", "]", 1)
	put("foreign.json", []byte(foreign))
	put("metrics.json", []byte(`{"metrics": {`+string(quoted)+`: 1.5, "b`+inside+`_std": 2}, "evaluation_config": {"name": `+string(quoted)+`}}`))
	if err := os.MkdirAll(filepath.Join(dir, "pages"), 0o777); err != nil {
		t.Fatal(err)
	}
	put("pages/foreign.json", []byte(foreign))
	put("broken.json", []byte(`{"schema": "repscope/1", "analysis": `+string(quoted)+`, "models": `+string(quoted)+`}`))
	put("x\x1b[31m.npy", []byte("no array"))
}

// Every text of a file that some binary prints or writes is shown and not obeyed.
func TestHostileTexts(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	dir := t.TempDir()
	hostileFiles(t, dir)
	name := strings.ReplaceAll(hostileName, " ", "")
	for i, line := range []string{
		"smoothness --latents a={}/h.npz", "smoothness --latents a={}/h.npz:none", "smoothness --latents " + name + "={}/h.npz:none", "manifold --frames {}/f.npy --model a={}/h.safetensors",
		"manifold --frames {}/f.npy --latents " + name + "={}/p.npy --baseline random:4 --cache off --bootstrap 0 --methods --format svg", "manifold --frames {}/f.npy --model a={}/h.onnx",
		"encode --model a={}/h.onnx --layers list", "encode --frames {}/f.npy --model a={}/h.onnx --dry-run", "manifold --frames {}/x\x1b[31m.npy --baseline pca", "manifold --frames {}/none\x1b[31m.npy --baseline pca",
		"reward --frames {}/f.npy --baseline random:4 --cache off --bootstrap 0 --probes ridge --targets a={}/h.csv --format svg", "reward --frames {}/f.npy --baseline random:4 --cache off --targets a={}/bad.csv",
		"compare {}/foreign.json --methods --format svg --allow-different", "compare {}/foreign.json {}/metrics.json --format svg --allow-different --metrics * --higher *", "compare {}/metrics.json --format svg", "compare {}/broken.json",
		"validate {}/losses.csv --outcome x\x1b[31m", "compare --losses a={}/losses.csv", "compare --losses a={}/losses.csv --loss-columns x", "compare {}/r.json --metrics no\x1b[31m",
		"sequence --sequences {}/seq.csv --columns heavy=VH,light=VL --mask-plan {}/out/plan.npz", "sequence --sequences {}/seq.csv",
		"generation --generated a={}/g.json --real {}/p.json", "generation --generated a={}/p.json --real {}/g.json --bootstrap 0",
		"canvas --reference-json {}/d.json --generated-json {}/d.json --metrics block_match,text --bootstrap 0 --reports --format svg",
		"manifold --config {}/h.yaml", "evaluate {}/set.yaml", "evaluate {}/key.yaml", "evaluate --init {}/h.npz {}/x\x1b[31m.npy", "evaluate report {}/pages", "manifold --\x1b[31m", "scale merge {}/x\x1b[31m.npy",
	} {
		command, rest, _ := strings.Cut(line, " ")
		e, _ := Find(command)
		out := filepath.Join(dir, fmt.Sprint("out", i))
		args := strings.Split(strings.ReplaceAll(rest, "{}", dir), " ")
		if !slices.Contains(args, "merge") {
			args = append(args, "--out", out)
		}
		for _, more := range [][]string{nil, {"--json"}} {
			var stdout, stderr bytes.Buffer
			code := run.Run(t.Context(), e.Command, append(slices.Clone(args), more...), &stdout, &stderr)
			for stream, text := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
				if bad := hidden(text); bad != "" {
					t.Errorf("%s %v, exit %d: %s has %s", line, more, code, stream, bad)
				}
			}
			if code == 0 && stdout.Len() == 0 && more != nil && !strings.Contains(line, "init") && !strings.Contains(line, "list") && !strings.Contains(line, "report") && !strings.Contains(line, "mask-plan") {
				t.Errorf("%s: no output", line)
			}
		}
		written(t, line, out)
	}
}

// hidden is what of a text would be obeyed; empty for none.
func hidden(text string) string {
	for i, r := range text {
		if r != '\n' && r != '\t' && escape.Hidden(r) {
			return fmt.Sprintf("%q in %q", r, text[max(0, i-30):min(len(text), i+30)])
		}
	}
	return ""
}

// written holds the files of a run to the same.
func written(t *testing.T, line, out string) {
	t.Helper()
	if _, err := os.Stat(out); err != nil {
		return
	}
	for name, content := range contents(t, out) {
		switch filepath.Ext(name) {
		case ".json", ".md", ".tex", ".bib", ".html", ".svg", ".sha256":
			if bad := hidden(content); bad != "" {
				t.Errorf("%s: %s has %s", line, name, bad)
			}
			if filepath.Ext(name) != ".json" && filepath.Ext(name) != ".tex" && strings.Contains(strings.ReplaceAll(content, `\<`, ""), "<script>alert") {
				t.Errorf("%s: %s has a script", line, name)
			}
		case ".csv":
			rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
			if err != nil {
				t.Errorf("%s: %s: %v", line, name, err)
			}
			for _, row := range rows {
				for _, c := range row {
					if _, err := strconv.ParseFloat(c, 64); err != nil && len(c) > 1 && strings.ContainsRune("=+-@\t\r", rune(c[0])) {
						t.Errorf("%s: %s has the cell %q", line, name, c)
					}
				}
			}
		}
		if strings.HasPrefix(filepath.Base(name), ".") && !strings.HasPrefix(filepath.Base(name), ".evaluate") {
			t.Errorf("%s: a hidden file %s", line, name)
		}
	}
}

// Columns of tables that are compared by position have the same names in the same order, or they are refused; tables of
// numbers are states, too.
func TestColumnsInAnotherOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	table := func(names string, order ...int) []byte {
		var rows strings.Builder
		rows.WriteString(names + "\n")
		for i := range 40 {
			values := []int{i * i % 17, 50 + i*7%13, 100 + i*5%11}
			fmt.Fprintf(&rows, "%d,%d,%d\n", values[order[0]], values[order[1]], values[order[2]])
		}
		return []byte(rows.String())
	}
	for name, content := range map[string][]byte{"z.csv": table("a,b,c", 0, 1, 2), "p.csv": table("a,b,c", 0, 1, 2), "r.csv": table("c,a,b", 2, 0, 1), "d.csv": table("a,b,d", 0, 1, 2),
		"x.csv": table("x,y,z", 0, 1, 2), "y.csv": []byte("y\n" + strings.Repeat("1.5\n2.5\n", 20))} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"audit --train {}/z.csv:* --test {}/FILE --permutations 0", "reward --latents a={}/z.csv:* --predicted a={}/FILE --targets y={}/y.csv --probes ridge --folds 2",
		"surprise --frames {}/z.csv:* --latents a={}/z.csv:* --predicted a={}/FILE --violations skip --sizes 1 --draws 1 --predict-by copy_last",
		"surprise --frames {}/z.csv:* --latents a={}/z.csv:* --predicted-frames b={}/FILE --violations skip --sizes 1 --draws 1 --predict-by copy_last",
	} {
		for file, refused := range map[string]bool{"p.csv:*": false, "r.csv:*": true, "r.csv:a,b,c": false, "d.csv:*": true, "x.csv:*": false} {
			name, rest, _ := strings.Cut(strings.ReplaceAll(strings.ReplaceAll(line, "FILE", file), "{}", dir), " ")
			e, _ := Find(name)
			var stderr bytes.Buffer
			code := run.Run(t.Context(), e.Command, append(strings.Fields(rest), "--quiet", "--bootstrap", "0", "--format", "none", "--out", filepath.Join(dir, "out")), &bytes.Buffer{}, &stderr)
			if said := strings.Contains(stderr.String(), "name the same columns of both"); said != refused || (code != 0) != refused {
				t.Errorf("%s of %s: exit %d: %s", file, line, code, stderr.String())
			}
		}
	}
}
