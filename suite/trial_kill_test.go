// The trial by runs that are killed, and by disks that are full or cannot be written.

//go:build unix

package suite

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"repscope/internal/runtest"
	"repscope/report"
)

// mountSmall and remountSmall make a file system of so many bytes; nil where this system has none.
var (
	mountSmall   func(dir string, size int) (unmount func() error, err error)
	remountSmall func(dir string, size int, readOnly bool) error
)

// interruptedRun is a run that leaves a result and another one that replaces it; o is the folder of results, others
// are in else.
type interruptedRun struct {
	name, first, second string
	fails               bool // it ends with 1, with its files written
}

// interruptedRuns are those of all binaries.
var interruptedRuns = []interruptedRun{
	{name: "encode", first: "encode --frames f.npy --baseline random:4 --baseline pca:3 --out o", second: "encode --frames p.npy --baseline random:4 --baseline pca:3 --methods --restart --out o"},
	{name: "encode one file", first: "encode --frames f.npy --baseline random:4 --to npz --out o", second: "encode --frames p.npy --baseline random:3 --to npz --restart --out o"},
	{name: "smoothness", first: "smoothness --frames f.npy --baseline random:4 --cache c --format svg --out o", second: "smoothness --frames p.npy --baseline random:4,pca:3 --cache c --format svg,pdf --methods --out o"},
	{name: "robustness", first: "robustness --frames f.npy --baseline random:4 --cache off --per-sample --draws 1 --format svg --out o", second: "robustness --frames p.npy --baseline random:4 --cache off --per-sample --draws 2 --format svg --bootstrap 0 --out o"},
	{name: "neighborhood", first: "neighborhood --frames f.npy --baseline random:4 --cache off --k 2 --permutations 0 --per-point --format svg --out o", second: "neighborhood --frames p.npy --baseline random:4 --cache c --k 3 --permutations 0 --format png --out o"},
	{name: "manifold", first: "manifold --frames f.npy --baseline random:4 --cache c --format svg --out o", second: "manifold --frames p.npy --baseline pca:4 --cache c --format pdf --out o"},
	{name: "geometry", first: "geometry --frames f.npy --baseline random:4 --labels labels.npy --cache off --per-point --clusters 2 --format svg --out o", second: "geometry --frames p.npy --baseline random:4 --cache off --format svg --out o"},
	{name: "similarity", first: "similarity --frames f.npy --baseline random:4,pca:3 --cache off --k 2 --permutations 3 --format svg --out o", second: "similarity --frames p.npy --baseline random:4,pca:2 --cache off --k 2 --permutations 3 --format svg --out o"},
	{name: "reconstruction", first: "reconstruction --frames f.npy --predictions a=p.npy --save-frames --samples-shown 1 --format svg --bootstrap 0 --out o", second: "reconstruction --frames f.npy --predictions a=f.npy --save-frames --samples-shown 1 --format svg --bootstrap 0 --out o"},
	{name: "reward", first: "reward --frames f.npy --targets a=labels.npy --baseline random:4 --cache off --probes ridge --predictions-csv --bootstrap 0 --format svg --out o", second: "reward --frames p.npy --targets a=labels.npy --baseline random:4 --cache off --probes ridge --predictions-csv --bootstrap 0 --format svg --out o"},
	{name: "surprise", first: "surprise --frames f.npy --baseline random:4 --cache off --violations skip --draws 1 --bootstrap 0 --format svg --out o", second: "surprise --frames p.npy --baseline random:4 --cache off --violations skip,freeze --draws 1 --bootstrap 0 --format svg --out o"},
	{name: "audit", first: "audit --train f.npy --test p.npy --bootstrap 0 --format svg --out o", second: "audit --train p.npy --test f.npy --bootstrap 0 --write-split else/s.npy --format svg --out o"},
	{name: "leaks", fails: true, first: "audit --train f.npy --test f.npy --fail-if-leaks 0 --junit else/j.xml --bootstrap 0 --format svg --out o", second: "audit --train p.npy --test p.npy --fail-if-leaks 0 --junit else/j.xml --bootstrap 0 --format svg --out o"},
	{name: "validate", first: "validate checkpoints.csv --outcome y --format svg --out o", second: "validate checkpoints.csv --outcome x --format svg,pdf --out o"},
	{name: "export", first: "repscope export found/r.json --to every_eval_ever --organization me --relationship other --out o", second: "repscope export more/r.json --to every_eval_ever --organization me --relationship other --out o"},
	{name: "export of tables", first: "repscope export found/r.json --to parquet --out o", second: "repscope export found/r.json more/r.json --to parquet --out o"},
	{name: "generation", first: "generation --generated a=p.json --real p.json --documented-json else/d.json --format svg --out o", second: "generation --generated b=p.json --real p.json --documented-json else/d.json --format svg --bootstrap 0 --out o"},
	{name: "generation published", first: "generation --generated a=p.json --data p.json --metrics diversity --output else/r.json --format none --out o", second: "generation --generated b=p.json --data p.json --metrics diversity --output else/r.json --format none --bootstrap 0 --out o"},
	{name: "forecast", first: "forecast --target truth.npy --forecast a=members.npy --documented-json else/d.json --format svg --out o", second: "forecast --target truth.npy --forecast b=members.npy --documented-json else/d.json --format svg --bootstrap 0 --out o"},
	{name: "forecast published", first: "forecast --target truth.npy --forecast a=members.npy --save_results else/d.json --format none --out o", second: "forecast --target truth.npy --input truth.npy --save_results else/d.json --format none --out o"},
	{name: "sequence", first: "sequence --dump a=dump.npz --documented-json else/d.json --bootstrap 0 --format svg --out o", second: "sequence --dump b=dump.npz --documented-json else/d.json --format svg --out o"},
	{name: "mask plan", first: "sequence --sequences ab.csv --columns heavy=VH,light=VL --mask-plan else/plan.npz", second: "sequence --sequences ab.csv --columns heavy=VH,light=VL --mask-plan else/plan.npz --seed 7"},
	{name: "canvas", first: "canvas --reference-json design.json --generated-json design.json --metrics layout,fill --bootstrap 0 --format svg --out o", second: "canvas --reference-json design.json --generated-json design.json --metrics layout --format svg --out o"},
	{name: "canvas of a tree", first: "canvas --base-dir tree --task t_gen --variant v --reports --metrics fill,layout --format svg --out o", second: "canvas --base-dir tree --task t_gen --variant v --reports --metrics fill,layout --seed 7 --resume --format svg,pdf --out o"},
	{name: "compare", first: "compare r.json --table else/t.csv --figure else/t.svg --format svg --out o", second: "compare r.json --names random=other --table else/t.csv --figure else/t.svg --format svg --out o"},
	{name: "compare published", first: "compare --results m.json r.json --names P Q --allow-different --save_table else/t.csv,else/t.tex --save_plot else/t.png --out o", second: "compare --results m.json n.json --names P Q --save_table else/t.csv,else/t.tex --save_plot else/t.png --out o"},
	{name: "losses", first: "compare --losses a=l.csv --loss-columns loss --out o", second: "compare --losses b=l.csv --loss-columns loss --out o --format svg"},
	{name: "evaluate", first: "evaluate study.yaml --out o", second: "evaluate other.yaml --out o"},
	{name: "evaluate again", first: "evaluate study.yaml --out o", second: "evaluate study.yaml --resume=false --out o"},
	{name: "report", first: "evaluate report found --out o", second: "evaluate report found more --out o"},
	{name: "report page", first: "evaluate report found --out else/page.html", second: "evaluate report found more --out else/page.html"},
	{name: "shard", first: "manifold --frames f.npy --baseline random:4 --cache off --shard 0/2 --out o", second: "manifold --frames p.npy --baseline random:4 --cache off --shard 0/2 --out o"},
	{name: "merge", first: "scale merge shards1 --out o", second: "scale merge shards2 --out o"},
	{name: "manual", first: "repscope man --out else", second: "repscope man --out else"},
}

// interruptedFiles are what they read.
func interruptedFiles(t *testing.T, dir, home string) {
	t.Helper()
	apartFiles(t, dir)
	put := func(name, text string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	const study = "datasets: {d: {frames: f.npy, baseline: random:4, cache: c, format: svg, bootstrap: 0, only: [manifold, neighborhood], neighborhood: {k: 3}}}\n"
	put("study.yaml", study)
	put("other.yaml", strings.Replace(study, "f.npy", "p.npy", 1))
	put("m.json", trialMetrics)
	put("n.json", strings.Replace(trialMetrics, "1.5", "2.5", 1))
	put("else/keep.txt", "it stays")
	result, err := os.ReadFile(filepath.Join(dir, "found", "r.json"))
	if err != nil {
		t.Fatal(err)
	}
	put("more/r.json", strings.Replace(string(result), `"seed": 42`, `"seed": 43`, 1))
	for i, frames := range []string{"f.npy", "p.npy"} {
		for part := range 2 {
			line := fmt.Sprintf("manifold --frames %s --baseline random:4 --cache off --format svg --bootstrap 0 --quiet --shard %d/2 --out shards%d", frames, part, i+1)
			if o, err := (trialRun{args: strings.Fields(line), dir: dir, home: home}).do(); err != nil || o.code != 0 {
				t.Fatal(line, err, o.stderr)
			}
		}
	}
}

// resultFiles are the files of results below a folder, without time stamps.
func resultFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, folder := range []string{"o", "else"} {
		path := filepath.Join(dir, folder)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for name, content := range folderOf(t, path) {
			switch base := filepath.Base(name); {
			case strings.HasPrefix(base, ".evaluate.lock"):
				continue
			case strings.HasSuffix(base, report.SumsEnding), strings.HasSuffix(base, ".shard"), strings.HasPrefix(base, ".evaluate"):
				content = "" // it has time stamps, and verify holds it
			}
			files[folder+"/"+name] = content
		}
	}
	return files
}

// inputFiles are all others.
func inputFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := contents(t, dir)
	maps.DeleteFunc(files, func(name, _ string) bool {
		top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		return top == "o" || top == "else" || top == "c" || top == "home"
	})
	return files
}

// interruptions are the ways in which a run is disturbed.
var interruptions = []string{"SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGINT", "full file", "full disk", "read-only"}

// Whenever a run ends, and why: the earlier result is whole or that of the run is, inputs have their bytes, and the
// same command makes the bytes of a run that nobody disturbed and leaves nothing behind. REPSCOPE_TRIAL_KILLS=300 is
// the long form.
func TestTrialKills(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	n := howMany(t, "REPSCOPE_TRIAL_KILLS", 12)
	only := howMany(t, "REPSCOPE_TRIAL_ONLY", -1)
	seed := trialSeed(t)
	root := t.TempDir()
	home, base := filepath.Join(root, "home"), filepath.Join(root, "base")
	if err := os.Mkdir(base, 0o777); err != nil {
		t.Fatal(err)
	}
	interruptedFiles(t, base, home)
	type ready struct {
		interruptedRun
		dir     string // with the first result
		want    map[string]string
		took    time.Duration
		largest int
	}
	runs := make([]*ready, len(interruptedRuns))
	words := func(line string) []string {
		args := strings.Fields(line)
		if !slices.Contains(args, "man") {
			args = append(args, "--quiet")
		}
		return args
	}
	allowed := func(r interruptedRun, code int) bool { return code == 0 || r.fails && code == 1 }
	trials(len(runs), func(i int) {
		r := &ready{interruptedRun: interruptedRuns[i], dir: filepath.Join(root, fmt.Sprint("first", i))}
		runs[i] = r
		copyTree(t, base, r.dir)
		whole := filepath.Join(root, fmt.Sprint("second", i))
		for step, line := range []string{r.first, r.second} {
			dir := r.dir
			if step == 1 {
				copyTree(t, r.dir, whole)
				dir = whole
			}
			o, err := trialRun{args: words(line), dir: dir, home: home}.do()
			if err != nil || !allowed(r.interruptedRun, o.code) {
				t.Errorf("%s, undisturbed: %s: exit %d, %v: %s", r.name, line, o.code, err, o.stderr)
				return
			}
			r.took = o.took
		}
		r.want = resultFiles(t, whole)
		for _, content := range r.want {
			r.largest = max(r.largest, len(content))
		}
		if first := resultFiles(t, r.dir); maps.Equal(first, r.want) && r.name != "manual" && r.name != "evaluate again" && r.name != "shard" {
			t.Errorf("%s: both runs write the same", r.name)
		}
	})
	if t.Failed() {
		return
	}
	l := newLedger()
	disturbed := map[string]int{}
	trials(n, func(i int) {
		if only >= 0 && i != only {
			return
		}
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		r, how := runs[i%len(runs)], interruptions[random.IntN(len(interruptions))]
		dir := filepath.Join(root, fmt.Sprint("trial", i))
		copyTree(t, r.dir, dir)
		inputs, earlier := inputFiles(t, dir), resultFiles(t, dir)
		run := trialRun{args: words(r.second), dir: dir, home: home}
		what := fmt.Sprintf("%d: %s, %s", i, r.name, how)
		release := func() {}
		switch how {
		case "SIGKILL", "SIGTERM", "SIGINT":
			run.with = map[string]syscall.Signal{"SIGKILL": syscall.SIGKILL, "SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT}[how]
			run.kill = time.Duration(random.Float64() * 1.1 * float64(r.took))
			if random.IntN(2) == 0 { // while it writes
				run.kill = time.Duration((0.7 + 0.4*random.Float64()) * float64(r.took))
			}
			what += fmt.Sprintf(" after %v", run.kill)
		case "full file":
			run.limit = 1 + random.IntN(r.largest)
			what += fmt.Sprintf(" at %d bytes", run.limit)
		case "full disk", "read-only":
			if mountSmall == nil || filepath.Base(r.name) == "mask plan" {
				break
			}
			folder := filepath.Join(dir, "o")
			if _, err := os.Stat(folder); err != nil {
				folder = filepath.Join(dir, "else")
			}
			kept := folder + ".kept"
			if err := os.Rename(folder, kept); err != nil {
				t.Error(err)
				return
			}
			unmount, err := mountSmall(folder, 1<<24)
			if err != nil { // this user may not
				_ = errors.Join(os.Remove(folder), os.Rename(kept, folder))
				break
			}
			size := copyTree(t, kept, folder)
			_ = os.RemoveAll(kept)
			pages := 4096 * (len(contents(t, folder)) + 8)
			room := int(size) + pages + random.IntN(int(size)+pages)
			if err := remountSmall(folder, room, how == "read-only"); err != nil {
				t.Error(err)
			}
			what += fmt.Sprintf(" of %d bytes for %d", room, size)
			release = func() {
				if err := errors.Join(remountSmall(folder, 1<<24, false), copyAway(folder, kept), unmount(), os.Remove(folder), os.Rename(kept, folder)); err != nil {
					t.Error(err)
				}
			}
		}
		o, err := run.do()
		if err != nil {
			t.Error(err)
			return
		}
		verify := trialRun{args: []string{"repscope", "verify", "o"}, dir: dir, home: home}
		verified, _ := verify.do()
		if o.signal == syscall.SIGKILL && strings.Contains(verified.stdout, "left files half renamed") {
			for file := range contents(t, filepath.Join(dir, "o")) { // as whoever reads the result does
				report.Recover(filepath.Join(dir, "o", filepath.Dir(file)))
			}
			verified, _ = verify.do()
		}
		release()
		fail := func(kind, format string, values ...any) {
			l.fail(t, kind, "%s: %s: exit %d: %.400s: %s", what, r.second, o.code, o.stderr, fmt.Sprintf(format, values...))
			if keep := os.Getenv("REPSCOPE_TRIAL_KEEP"); keep != "" {
				copyTree(t, dir, filepath.Join(keep, fmt.Sprint("kill", i)))
			}
		}
		l.count(what, o)
		if o.signal != 0 || o.code != 0 {
			l.mutex.Lock()
			disturbed[how]++
			l.mutex.Unlock()
		}
		if wrong := o.wrong(1 << 20); wrong != "" && (o.signal == 0 || o.signal != run.with) { // a signal may come before the program listens
			fail(wrong, "")
		}
		if _, err := os.Stat(filepath.Join(dir, "o")); err == nil && r.name != "report" && !strings.HasPrefix(r.name, "export") && verified.code != 0 { // they have no record
			fail("it is not verified", "exit %d: %s %s", verified.code, verified.stdout, verified.stderr)
		}
		if after := inputFiles(t, dir); !maps.Equal(inputs, after) {
			fail("inputs have changed", "%v", differing(inputs, after))
		}
		now := resultFiles(t, dir)
		for name := range now { // of a run that was killed
			if temporary(name) {
				if o.signal != syscall.SIGKILL && !strings.Contains(name, "partial") {
					fail("a file is left behind", "%s", name)
				}
				delete(now, name)
			}
		}
		if other := differing(earlier, now); r.name != "evaluate" && r.name != "evaluate again" && r.name != "manual" && len(other) > 0 && len(differing(r.want, now)) > 0 {
			fail("it is neither of both results", "%v; %v", other, differing(r.want, now))
		}
		again, err := trialRun{args: words(r.second), dir: dir, home: home}.do()
		if err != nil || !allowed(r.interruptedRun, again.code) {
			fail("the same command fails", "%v: exit %d: %s", err, again.code, again.stderr)
		} else if other := differing(r.want, resultFiles(t, dir)); len(other) > 0 {
			fail("the same command writes other files", "%v", other)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	l.log(t)
	t.Logf("disturbed: %v", disturbed)
}

// temporary reports whether a file is one that a run had not yet finished.
func temporary(name string) bool {
	base := filepath.Base(name)
	return strings.Contains(base, "partial") || strings.HasSuffix(base, ".tmp") || strings.Contains(base, ".tmp") || strings.HasSuffix(base, ".lock")
}

// differing are the names of files that are not the same in both.
func differing(a, b map[string]string) (names []string) {
	for name, content := range a {
		if other, ok := b[name]; !ok || other != content {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// copyAway copies the files of a folder.
func copyAway(from, to string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}
