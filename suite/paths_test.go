// Tests of the paths of numbers, which results, comparisons and scores per sample name them by.

package suite

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/internal/share"
	"repscope/report"
	"repscope/tool/compare"
)

// A number has the same path for one and for several values of each flag that lists values. All paths of comparisons
// and columns of scores per sample are paths of numbers of the models, rows stand in them by their parameters, and
// compare takes what a file compares from its own comparisons.
func TestPaths(t *testing.T) {
	runtest.Long(t, "it runs every analysis several times")
	t.Parallel()
	folder := t.TempDir()
	writeUnmeasured(t, folder)
	third := make([]float32, 12*16)
	for i := range third {
		third[i] = float32(i%7) / 7
	}
	if err := dataset.WriteNPY(filepath.Join(folder, "third.npy"), []int{12, 1, 4, 4}, third); err != nil {
		t.Fatal(err)
	}
	leads := make([]float64, 12)
	for i := range leads {
		leads[i] = float64(6 + 6*(i%2))
	}
	if err := dataset.WriteNPY(filepath.Join(folder, "leads.npy"), []int{12}, leads); err != nil {
		t.Fatal(err)
	}
	states := "--frames {}/f.npy --episodes {}/e.npy --latents a={}/a.npy --latents b={}/b.npy "
	forecast := "--target {}/t.npy --forecast a={}/t2.npy --forecast b={}/third.npy --event-quantiles 0.5 "
	for _, test := range []struct {
		analysis, always string
		lists            []string // a flag, one value, several
	}{
		{"smoothness", states, []string{"--horizons 1 1,2"}},
		{"neighborhood", states, []string{"--k 3 3,5"}},
		{"manifold", states, []string{"--gride 2 2,4", "--neighbors 5 5,10"}},
		{"geometry", states + "--labels {}/e.npy --lags 2 ", []string{"--clusters 2 2,3", "--k 1 1,5"}},
		{"similarity", states + "--permutations 0 ", []string{"--k 3 3,5"}},
		{"reward", states + "--rewards {}/r.npy ", []string{"--probes ridge ridge,mlp", "--label-efficiency 0.5 0.5,0.7"}},
		{"robustness", "--example --samples 40 ", []string{"--levels 0.1 0.1,0.2"}},
		{"reconstruction", "--frames {}/f.npy --episodes {}/e.npy --predictions a={}/f2.npy --predictions b={}/f.npy ", nil},
		{"forecast", forecast, []string{"--fss-windows 3 1,3", "--event-quantiles 0.5 0.5,0.7", "--quantiles 0.5 0.1,0.5", "--intervals 0.5 0.5,0.9"}},
		{"forecast", strings.ReplaceAll(forecast, "--event-quantiles 0.5", "--thresholds 0.5"), []string{"--fss-windows 3 1,3", "--thresholds 0.5 0.5,0.7"}},
		{"forecast", forecast + "--leads {}/leads.npy ", nil},
		{"generation", "--example ", nil},
		{"sequence", "--example ", nil},
		{"canvas", "--example ", nil},
		{"audit", "--example ", nil},
		{"surprise", states + "--violations skip,freeze ", []string{"--sizes 1 1,2"}},
	} {
		t.Run(test.analysis, func(t *testing.T) {
			t.Parallel()
			start := func(arguments string) string {
				out := t.TempDir()
				arguments = strings.ReplaceAll(arguments, "{}", folder) + " --format none --out " + out
				var stdout, stderr bytes.Buffer
				if rc := run.Run(share.With(t.Context(), fitted), commandNamed(t, test.analysis), strings.Fields(arguments), &stdout, &stderr); rc != 0 {
					t.Fatalf("%s %s: %d: %s", test.analysis, arguments, rc, stderr.String())
				}
				return filepath.Join(out, test.analysis+".json")
			}
			first := start(test.always)
			checkPaths(t, first)
			checkOwn(t, first)
			for _, list := range test.lists {
				fields := strings.Fields(list)
				always := regexp.MustCompile(fields[0]+` \S+`).ReplaceAllString(test.always, "")
				several := numbersIn(t, start(always+fields[0]+" "+fields[2]))
				one := start(always + fields[0] + " " + fields[1])
				checkPaths(t, one)
				for path := range numbersIn(t, one) {
					if !several[path] {
						t.Errorf("%s: %s is no path with several values", list, path)
					}
				}
			}
		})
	}
}

// numbersIn are the paths of the numbers of the first model of a result.
func numbersIn(t *testing.T, path string) map[string]bool {
	t.Helper()
	r, err := report.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Model(r.Models.Keys()[0])
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for n := range m.Estimates() {
		all[n.Path] = true
	}
	return all
}

// rewardBaselines read no latents: reward compares their one row of a target with the rows of all probes of it.
var rewardBaselines = []string{"mean", "majority", "last_reward"}

// byIndex is a step to a row that no parameter names.
var byIndex = regexp.MustCompile(`\[[0-9]+\]`)

// checkPaths checks the paths of one result.
func checkPaths(t *testing.T, path string) {
	t.Helper()
	checkSchema(t, path)
	r, err := report.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]map[string]bool{} // by model
	for _, name := range r.Models.Keys() {
		m, err := r.Model(name)
		if err != nil {
			t.Fatal(err)
		}
		known[name] = map[string]bool{}
		for n := range m.Estimates() {
			known[name][n.Path] = true
			if byIndex.MatchString(n.Path) {
				t.Errorf("%s: row without parameters: %s", r.Analysis, n.Path)
			}
		}
	}
	rows, err := r.MetricRows()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if strings.Contains(";"+row.Parameter, ";row=") {
			t.Errorf("%s: row without parameters: %s, %s", r.Analysis, row.Metric, row.Parameter)
		}
	}
	compared := map[string]bool{}
	for _, c := range r.Comparisons {
		place := c.Path
		if place == "" {
			place = c.Metric
		}
		for _, model := range []string{c.A, c.B} {
			if !known[model][place] && !(r.Analysis == "reward" && slices.Contains(rewardBaselines, model)) {
				t.Errorf("%s: the path of a comparison, %s, is none of the numbers of %s", r.Analysis, place, model)
			}
		}
		if c.P.Defined() {
			compared[place] = true
		}
	}
	if r.Samples != nil {
		table, err := report.ReadSamples(filepath.Join(filepath.Dir(path), r.Samples.File))
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range table.Metrics {
			if !slices.ContainsFunc(r.Models.Keys(), func(model string) bool { return known[model][metric] }) {
				t.Errorf("%s: the column %s of %s is the path of no number", r.Analysis, metric, r.Samples.File)
			}
		}
	}
	if len(compared) == 0 || len(r.Models.Keys()) < 2 {
		return
	}
	gathered, err := compare.Gather(t.Context(), []compare.Spec{{Path: path}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	result, err := compare.Compare(t.Context(), gathered, compare.Options{})
	if err != nil {
		t.Fatalf("compare of %s: %v", r.Analysis, err)
	}
	for _, row := range result.Table {
		for _, c := range row.Cells {
			if c != nil && c.From != "" && compared[row.Metric] && c.From != compare.FromComparison && c.From != compare.FromSamples {
				t.Errorf("%s: compare decides %s from %s", r.Analysis, row.Metric, c.From)
			}
		}
	}
}
