// Tables of scores, long and wide, and those that are refused.

package compare

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scoresOf are the numbers of files by task, model, run and metric; NaN where one is undefined.
func scoresOf(files []*File) map[string]float64 {
	out := map[string]float64{}
	for _, f := range files {
		for _, m := range f.Models {
			for _, n := range m.Numbers {
				out[strings.Join([]string{f.Task, m.Name, m.Run, n.Path}, "|")] = n.Value.Float()
			}
		}
	}
	return out
}

func sameScores(a, b map[string]float64) bool {
	return maps.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// What is understood of tables, written by hand.
func TestScoreTables(t *testing.T) {
	t.Parallel()
	seeds := map[string]float64{"pong|A|1|score": 1, "pong|A|2|score": 2, "pong|B|1|score": 3, "go|B|7|score": 4}
	nan := math.NaN()
	for _, c := range []struct {
		name, text string
		given      Tables
		want       map[string]float64
	}{
		{"l.csv", "model,task,run,score\nA,pong,1,1\nA,pong,2,2\nB,pong,1,3\nB,go,7,4\n", Tables{}, seeds},
		{"l.csv", "Score;Seed;Env;Algorithm\n1,0;1;pong;A\n2;2;pong;A\n3;1;pong;B\n4e0;7;go;B", Tables{}, seeds},
		{"l.tsv", "\ufeff\trun\tvalue\ttask\tmodel\n0\t1\t1\tpong\tA\n1\t2\t2\tpong\tA\n2\t1\t3\tpong\tB\n3\t7\t4\tgo\tB\n", Tables{},
			map[string]float64{"pong|A|1|value": 1, "pong|A|2|value": 2, "pong|B|1|value": 3, "go|B|7|value": 4}},
		{"l.txt", "model|lr|s|metric|score|note\nA|x|1|mse|1|one\nA|x|1|mae|2|\n", Tables{Columns: []string{"run=s", "skip=note", "task=lr"}},
			map[string]float64{"x|A|1|mse": 1, "x|A|1|mae": 2}},
		// Tasks of two columns are joined in the order of the flag; @ is a part of a name beside runs.
		{"l.csv", "env,level,model,run,score\npong,easy,A@3,1,1\n", Tables{Columns: []string{"task=level", "task=env"}},
			map[string]float64{"easy/pong|A@3|1|score": 1}},
		// Rows of one model are runs, also where two have one score and something else tells them apart.
		{"l.csv", "model,score\nA,1\nA,2\nB,5\n", Tables{}, map[string]float64{"|A|1|score": 1, "|A|2|score": 2, "|B||score": 5}},
		{"l.csv", "model,score,date\nA,1,mon\nA,1,tue\n", Tables{Columns: []string{"skip=date"}}, map[string]float64{"|A|1|score": 1, "|A|2|score": 1}},
		// Wide ones: metrics, also under names with dots; what was not measured, and what is no number.
		{"w.csv", "model,val.acc,custom\nA,0.5,\nB,nan,3\n", Tables{}, map[string]float64{"|A||val.acc": 0.5, "|B||val.acc": nan, "|B||custom": 3}},
		{"w.csv", "model,run,acc\nA,1,\nA,2,1e999\nA,3,NA\nA,4,4\n", Tables{}, map[string]float64{"|A|1|acc": nan, "|A|2|acc": nan, "|A|3|acc": nan, "|A|4|acc": 4}},
		{"runs/one.csv.gz", "task,acc,f1\nx,1,2\n", Tables{Wide: WideMetrics}, map[string]float64{"x|one||acc": 1, "x|one||f1": 2}},
		{"one.csv", "task,run,score\nx,1,2\n", Tables{}, map[string]float64{"x|one|1|score": 2}},
		// Models.
		{"w.csv", "task,run,A,B\nx,1,1,2\nx,2,3,4\n", Tables{}, map[string]float64{"x|A|1|score": 1, "x|A|2|score": 3, "x|B|1|score": 2, "x|B|2|score": 4}},
		{"w.csv", "metric,A,B\nmse,1,2\nmae,3,\n", Tables{}, map[string]float64{"|A||mse": 1, "|B||mse": 2, "|A||mae": 3}},
		{"w.csv", "task,acc,f1\nx,1,2\n", Tables{Wide: WideModels}, map[string]float64{"x|acc||score": 1, "x|f1||score": 2}},
		// Columns that number the rows, from 0 or 1.
		{"w.csv", "Unnamed: 0,model,acc,id\n0,A,0.5,1\n1,B,0.25,2\n", Tables{}, map[string]float64{"|A||acc": 0.5,
			"|B||acc": 0.25}},
		{"w.csv", "index,task,A,B\n0,x,1,2\n1,y,3,4\n", Tables{}, map[string]float64{"x|A||score": 1, "y|A||score": 3,
			"x|B||score": 2, "y|B||score": 4}},
		{"l.csv", "id,model,score\nx,A,1\ny,A,2\n", Tables{Columns: []string{"task=id"}},
			map[string]float64{"x|A||score": 1, "y|A||score": 2}},
		// A table that asks for roles is no file of samples.
		{"w.csv", "model,sample,score\nA,a,1\nA,b,2\n", Tables{Columns: []string{"task=sample"}}, map[string]float64{"a|A||score": 1, "b|A||score": 2}},
	} {
		if err := c.given.check(); err != nil {
			t.Errorf("%v: %v", c.given, err)
		}
		files, err := readFrom(c.name, []byte(c.text), &c.given)
		if err != nil {
			t.Errorf("%s\n%s: %v", c.name, c.text, err)
			continue
		}
		(&Gathered{Files: files}).settle()
		if got := scoresOf(files); !sameScores(got, c.want) {
			t.Errorf("%s\n%sgot %v, want %v", c.name, c.text, got, c.want)
		}
	}
}

// Tables that could be read in two ways, or in none, with the words of the message.
func TestBadScoreTables(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		given Tables
		want  string
	}{
		{"name,seed,score\nA,1,3\n", Tables{}, "x.csv: there is no column model, and the columns of numbers may be models or metrics; the columns are name, seed, score"},
		{"task,acc,f1\nx,1,2\n", Tables{}, "may be models or metrics"},
		{"A,B\n1,2\n", Tables{}, "may be models or metrics"},
		{"task,A\nx,1\n", Tables{}, "may be models or metrics"},
		{"model,metric,result\nA,mse,1\n", Tables{}, "there is a column of metrics and none of scores; the columns are model, metric, result"},
		{"model,metric,score,n\nA,mse,1,5\n", Tables{}, "the column n too"},
		{"model,run\nA,1\n", Tables{}, "there is no column of scores"},
		{"model,task,score\nA,x,high\n", Tables{}, `x.csv:2: the column score holds "high", want a number`},
		{"model,score\nA,1\nB,2\nA,1\n", Tables{}, "x.csv:4: the row repeats line 2"},
		{"model,run,score\nA,1,1\nA,1,2\n", Tables{}, "x.csv:3: score of A in run 1 is in line 2 already"},
		{"model,k,score\nA,1,1\nA,2,2\n", Tables{}, "x.csv:3: A has a second row, and no column names the run"},
		{"model,score\n,1\n", Tables{}, "x.csv:2: the cell of the column model is empty"},
		{"model,score\nA,\n", Tables{}, "every cell of a score is empty"},
		{"model,score\nA,1,2\n", Tables{}, "x.csv: line 2 does not have the same number of cells as the first line"},
		{"model,score\n", Tables{}, "there are no rows"},
		{"model,model,score\nA,A,1\n", Tables{}, `two columns are named "model"`},
		{"model,run,seed,score\nA,1,1,1\n", Tables{}, "the columns run and seed both contain run"},
		{",score,model\nx,1,A\n", Tables{}, "the first column has no name and does not number the rows"},
		{"id,model,acc\n0,A,1\n0,B,2\n", Tables{}, `x.csv:3: the column id is no metric and does not number the rows: it holds "0"`},
		{"model,acc\nA,1\n", Tables{Wide: WideModels}, "--wide models: the column model names the models already"},
		{"metric,A,B\nmse,1,2\n", Tables{Wide: WideMetrics}, "--wide metrics: the column metric names the metrics already"},
		{"model,acc\nA,1\n", Tables{Columns: []string{"task=env"}}, `--columns task=env: there is no column "env"; the columns are model, acc`},
		{"model,acc\nA,1\n", Tables{Columns: []string{"task=acc", "run=acc"}}, "has two roles"},
		{"model,score\n" + strings.Repeat("A,1\n", 2), Tables{}, "the row repeats line 2"},
		{"", Tables{}, "the file is empty"},
	} {
		files, err := readFrom("x.csv", []byte(c.text), &c.given)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "x.csv") {
			t.Errorf("%s%+v: %v, %v, want %q", c.text, c.given, scoresOf(files), err, c.want)
		}
	}
	// Samples are no runs.
	var text bytes.Buffer
	text.WriteString("model,score\n")
	for i := range most + 1 {
		fmt.Fprintf(&text, "A,%d\n", i)
	}
	if _, err := ReadFrom("x.csv", text.Bytes()); err == nil || !strings.Contains(err.Error(), "more than 16384 rows") {
		t.Errorf("error %v", err)
	}
}

// Differences of runs in a table are those of Welch's t test: scipy's ttest_ind(equal_var=False) of
// [0.7, 0.8, 0.75] and [0.5, 0.52, 0.5]. Runs of one score stay several, and a failed run is said.
func TestRunsOfTables(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.csv.gz")
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte("model,run,score\nB,1,0.5\nB,2,0.52\nB,3,0.5\nA,1,0.7\nA,2,0.8\nA,3,0.75\nC,1,1\nC,2,nan\n"))
	_ = w.Close()
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := Gather(t.Context(), []Spec{{Path: path}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), g, Options{Baseline: "B"})
	if err != nil {
		t.Fatal(err)
	}
	row := r.Table[0]
	a, c := row.Cells[slices.Index(r.Models, "A")], row.Cells[slices.Index(r.Models, "C")]
	if row.Cells[0].Runs != 3 || a.Runs != 3 || math.Abs(a.P.V-0.01066637283455806) > 1e-12 || math.Abs(a.DifferenceCI.Low-0.12691039172651647) > 1e-9 ||
		math.Abs(a.DifferenceCI.High-0.3597562749401501) > 1e-9 || a.From != FromRuns {
		t.Errorf("%+v, %+v", a, row.Cells[0])
	}
	if c.Value.Defined() || c.Value.Reason != "run 2: line 9 has nan" {
		t.Errorf("%+v", c)
	}
	// A run that is given beside those of the table, and a task beside its tasks.
	if _, err := Gather(t.Context(), []Spec{{Path: path, Run: "1"}}, 1); err == nil || !strings.Contains(err.Error(), "has runs itself") {
		t.Errorf("error %v", err)
	}
	// A table without any number.
	files, err := ReadFrom("n.csv", []byte("model,run,score\nA,1,nan\nB,1,inf\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(t.Context(), &Gathered{Files: files}, Options{}); err == nil || err.Error() != "no model has a number to compare: score of A: line 2 has nan" {
		t.Errorf("error %v", err)
	}
}

// Missing scores are counted, with examples.
func TestLacks(t *testing.T) {
	t.Parallel()
	const rest = ": aggregates over tasks leave out what not all models have; add the missing scores"
	for _, c := range []struct {
		text string
		want []string
	}{
		{"model,task,score\nA,x,1\nB,x,2\nA,y,3\nB,y,4\n", nil},
		{"model,task,score\nA,x,1\nB,x,2\nA,y,3\n", []string{"t.csv: 1 of 4 combinations of model, task and metric have no row (score of B in task y)" + rest}},
		{"task,A,B,C\nx,1,,3\ny,4,nan,NA\nz,1,2,3\n",
			[]string{"t.csv: 3 of 9 scores without a number (line 2, 3, …): a model has no mean where one run " +
				"has none; fill them in, or leave out the rows"}},
		{"model,metric,score\nA,mse,1\nB,mse,2\nC,mae,3\nD,mae,4\n", []string{
			"t.csv: 4 of 8 combinations of model, task and metric have no row (mse of C, mse of D, mae of A, …)" + rest}},
	} {
		files, err := ReadFrom("t.csv", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := files[0].lacks; !slices.Equal(got, c.want) {
			t.Errorf("%s%q, want %q", c.text, got, c.want)
		}
	}
}

// Models and tasks whose names differ in case alone are compared as they are, with a warning.
func TestNamesByCase(t *testing.T) {
	t.Parallel()
	files, err := ReadFrom("t.csv", []byte("model,task,acc\nResNet,x,0.5\nresnet,x,0.25\nResNet,X,0.5\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(t.Context(), &Gathered{Files: files}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(r.Warnings, "\n"); len(r.Models) != 2 || !strings.Contains(all,
		"the models ResNet and resnet differ in case alone") ||
		!strings.Contains(all, "the tasks x and X differ in case alone") {
		t.Errorf("models %v, warnings %s", r.Models, all)
	}
}

// Exports of trackers become tables: a chart, a history, runs of MLflow whose models and runs are parameters. So do rows
// that pandas writes as JSON, and truth values are scores.
func TestTrackers(t *testing.T) {
	t.Parallel()
	search, err := os.ReadFile("tracker/testdata/runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(search), "\n")
	search = []byte(strings.Join(slices.Delete(lines, 1, 2), "\n")) // without the run that has no parameters
	for _, c := range []struct {
		name  string
		text  []byte
		given Tables
		want  map[string]float64
	}{
		{"chart.csv", []byte("Step,A - acc,A - acc__MIN,A - acc__MAX\n0,0.5,0.5,0.5\n1,0.75,0.75,0.75\n"), Tables{},
			map[string]float64{"|A||acc": 0.75}},
		{"run-7.jsonl", []byte("{\"_step\":0,\"acc\":0.5}\n{\"_step\":1,\"acc\":0.25}\n"), Tables{},
			map[string]float64{"|run-7||acc": 0.25}},
		{"runs.csv", search, Tables{Columns: []string{"model=params.model", "run=params.seed", "skip=metrics.loss"}},
			map[string]float64{
				"|small|1|val/acc": 0.71, "|small|2|val/acc": 0.72, "|small|3|val/acc": 0.73,
				"|large|1|val/acc": 0.8099999999999999, "|large|2|val/acc": 0.82, "|large|3|val/acc": 0.83}},
		{"rows.jsonl", []byte("{\"model\":\"A\",\"acc\":true}\n{\"acc\":0.25,\"model\":\"B, C\"}\n"), Tables{},
			map[string]float64{"|A||acc": 1, "|B, C||acc": 0.25}},
		{"rows.json", []byte(`[{"model":"A","seed":1,"acc":0.5},{"model":"A","seed":2,"acc":0.25}]`), Tables{},
			map[string]float64{"|A|1|acc": 0.5, "|A|2|acc": 0.25}},
		{"truths.csv", []byte("model,seed,success\nA,1,True\nA,2,False\n"), Tables{},
			map[string]float64{"|A|1|success": 1, "|A|2|success": 0}},
		{"runs.csv", search, Tables{Columns: []string{"skip=metrics.loss"}}, map[string]float64{
			"|small-1||val/acc": 0.71, "|small-2||val/acc": 0.72, "|small-3||val/acc": 0.73,
			"|large-1||val/acc": 0.8099999999999999, "|large-2||val/acc": 0.82, "|large-3||val/acc": 0.83}},
	} {
		files, err := readFrom(c.name, c.text, &c.given)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := scoresOf(files); !sameScores(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// The runs of a project of Weights & Biases: names are models, or columns of the configuration are models and runs.
func TestProject(t *testing.T) {
	t.Parallel()
	const text = `"Name","State","Created","Runtime","Sweep","lr","model_type","seed","best_loss","eval/acc"
"a","finished","2025","1","","0.1","unet","1","0.25","0.75"
"a","finished","2025","1","","0.1","unet","2","0.5","NaN"
"b","crashed","2025","1","","0.1","swin","1","0.125","0.5"
`
	for columns, want := range map[string]map[string]float64{
		"": {"|a|1|best_loss": 0.25, "|a|2|best_loss": 0.5, "|b||best_loss": 0.125, "|a|1|eval/acc": 0.75, "|a|2|eval/acc": math.NaN(),
			"|b||eval/acc": 0.5},
		"model=model_type,run=seed,skip=eval/acc": {"|unet|1|best_loss": 0.25, "|unet|2|best_loss": 0.5, "|swin|1|best_loss": 0.125},
	} {
		var tables Tables
		if columns != "" {
			tables.Columns = strings.Split(columns, ",")
		}
		files, err := readFrom("runs.csv", []byte(text), &tables)
		if got := scoresOf(files); err != nil || !sameScores(got, want) {
			t.Errorf("%s: %v, %v, want %v", columns, got, err, want)
			continue
		}
		if lacks := strings.Join(files[0].lacks, " "); !strings.Contains(lacks, "1 of 3 runs are not finished") {
			t.Errorf("warnings %q", lacks)
		}
		if notes := strings.Join(files[0].notes, " "); !strings.Contains(notes, "its configuration is no score: lr") {
			t.Errorf("notes %q", notes)
		}
	}
}
