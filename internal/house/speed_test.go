// The table of speed in the README, written from the tables of the benchmarks page.

package house

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of speed of the README")

const (
	speedBegin = "<!-- speed -->\n\n"
	speedEnd   = "\n<!-- end of speed -->"
)

// compared are the rows of the table: the texts of the README, and where its numbers are on the benchmarks page. Ours,
// peer and ratio match numbers behind the command and before the end of its section.
var compared = []struct {
	work, unit, peer, command string
	numbers                   []string
}{
	{"trustworthiness and continuity, k = 5, 10, 20; 10,000 × 7,056 uint8", "s", "scikit-learn",
		"benchmarks/peers/neighbors.py --sklearn --full",
		[]string{cell("uint8 program", 1), `and (\d+) s \([^)]*\) for uint8`, cell("uint8 program", 4)}},
	{"silhouette, 20,000 × 64", "s", "scikit-learn", "benchmarks/peers/geometry.py",
		[]string{cell("silhouette", 1), cell("silhouette", 2), cell("silhouette", 3)}},
	{"precision, recall, density, coverage; 10,000 × 512", "s", "prdc", "benchmarks/peers/prdc.py",
		[]string{cell("10000", 1), cell("10000", 2), cell("10000", 3)}},
	{"ridge with 64 penalties, grouped folds; 50,000 × 512", "s", "scikit-learn", "benchmarks/peers/probe.py 3 --search",
		[]string{cell("`GridSearchCV[^|]*", 1), cell("`GridSearchCV[^|]*", 2), cell("`GridSearchCV[^|]*", 3)}},
	{"fair CRPS of 50 members on 256 × 256 cells, one thread", "ms", "scoringrules", "benchmarks/peers/ensemble.py 1",
		[]string{cell("CRPS", 2, "scoringrules `fair`, numba"), cell("CRPS", 3, "scoringrules `fair`, numba"),
			cell("CRPS", 4, "scoringrules `fair`, numba")}},
	{"17 public encoders, batches of 32", "", "ONNX Runtime, PyTorch", "benchmarks/peers/architectures.py",
		[]string{`On machine B: ([\d.]+) and`, `, and ([\d.]+) × PyTorch`}},
}

// cell matches the number in a column of the first row of a table that begins with these cells.
func cell(first string, column int, others ...string) string {
	begin := `(?m)^\| ` + strings.Join(append([]string{first}, others...), ` \| `) + ` \|`
	return begin + strings.Repeat(`[^|\n]*\|`, column-1-len(others)) + ` ([\d.]+) \|`
}

// TestSpeedTable holds that the README has the numbers of the benchmarks page; -update writes them.
func TestSpeedTable(t *testing.T) {
	t.Parallel()
	root := sources(t).root
	page, err := os.ReadFile(filepath.Join(root, "docs/develop/benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	table := "| work | repscope | peer | ratio | command |\n| --- | --- | --- | --- | --- |\n"
	for _, c := range compared {
		_, section, ok := strings.Cut(string(page), c.command)
		if !ok {
			t.Fatalf("the benchmarks page has no command %s", c.command)
		}
		var numbers []string
		for _, pattern := range c.numbers {
			m := regexp.MustCompile(pattern).FindStringSubmatch(section)
			if m == nil {
				t.Fatalf("nothing after %s on the benchmarks page matches %s", c.command, pattern)
			}
			numbers = append(numbers, m[1])
		}
		ours, peer, ratio := "–", c.peer, strings.Join(numbers, ", ")
		if c.unit != "" {
			ours, peer, ratio = numbers[0]+" "+c.unit, c.peer+" "+numbers[1]+" "+c.unit, twoDigits(t, numbers[2])
		}
		table += "| " + strings.Join([]string{c.work, ours, peer, ratio, "`" + c.command + "`"}, " | ") + " |\n"
	}
	path := filepath.Join(root, "README.md")
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(readme), speedBegin)
	old, after, ends := strings.Cut(rest, speedEnd)
	switch {
	case !begins || !ends:
		t.Fatalf("README.md has no table between %q and %q", speedBegin, speedEnd)
	case old == table:
	case *update:
		if err := os.WriteFile(path, []byte(before+speedBegin+table+speedEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of speed in README.md differs from the benchmarks page; run go test ./internal/house -run SpeedTable -update. "+
			"It has\n%s\nand should have\n%s", old, table)
	}
}

// twoDigits rounds a ratio of 10 or more to a whole number.
func twoDigits(t *testing.T, ratio string) string {
	v, err := strconv.ParseFloat(ratio, 64)
	if err != nil {
		t.Fatal(err)
	}
	if v >= 10 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return ratio
}
