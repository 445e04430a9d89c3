// Package command is the audit binary: its flags, its files, its console tables and its figure.
package command

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"repscope/analysis/audit"
	"repscope/analysis/internal/output"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/measure/identity"
	"repscope/report"
	"repscope/report/junit"
)

// Command is the audit binary.
var Command = run.Command{
	Name:       "audit",
	Summary:    "whether test states are independent of training states, and the scores without dependent states",
	Manual:     manual,
	Out:        "evaluation_plots/audit",
	Methods:    describeMethods,
	Definition: audit.Definition,
	Metrics:    audit.Metrics,
	Setup: func(flags *run.Flags) run.Job {
		f := register(flags)
		return run.Job{
			Files: output.Files("audit", "audit_pairs.csv", "audit_rows_to_drop.csv", "audit_recordings.csv",
				"audit_score_by_distance.csv", "audit.figure"),
			Check: func(*run.Options) error { return f.check() },
			Run:   f.run, Plan: f.plan, Divides: true,
		}
	},
}

const manual = `audit tells whether a test set is independent of its training set. Give all
states with --split, a part for each (train and test, or the numbers of folds), or two files
with --train and --test. Every test state is compared with every training state, over all
pixels, exactly.

duplicates are test states with an equal training state. A test state is near if its nearest
training state is nearer than states of different recordings are to each other: at most
--false-alarm of the training states have a training state of another episode nearer than the
threshold. p in audit_pairs.csv is the rank of a distance among the distances of training states.
With few episodes and slow states more independent states than --false-alarm lie below the
threshold: expected_false_alarm says how many. Without --episodes each state counts as a
recording by itself, which suits separate images only.

--sequences, or --train and --test of FASTA files, compares sequences by their identity: the
equal pairs of the alignment with the fewest edits over the length of the shorter sequence.
Sequences of --identity and more are near.

recordings counts frozen stretches, states of one value, cuts (steps larger than all but one
in a thousand of other episodes) and episodes that copy another one, also in reverse.

--scores says what leaks cost: the score of all test states, of those that do not leak, and
the difference. --targets with --latents fits a linear probe on the training latents, for the
clean score without the training states that are too near to tested ones; retrieval copies
the target of the nearest training state. A model that beats it nowhere has learned its
training set.

--write-split writes a split without leaks: a number for each state, the position of its
part in the result, or -1 for a state left out.`

// options are the values of the command's own flags.
type options struct {
	example    *input.GivenExample
	statistics *input.Statistics
	frames     string
	sequences  string
	trainFile  string
	testFile   string
	roles      roles
	split      splitFlags
	layout     string
	skipNaN    bool
	o          audit.Options
	failAbove  float64
	junit      string
}

// roles are the arrays.
type roles struct {
	episodes, trainEpisodes, testEpisodes, split, group, latents, targets, scores *input.Given
}

type splitFlags struct {
	train string // part
	write string // file
}

// register adds the flags.
func register(flags *run.Flags) *options {
	f := &options{layout: "auto", failAbove: math.NaN(), o: audit.Options{FalseAlarm: 0.01,
		LeastIdentity: identity.DefaultLeast,
		References:    audit.DefaultReferences, Permutations: 199, Repair: audit.RepairDrop}}
	flags.Usage("--frames FILE[:key] --split FILE[:key] [flags]",
		"--train FILE[:key] --test FILE[:key] [flags]")
	flags.FileHint("files are given with --frames FILE and --split FILE, or with --train FILE and --test FILE")
	f.example = input.RegisterExample(flags, input.ArrayExample{Name: "arcade",
		Usage: "audit the built-in example: frames of a small arcade game, with some on the wrong side of the split"})
	f.statistics = input.RegisterStatistics(flags, "test states")
	flags.Declare(option.Of(option.Func(f.declareStates)))
	input.Folder(flags, "frames", &f.frames)
	input.Folder(flags, "train", &f.trainFile)
	input.Folder(flags, "test", &f.testFile)
	role := func(r input.Role) *input.Given {
		g := input.RegisterRole(flags, r)
		flags.Group(run.Inputs, r.Name)
		return g
	}
	f.roles = roles{
		split: role(input.Role{Name: "split", Unit: "part", Column: true,
			Usage: "`FILE[:key]` of the part of each state, a name or number, or FILE.csv:column"}),
		episodes: role(input.Role{Name: "episodes", Unit: "episode", Column: true,
			Usage: "`FILE[:key]` of an episode number or an end-of-episode flag for each state, or FILE.csv:column"}),
		trainEpisodes: role(input.Role{Name: "train-episodes", Unit: "episode", Column: true,
			Usage: "`FILE[:key]` of episodes of --train, as --episodes"}),
		testEpisodes: role(input.Role{Name: "test-episodes", Unit: "episode", Column: true,
			Usage: "`FILE[:key]` of episodes of --test, as --episodes"}),
		group: role(input.Role{Name: "group", Unit: "group", Column: true,
			Usage: "`FILE[:key]` of a unit of each state that must not be on both sides, such as a subject or a site"}),
		targets: role(input.Role{Name: "targets", Unit: "target", Named: true, Column: true,
			Usage: "`NAME=FILE[:key]` of a label or number for each state (repeats)"}),
		latents: role(input.Role{Name: "latents", Unit: "latent", Named: true, Wide: true,
			Usage: "`NAME=FILE[:key]` of latents [N,D] of all states, from which --targets are predicted (repeats)"}),
		scores: role(input.Role{Name: "scores", Unit: "score", Named: true, Column: true,
			Usage: "`NAME=FILE[:key]` of a score for each state or each test state, such as 1 for a right answer (repeats)"}),
	}
	flags.Declare(option.Of(f))
	return f
}

// declareStates lists the files of states.
func (f *options) declareStates(l *option.List) {
	l.Under(option.Inputs)
	l.Path(&f.frames, "frames", "`FILE[:key]` of all states [N,…], of any shape: "+dataset.FormatNames()).Reads()
	l.Path(&f.sequences, "sequences", "`FILE` of all sequences, FASTA or a table, instead of --frames").Reads()
	l.Path(&f.trainFile, "train", "`FILE[:key]` of the training states, instead of --frames and --split").Reads()
	l.Path(&f.testFile, "test", "`FILE[:key]` of the test states").Reads()
}

// Declare lists the other options.
func (f *options) Declare(l *option.List) {
	l.Text(&f.split.train, "train-part", "`NAME` of the part that the others are tested against (default: "+
		"train; without one, each part "+
		"is tested against all others)")
	l.Path(&f.split.write, "write-split", "`FILE.npy` to write a split without leaks to").Writes()
	layouts := append([]string{"auto"}, dataset.Layouts()...)
	l.OneOf(&f.layout, "layout", layouts, "`AXES` of one state, for the figure")
	l.Bool(&f.skipNaN, "skip-nan", "drop and count states with NaN or Inf instead of failing")
	f.o.Declare(l)
	l.Float(&f.failAbove, "fail-if-leaks", "`SHARE` of leaking test states above which the exit status is 1; "+
		"all files are written").Free()
	l.Path(&f.junit, "junit", "`FILE.xml` to write the checks of --fail-if-leaks to, as JUnit tests").Writes()
}

// check finds wrong usage before any file is opened.
func (f *options) check() error {
	r := f.roles
	anyOf := func(list ...*input.Given) string {
		for _, g := range list {
			if g.Any() {
				return "--" + g.Role()
			}
		}
		return ""
	}
	pair := f.trainFile != "" || f.testFile != ""
	switch {
	case f.example.On():
		if other := anyOf(r.split, r.episodes, r.trainEpisodes, r.testEpisodes, r.group, r.latents, r.targets,
			r.scores); other != "" || pair || f.frames+f.sequences != "" {
			return run.Usage("--example has its own states and split; leave out %s", cmp.Or(other,
				"--frames, --train and --test"))
		}
	case pair && (f.trainFile == "" || f.testFile == ""):
		return run.Usage("--train and --test go together: give both files")
	case pair:
		if r.split.Any() {
			return run.Usage("--split and --train cannot be used together: give --split for one file of states, " +
				"or --train and --test for two")
		}
		if other := anyOf(r.trainEpisodes, r.testEpisodes); other != "" && isSequences(f.trainFile) {
			return run.Usage("%s is of recordings; give groups of sequences with --episodes, the training rows first", other)
		}
		if f.split.train != "" {
			return run.Usage("--train-part is a part of --split; with --train and --test there is none")
		}
	case f.frames != "" && f.sequences != "":
		return run.Usage("--frames and --sequences cannot be used together")
	case f.frames+f.sequences == "":
		return run.Hint(run.Usage("no states to audit"), "give --frames FILE and --split FILE, or --train FILE and --test "+
			"FILE", "or try --example")
	case !r.split.Any():
		return run.Usage("--frames and --sequences need --split: which states are for training and which for the test")
	default:
		if other := anyOf(r.trainEpisodes, r.testEpisodes); other != "" {
			return run.Usage("%s goes with --train and --test; with --frames give --episodes", other)
		}
	}
	if v := f.failAbove; !math.IsNaN(v) && (v < 0 || v > 1) {
		return run.Usage("--fail-if-leaks %v: want a share from 0 to 1", v)
	}
	if err := run.JUnitName(f.junit, "fail-if-leaks", !math.IsNaN(f.failAbove)); err != nil {
		return err
	}
	if f.split.write != "" && filepath.Ext(f.split.write) != ".npy" {
		return run.Usage("--write-split %s: want a name that ends in .npy", f.split.write)
	}
	return nil
}

// run audits.
func (f *options) run(ctx context.Context, env *run.Env) error {
	in, err := f.load(env)
	if err != nil {
		return err
	}
	o := f.o
	o.Settings = f.statistics.Settings(env, "searching")
	o.Range = in.span
	if f.split.write == "" {
		o.Repair = ""
	}
	result, err := audit.Analyze(ctx, in.Input, o)
	if err != nil {
		return err
	}
	return f.write(env, in, result)
}

// plan says what a run would do.
func (f *options) plan(_ context.Context, env *run.Env) error {
	in, err := f.load(env)
	if err != nil {
		return err
	}
	size, err := audit.SizeOf(in.Input, f.o)
	if err != nil {
		return err
	}
	env.Plan.States, env.Plan.Units = len(in.Split), size.Units
	if size.Pairs > 0 {
		env.Plan.Count("pairs of states", size.Pairs)
		env.Plan.Count("pairs of references", size.Largest)
	}
	p := in.States
	env.Plan.Held = int64(len(p.U8)) + 4*int64(len(p.F32)) + 8*int64(len(p.F64))
	env.Plan.Search(in.States.N, 1)
	output.PlanFiles(env, "audit_pairs.csv", "audit_rows_to_drop.csv", "audit_recordings.csv")
	if len(in.Scores) > 0 || len(in.Targets) > 0 && len(in.Latents) > 0 {
		env.Plan.Write("audit_score_by_distance.csv")
	}
	if f.split.write != "" {
		env.Plan.Write(f.split.write)
	}
	if f.junit != "" {
		env.Plan.Write(f.junit)
	}
	env.PlanFigures("audit")
	return nil
}

// write puts the result into the result file, the CSV files, the console and the figure.
func (f *options) write(env *run.Env, in *loaded, r *audit.Result) error {
	output.Enter(env, r.Warnings, r.Tests, func(t audit.Test) string { return t.Name }, nil)
	env.Result.Blocks = r.Blocks
	var splits report.Object
	for _, p := range r.Parts {
		splits.Set(p.Name, p)
	}
	env.Result.Extra.Set("splits", splits)
	if in.Sequences == nil {
		env.Result.Extra.Set("recordings", r.Recordings)
	}
	warn(env, in, r, f.o)
	sentences := sentencesOf(in, r, f.o)
	env.Result.Extra.Set("sentences", sentences)
	if len(r.Tests) == 1 {
		enterAlone(env, &r.Tests[0])
	}
	if err := output.All(env,
		func(env *run.Env) error { return writePairs(env, in, r) },
		func(env *run.Env) error { return writeDrops(env, in, r) },
		func(env *run.Env) error { return writeRecordings(env, in, r) },
		func(env *run.Env) error { return writeCurves(env, r) },
		func(env *run.Env) error { return f.writeSplit(env, r) },
		func(env *run.Env) error { return printTables(env, in, r, f.o) },
	); err != nil {
		return err
	}
	for _, s := range sentences {
		env.Print("%s\n", s)
	}
	if err := env.Figure("audit", Figure(in, r, f.o)); err != nil {
		return err
	}
	return f.fail(env, r)
}

// enterAlone puts the numbers of a single tested part next to the models, too.
func enterAlone(env *run.Env, t *audit.Test) {
	extra := &env.Result.Extra
	extra.Set("duplicates", t.Duplicates)
	extra.Set("near", t.Near)
	extra.Set("episodes_on_both_sides", t.EpisodesOnBothSides)
	if t.GroupsOnBothSides != nil {
		extra.Set("groups_on_both_sides", *t.GroupsOnBothSides)
	}
	if t.Clusters != nil {
		extra.Set("clusters", t.Clusters)
	}
	if t.Labels != nil {
		extra.Set("labels", t.Labels)
	}
	if t.Scores.Len() > 0 {
		extra.Set("scores", t.Scores)
	}
}

// fail enters the checks of --fail-if-leaks: one for each tested part.
func (f *options) fail(env *run.Env, r *audit.Result) error {
	if math.IsNaN(f.failAbove) {
		return nil
	}
	var checks []junit.Check
	for i := range r.Tests {
		t := &r.Tests[i]
		check := junit.Check{Name: t.Name}
		if t.Leaking.V > f.failAbove {
			check.Failure = fmt.Sprintf("%s: %d of %s leak (%.3g), more than --fail-if-leaks %g", t.Name, t.LeakingRows,
				text.Count(t.States, "state"), t.Leaking.V, f.failAbove)
		}
		checks = append(checks, check)
	}
	return env.Verdict(f.junit, checks)
}

// warn says what makes numbers doubtful.
func warn(env *run.Env, in *loaded, r *audit.Result, o audit.Options) {
	var texts, names []string
	say := func(part, format string, args ...any) {
		texts = append(texts, part+": "+fmt.Sprintf(format, args...))
	}
	for i := range r.Tests {
		t := &r.Tests[i]
		names = append(names, t.Name)
		if v := t.Near.ExpectedFalseAlarm; v.Defined() && v.V > 1.5*o.FalseAlarm {
			say(t.Name, "about %.2g of independent states would be called near, more than --false-alarm %g: there are few "+
				"independent training episodes", v.V, o.FalseAlarm)
		}
		if n := unequalLengths(in, t); n > 0 {
			say(t.Name, "%s near a training sequence that is more than twice as long, or half as long: "+
				"letters in common may be chance", count(n, "sequence is", "sequences are"))
		}
		if t.EpisodesOnBothSides > 0 {
			say(t.Name, "%s on both sides of the split", count(t.EpisodesOnBothSides, "episode has states",
				"episodes have states"))
		}
		if n := t.GroupsOnBothSides; n != nil && *n > 0 {
			say(t.Name, "%s on both sides of the split", count(*n, "group has states", "groups have states"))
		}
		if !t.Near.Threshold.Defined() {
			say(t.Name, "no state can be called near: %s", t.Near.Threshold.Reason)
		}
	}
	for _, w := range text.Together(texts, names) {
		env.Warn("%s", w)
	}
}

// unequalLengths counts sequences with a near training sequence of less than half or more than twice their length.
func unequalLengths(in *loaded, t *audit.Test) int {
	n := 0
	for _, row := range t.Rows {
		if in.Sequences == nil || row.Nearest < 0 {
			continue
		}
		a, b := len(in.Sequences[row.State]), len(in.Sequences[row.Nearest])
		if 2*min(a, b) < max(a, b) {
			n++
		}
	}
	return n
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
