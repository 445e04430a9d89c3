// Tests of the analysis: what is found in tables whose answer is known.

package validate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/internal/run"
	"repscope/report"
)

// analyzed parses and analyzes a table.
func analyzed(t *testing.T, table string, c Columns) *Result {
	t.Helper()
	in, err := Parse("t.csv", []byte(table), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Analyze(t.Context(), in, Options{Intervals: true, Permutations: 99, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkpoints is a table of runs and steps, with a cell of each column.
func checkpoints(runs, steps int, columns string, cells func(run, step int) []float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run,step,%s\n", columns)
	for r := range runs {
		for s := range steps {
			fmt.Fprintf(&b, "%c,%d", 'a'+r, 10*s)
			for _, v := range cells(r, s) {
				fmt.Fprintf(&b, ",%v", v)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestAnalyze_Regret(t *testing.T) {
	t.Parallel()
	// In run r the outcome rises to step 5 + r and falls; the number has its peak one step early.
	r := analyzed(t, checkpoints(3, 12, "success,score,loss", func(run, step int) []float64 {
		peak := 5 + run
		return []float64{1 - 0.01*float64((step-peak)*(step-peak)), -math.Abs(float64(step - peak + 1)), float64(-step)}
	}), Columns{Outcome: "success", Higher: []string{"score"}, ValidationLoss: "loss"})
	n := r.Numbers[0]
	near(t, "regret", n.Regret.V, 0.01)
	// The last step is 11: 6, 5 and 4 steps from the peaks.
	near(t, "regret of the last", r.reference("last").Regret.V, 0.01*(36+25+16)/3)
	near(t, "over last", n.OverLast.V, 0.01*(36+25+16)/3-0.01)
	near(t, "regret of the least loss", r.reference("validation_loss").Regret.V, r.reference("last").Regret.V)
	near(t, "oracle", r.reference("oracle").Outcome.V, 1)
	mean := 0.0
	for peak := 5; peak < 8; peak++ {
		for step := range 12 {
			mean += (1 - 0.01*float64((step-peak)*(step-peak))) / 36
		}
	}
	near(t, "outcome of a random one", r.reference("random").Outcome.V, mean)
	if c := n.Chosen[2]; c.Run != "c" || c.Row != "c step 60" || c.Ties != 1 || math.Abs(c.Regret.V-0.01) > 1e-12 {
		t.Errorf("chosen %+v", c)
	}
	if n.Regret.CI.Defined() || !strings.Contains(n.Regret.CI.Reason, "the same") {
		t.Errorf("equal regrets have the interval %+v", n.Regret.CI)
	}
	if n.Spearman.CI.Defined() || !strings.Contains(n.Spearman.CI.Reason, "3 runs are too few") {
		t.Errorf("3 runs have the interval %+v", n.Spearman.CI)
	}
}

// A lower outcome is better: everything is as with its negative, but for the signs of correlations.
func TestAnalyze_LowerOutcome(t *testing.T) {
	t.Parallel()
	cells := func(sign float64) func(run, step int) []float64 {
		return func(run, step int) []float64 {
			v := math.Sin(float64(3*run + step*step))
			return []float64{sign * v, v + 0.3*math.Cos(float64(7*step+run)), float64(step % 5)}
		}
	}
	up := analyzed(t, checkpoints(4, 10, "y,x,z", cells(1)), Columns{Outcome: "y", Higher: []string{"x"}}).Numbers[0]
	down := analyzed(t, checkpoints(4, 10, "y,x,z", cells(-1)), Columns{Outcome: "y", Higher: []string{"x"},
		Lower: []string{"y"}}).Numbers[0]
	near(t, "regret", up.Regret.V, down.Regret.V)
	near(t, "p", up.P.V, down.P.V)
	near(t, "spearman", up.Spearman.V, -down.Spearman.V)
	near(t, "statistic", up.Statistic.V, -down.Statistic.V)
	near(t, "outcome", up.Chosen[1].Outcome.V, -down.Chosen[1].Outcome.V)
	near(t, "over random", up.OverRandom.V, down.OverRandom.V)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-9) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Within every run more of the number is worse, between runs better.
func TestAnalyze_Simpson(t *testing.T) {
	t.Parallel()
	r := analyzed(t, checkpoints(12, 10, "y,x", func(run, step int) []float64 {
		wave := math.Sin(float64(step*step + 5*run))
		return []float64{float64(3*run) + wave + 0.1*math.Cos(float64(9*step+run)),
			float64(3*run) - wave + 0.2*math.Sin(float64(run*step))}
	}), Columns{Outcome: "y", Higher: []string{"x"}})
	n := r.Numbers[0]
	if n.Within.V > -0.8 || n.Between.V < 0.9 || n.Spearman.V < 0.8 || !n.Reversed {
		t.Errorf("within %v, between %v, all %v, reversed %v", n.Within, n.Between, n.Spearman, n.Reversed)
	}
}

// An unknown direction is learned from other runs; with one run there is none.
func TestAnalyze_Direction(t *testing.T) {
	t.Parallel()
	cells := func(run, step int) []float64 {
		v := math.Sin(float64(run + step*step))
		return []float64{v, -v, v}
	}
	r := analyzed(t, checkpoints(3, 9, "y,x,z", cells), Columns{Outcome: "y"})
	for _, n := range r.Numbers {
		if n.Direction != Unknown || n.Regret.V != 0 {
			t.Errorf("%s: direction %s, regret %v", n.Name, n.Direction, n.Regret)
		}
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "direction of 2 of 2 numbers") {
		t.Errorf("warnings %q", r.Warnings)
	}
	n := analyzed(t, checkpoints(1, 9, "y,x,z", cells), Columns{Outcome: "y"}).Numbers[0]
	if n.Regret.Defined() || !strings.Contains(n.Regret.Reason, "no other run") || n.P.Defined() {
		t.Errorf("one run: regret %+v, p %+v", n.Regret, n.P)
	}
}

func TestAnalyze_Reliability(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("model,a,b,se,x\n")
	for i := range 40 {
		v := math.Sin(float64(i))
		e := 0.4 * math.Cos(float64(11*i))
		fmt.Fprintf(&b, "m%d,%v,%v,0.3,%v\n", i, v+e, v-e, v)
	}
	c := Columns{Halves: []string{"a", "b"}, Numbers: []string{"x"}, Higher: []string{"x"}}
	r := analyzed(t, b.String(), c)
	n := r.Numbers[0]
	near(t, "spearman", n.Spearman.V, 1)
	if v := r.Reliability.V; v < 0.8 || v > 0.95 {
		t.Errorf("reliability %v", v)
	}
	if n.Disattenuated.Defined() || r.OracleFrom != "halves" || r.Choices != 1 {
		t.Errorf("disattenuated %+v, oracle from %s, %d choices", n.Disattenuated, r.OracleFrom, r.Choices)
	}
	if !n.P.Defined() || n.PMax.V > 0.02 || !strings.Contains(r.Sentence, "x predicts mean of a and b") {
		t.Errorf("p %v: %s", n.PMax, r.Sentence)
	}
}

// 20 numbers of noise: none predicts, and the sentence says so.
func TestAnalyze_None(t *testing.T) {
	t.Parallel()
	var names []string
	for k := range 20 {
		names = append(names, fmt.Sprintf("n%d", k))
	}
	r := analyzed(t, checkpoints(4, 20, "y,"+strings.Join(names, ","), func(run, step int) (out []float64) {
		for k := range 21 {
			out = append(out, float64(step)+5*math.Sin(float64(1+k)*float64(17*run+step*step+k)))
		}
		return out
	}), Columns{Outcome: "y"})
	if r.Sentence != "None of 20 numbers is found to predict y." {
		t.Errorf("%s", r.Sentence)
	}
}

func TestAnalyze_Wrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ table, want string }{
		{"y,x\n1,2\n2,3\n", "2 rows with an outcome; want at least 3"},
		{"y,x\n1,2\n1,3\n1,4\n", "is 1 in all 3 rows"},
	} {
		in, err := Parse("t.csv", []byte(c.table), Columns{Outcome: "y"}, nil)
		if err == nil {
			_, err = Analyze(t.Context(), in, Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.table, err, c.want)
		}
	}
	r := analyzed(t, "y,x,c,e\n1,2,5,\n2,3,5,\n3,9,5,1\n4,1,5,\n5,1,5,2\n", Columns{Outcome: "y"})
	for _, n := range r.Numbers[1:] {
		if n.Spearman.Defined() || n.Spearman.Reason == "" || n.P.Defined() && n.Name == "c" {
			t.Errorf("%s: %+v, p %+v", n.Name, n.Spearman, n.P)
		}
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The program on its example: equal bytes on any threads, a result that is read, and what it finds.
func TestCommand_Example(t *testing.T) {
	t.Parallel()
	command := New(nil)
	dirs := [2]string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	var out, errs bytes.Buffer
	for k, dir := range dirs {
		out.Reset()
		args := []string{"--example", "--out", dir, "--format", "svg", "--methods", "--threads", fmt.Sprint(1 + 3*k)}
		if code := run.Run(context.Background(), command, args, &out, &errs); code != 0 {
			t.Fatalf("exit status %d: %s", code, errs.String())
		}
	}
	for _, name := range append([]string{"validate.svg"}, tables...) {
		a, b := content(t, filepath.Join(dirs[0], name)), content(t, filepath.Join(dirs[1], name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs on other threads", name)
		}
	}
	t.Log(out.String())
	if !strings.Contains(out.String(), "predict success, rollout_error with p") {
		t.Errorf("console:\n%s", out.String())
	}
	var result struct {
		Numbers map[string]struct {
			PMax   float64    `json:"p_max"`
			Regret float64    `json:"regret"`
			CI     [2]float64 `json:"regret_ci"`
		}
		Reference map[string]struct{ Regret *float64 }
	}
	if err := json.Unmarshal(content(t, filepath.Join(dirs[0], "validate.json")), &result); err != nil {
		t.Fatal(err)
	}
	good, bad := result.Numbers["rollout_error"], result.Numbers["effective_rank"]
	if good.PMax > 0.01 || bad.PMax < 0.05 || good.Regret > *result.Reference["last"].Regret || good.CI[0] >= good.CI[1] {
		t.Errorf("rollout_error %+v, effective_rank %+v", good, bad)
	}
	if _, err := report.Read(filepath.Join(dirs[0], "validate.json")); err != nil {
		t.Error(err)
	}
}

// A sentence about the only number that is tested names it, wherever it is in the table.
func TestSentence_OneTested(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]float64{"rank predicts y, with p = 0.01.": 0.01, "rank is not found to predict y.": 0.5} {
		r := Result{in: &Input{OutcomeName: "y"}, Numbers: []*Number{
			{Name: "constant", P: report.Undefined("it does not vary"), PMax: report.Undefined("it does not vary")},
			{Name: "rank", P: report.Number(p), PMax: report.Number(p)},
		}}
		if got := r.sentence(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
