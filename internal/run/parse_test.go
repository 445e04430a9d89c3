// Tests of the command line: flags, arguments, and what is said of wrong ones.

package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/option"
)

// many is a flag that repeats, of which a mapping of a configuration may hold lists.
type many struct {
	values []string
	whole  bool
}

func (m *many) String() string     { return strings.Join(m.values, ";") }
func (m *many) Set(s string) error { m.values = append(m.values, s); return nil }
func (m *many) Repeats() bool      { return true }
func (m *many) Joins() bool        { return m.whole }
func (m *many) Lists()             {}

// fake are the flags of a command: the shared ones and one of each kind.
type fake struct {
	flags       *Flags
	options     *Options
	command     *Command
	k           *[]int
	sigma       *[]float64
	model, mean many
	corruption  *[]string
	limit       *int64
	fast        *bool
}

func newFake() *fake {
	f := &fake{flags: newFlags("fake"), options: &Options{}, mean: many{whole: true}}
	f.command = &Command{Name: "fake", Summary: "a stand-in", Out: "out", Defaults: map[string]string{"bootstrap": "200"}}
	f.flags.Var(&f.model, "model", "`NAME=FILE` (repeats)")
	f.flags.Var(&f.mean, "mean", "`LIST` (repeats)")
	f.flags.Group(Inputs, "model")
	f.flags.Group(Settings, "mean")
	f.options.register(f.flags, f.command, Job{})
	f.k, f.sigma, f.corruption, f.fast = &[]int{5, 10}, &[]float64{0.1}, &[]string{"gaussian"}, new(bool)
	metric, limit := "euclidean", size(1<<20)
	f.limit = (*int64)(&limit)
	var list option.List
	list.Ints(f.k, "k", "neighbours")
	list.Floats(f.sigma, "sigma", "noise")
	option.Choice(&list, &metric, "metric", []string{"euclidean", "cosine"}, "distance")
	list.Names(f.corruption, "corruption", []string{"gaussian", "blur"}, "what is done to the frames")
	list.Var(&limit, "limit", "bytes")
	list.Bool(f.fast, "fast", "be fast").Free()
	f.flags.Declare(&list)
	return f
}

func (f *fake) parse(args ...string) error { return parse(f.flags, f.options, f.command, args) }

func TestParse(t *testing.T) {
	t.Parallel()
	f := newFake()
	err := f.parse(strings.Fields("-k 1,2,3 --sigma=0,0.5 --model a --model b --corruption blur,gaussian --limit 2kB --fast " +
		"--format svg,png --seed 7 --memory 450MB --json")...)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(*f.k, []int{1, 2, 3}) || !slices.Equal(*f.sigma, []float64{0, 0.5}) || !slices.Equal(f.model.values, []string{"a", "b"}) {
		t.Errorf("lists %v, %v, %v", *f.k, *f.sigma, f.model.values)
	}
	if !slices.Equal(*f.corruption, []string{"blur", "gaussian"}) || *f.limit != 2000 || !*f.fast {
		t.Errorf("corruption %v, limit %d, fast %v", *f.corruption, *f.limit, *f.fast)
	}
	o := f.options
	if !slices.Equal(o.Formats, []string{"svg", "png"}) || o.Seed != 7 || o.Memory != 450e6 || !o.JSON || o.Bootstrap != 200 || len(o.Args) > 0 {
		t.Errorf("options %+v", o)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ args, want string }{
		{"", ""},
		{"a.json b.json", "a.json b.json"},
		{"--seed 1 a.json --json b.json -k 7", "a.json b.json"},
		{"a.json -- --json b.json", "a.json --json b.json"},
		{"-- --seed", "--seed"},
	} {
		f := newFake()
		f.command.Arguments = "FILES…"
		if err := f.parse(strings.Fields(test.args)...); err != nil {
			t.Errorf("%s: %v", test.args, err)
		}
		if got := strings.Join(f.options.Args, " "); got != test.want {
			t.Errorf("%s: arguments %q, want %q", test.args, got, test.want)
		}
		if strings.HasSuffix(test.args, "-k 7") && (f.options.Seed != 1 || !f.options.JSON || !slices.Equal(*f.k, []int{7})) {
			t.Errorf("%s: flags between arguments: %+v, k %v", test.args, f.options, *f.k)
		}
	}
	f := newFake()
	f.command.Arguments = "FILES…"
	if err := f.parse("a.json", "--sead", "1"); err == nil || !strings.Contains(err.Error(), "unknown flag --sead") {
		t.Errorf("an unknown flag after an argument: %v", err)
	}
}

// TestLists: a list may be several texts after its flag, and what is given as arguments keeps the
// order of the command line, by whatever flag it is given.
func TestLists(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there := filepath.Join(dir, "results")
	if err := os.Mkdir(there, 0o777); err != nil {
		t.Fatal(err)
	}
	var names, metrics []string
	compares := func() *fake {
		f := newFake()
		f.command.Arguments = "FILES…"
		names, metrics = nil, nil
		f.flags.Arguments("results", "`FILE`")
		f.flags.Var(&Texts{Values: &names}, "names", "`LIST`")
		f.flags.Var(&Texts{Values: &metrics}, "metrics", "`LIST`")
		f.flags.Several("names")
		return f
	}
	for _, c := range []struct {
		args, want, names string
	}{
		{"--results p.json q.json --names P,Q", "p.json q.json", "P Q"},
		{"--results p.json q.json --names P Q", "p.json q.json", "P Q"},
		{"p.json --results q.json r.json --results s.json t.json --seed 1 u.json", "p.json q.json r.json s.json t.json u.json", ""},
		{"--names P Q p.json q.json", "p.json q.json", "P Q"},
		{"--names P Q " + there + " --fast x", there + " x", "P Q"},
		{"--names P --names Q R=S -- T", "T", "P Q R=S"},
		{"--metrics mse folder", "folder", ""},
		{"--names=P Q --save_names", "", "error"},
	} {
		f := compares()
		err := f.parse(strings.Fields(c.args)...)
		if (err != nil) != (c.names == "error") {
			t.Errorf("%s: %v", c.args, err)
		}
		if err == nil && (strings.Join(f.options.Args, " ") != c.want || strings.Join(names, " ") != c.names) {
			t.Errorf("%s: arguments %q, names %q; want %q, %q", c.args, f.options.Args, names, c.want, c.names)
		}
	}
	// A text with spaces is one, as the shell hands it on.
	if f := compares(); f.parse("--names", "Two words", "B", "--results", "a.json") != nil || !slices.Equal(names, []string{"Two words", "B"}) {
		t.Errorf("names %q", names)
	}
	// Without arguments every list takes several.
	f := newFake()
	if err := f.parse(strings.Fields("--k 5 10 20 --sigma 0.5 1 --model a=x b=y --corruption blur gaussian --seed 3")...); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(*f.k, []int{5, 10, 20}) || !slices.Equal(*f.sigma, []float64{0.5, 1}) || !slices.Equal(f.model.values, []string{"a=x", "b=y"}) ||
		!slices.Equal(*f.corruption, []string{"blur", "gaussian"}) || f.options.Seed != 3 {
		t.Errorf("k %v, sigma %v, models %q, corruption %q", *f.k, *f.sigma, f.model.values, *f.corruption)
	}
	for _, given := range f.flags.given {
		if given.Name == "k" && given.Value != "5,10,20" {
			t.Errorf("what is handed on is %+v", f.flags.given)
		}
	}
	for args, want := range map[string]string{
		"--k 5 x":             `flag --k: "x" is not an integer`,
		"--corruption blur b": `"b" is not one of gaussian, blur`,
		"--fast x":            `unexpected argument "x"`,
		"--seed 1 2":          `unexpected argument "2"`,
		"--k 5 " + there:      "unexpected argument",
		"--k 5 -- 6":          `unexpected argument "6"`,
	} {
		if err := newFake().parse(strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func TestWrongFlags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ args, message, hint string }{
		{"--modle a=b", "unknown flag --modle", "did you mean --model?"},
		{"--qqqqq", "unknown flag --qqqqq", ""},
		{"--format gif", `"gif" is not one of png, pdf, svg, none`, ""},
		{"--format pgn", `flag --format: "pgn" is not one of`, "did you mean png?"},
		{"--format png,png", "given twice", ""},
		{"--metric cosin", "is not one of euclidean, cosine", "did you mean cosine?"},
		{"--k 5,x", `"x" is not an integer`, ""},
		{"--k 1000000000000000000000000000000", `"1000000000000000000000000000000" is too large: want integers from -2^63 to 2^63-1`, ""},
		{"--k ", "", ""},
		{"--sigma nan", `"nan" is not a number`, ""},
		{"--bootstrap -1", `flag --bootstrap: invalid value "-1": want a whole number from 0`, ""},
		{"--threads 1.5", "want a whole number from 0", ""},
		{"--threads 9223372036854775808", "want a whole number below 2^63", ""},
		{"--threads -9223372036854775809", "want a whole number from 0", ""},
		{"--seed=-1", `flag --seed: invalid value "-1": want a whole number from 0`, ""},
		{"--seed 99999999999999999999", "below 2^64", ""},
		{"--fast=perhaps", `flag --fast: invalid value "perhaps": want true or false`, ""},
		{"--seed 1 --seed 2", `flag --seed is given twice, as "1" and as "2"`, ""},
		{"--out a --k 3 --out b", `flag --out is given twice, as "a" and as "b"`, ""},
		{"--horizons 1", "unknown flag --horizons", "--horizons is an option of smoothness"},
		{"--memory lots", "is not a size", ""},
		{"--out", "flag needs an argument: --out", ""},
		{"stray.npy", `unexpected argument "stray.npy"`, ""},
	} {
		f := newFake()
		args := strings.Fields(test.args)
		if test.args == "--k " {
			args, test.message = []string{"--k", ""}, `"" is not an integer`
		}
		err := f.parse(args...)
		switch {
		case err == nil:
			t.Errorf("%s was accepted", test.args)
		case !strings.Contains(err.Error(), test.message) || strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: message %q, want %q in it", test.args, err, test.message)
		case exitCode(err) != exitUsage:
			t.Errorf("%s: exit code %d", test.args, exitCode(err))
		case test.hint != strings.Join(hintsOf(err), "\n"):
			t.Errorf("%s: hints %q, want %q", test.args, hintsOf(err), test.hint)
		}
	}
}
