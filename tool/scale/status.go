// scale status: which parts of a divided work are complete, running, failed, damaged or missing.

package scale

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/escape"
	"repscope/internal/folderlock"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
	"repscope/shard"
)

const statusManual = `scale status lists the complete, running, failed, damaged and missing tasks of divided work, and
the command that finishes it. DIR is the folder of "scale slurm" or "scale k8s", or any folder
with shards (ANALYSIS.i-of-n.shard); SUITE.yaml stands for the folder of the suite.

Exit status: 0 if all tasks are complete and combined, else 1.`

// The states of tasks.
const (
	complete = "complete"
	running  = "running"
	failed   = "failed"
	damaged  = "damaged"
	missing  = "missing"
)

// states are in the order in which they are listed.
var states = []string{complete, running, failed, damaged, missing}

// standing is what became of a task.
type standing struct {
	state  string
	detail string
	code   int
}

// newStatus is the command.
func newStatus(_ []run.Command, studies Studies) run.Command {
	return run.Command{
		Name:      "status",
		Summary:   "lists complete and missing tasks of divided work",
		Manual:    statusManual,
		Out:       placeholder,
		Arguments: "DIR | SUITE.yaml",
		Omit:      []string{"seed", "bootstrap", "format", "width", "config", "threads", "memory", "out"},
		Setup: func(flags *run.Flags) run.Job {
			flags.Usage("DIR", "SUITE.yaml")
			return run.Job{Check: func(o *run.Options) error {
				if len(o.Args) != 1 {
					return run.Usage("%d folders: want one folder, or a suite file", len(o.Args))
				}
				return nil
			}, Direct: func(ctx context.Context, o *run.Options, stdout, _ io.Writer) error {
				return status(ctx, o, studies, stdout)
			}}
		},
	}
}

func status(ctx context.Context, o *run.Options, studies Studies, stdout io.Writer) error {
	root := o.Args[0]
	info, err := os.Stat(root)
	if err != nil {
		return regular.PathError(err)
	}
	if !info.IsDir() {
		if _, root, err = studies.Read(ctx, root); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(root, manifestName)); errors.Is(err, fs.ErrNotExist) {
		return loose(root, o, stdout)
	}
	job, err := readJob(root)
	if err != nil {
		return err
	}
	all, err := job.standings(ctx)
	if err != nil {
		return err
	}
	text := ""
	if o.JSON {
		err = report.Encode(stdout, job.object(all))
	} else if !o.Quiet {
		text = job.statusText(all)
		_, err = io.WriteString(stdout, text)
	}
	if err != nil {
		return err
	}
	if unfinished := job.unfinished(); slices.ContainsFunc(all, func(s standing) bool { return s.state != complete }) || len(unfinished) > 0 {
		return run.Hint(errIncomplete, job.next(all))
	}
	return nil
}

// standings are what became of all tasks. Locks of other machines are looked at twice, all at the same time.
func (j *Job) standings(ctx context.Context) ([]standing, error) {
	all := make([]standing, len(j.tasks))
	var unsure []int
	for i := range j.tasks {
		t := &j.tasks[i]
		busy, err := folderlock.Look(ctx, j.own(t), lockName, false)
		if err != nil {
			return nil, err
		}
		all[i] = j.standing(t)
		if busy != nil && all[i].state != complete {
			all[i] = standing{state: running, detail: fmt.Sprintf("process %d on %s", busy.PID, busy.Host)}
			unsure = append(unsure, i)
		}
	}
	errs := make(chan error, len(unsure))
	for _, i := range unsure {
		go func() {
			t := &j.tasks[i]
			busy, err := folderlock.Look(ctx, j.own(t), lockName, true)
			if err == nil && busy == nil {
				all[i] = j.standing(t)
			}
			errs <- err
		}()
	}
	var failed error
	for range unsure {
		failed = errors.Join(failed, <-errs)
	}
	return all, failed
}

// standing is what a task that is not running has left.
func (j *Job) standing(t *task) standing {
	r := j.recordOf(t)
	switch {
	case r == nil:
		return standing{state: missing, detail: "not started, or killed"}
	case !r.Done:
		first, _, _ := strings.Cut(r.Message, "\n")
		return standing{state: failed, detail: fmt.Sprintf("status %d on %s: %s", r.Code, r.Host, first), code: r.Code}
	}
	switch err := j.whole(t); {
	case errors.Is(err, fs.ErrNotExist):
		return standing{state: missing, detail: "its file is missing: " + j.output(t)}
	case err != nil:
		return standing{state: damaged, detail: err.Error()}
	}
	return standing{state: complete}
}

// unfinished are the pieces whose result is not there, or older than a shard of it.
func (j *Job) unfinished() []*Piece {
	var list []*Piece
	for i := range j.Pieces {
		p := &j.Pieces[i]
		if p.Shards > 1 && !j.merged(p) {
			list = append(list, p)
		}
	}
	return list
}

// mergedFile says in the folder of a piece's shards which job they were put together for.
const mergedFile = "merged.json"

// merged reports whether the shards of a piece are put together.
func (j *Job) merged(p *Piece) bool {
	data, err := regular.Read(filepath.Join(j.folder(p), shardsName, mergedFile), regular.Settings)
	if err != nil || !bytes.Contains(data, []byte(j.digest)) {
		return false
	}
	_, err = report.Read(j.result(p))
	return err == nil
}

// count is how many tasks are in every state.
func count(all []standing) map[string]int {
	n := map[string]int{}
	for _, s := range all {
		n[s.state]++
	}
	return n
}

// shown is how many tasks of a state are named.
const shown = 10

// statusText is the status for the console.
func (j *Job) statusText(all []standing) string {
	var b strings.Builder
	n := count(all)
	var parts []string
	for _, state := range states {
		if n[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[state], state))
		}
	}
	fmt.Fprintf(&b, "%s: %s\n", text.Count(len(all), "task"), strings.Join(parts, ", "))
	for _, state := range states[1:] {
		named := 0
		for i, s := range all {
			if s.state != state {
				continue
			}
			if named++; named <= shown {
				fmt.Fprintf(&b, "  %s: task %d, %s: %s\n", state, i, j.tasks[i].Name(), s.detail)
			}
		}
		if named > shown {
			fmt.Fprintf(&b, "  %s: %d more; tasks %s\n", state, named-shown, indices(all, state))
		}
	}
	for _, p := range j.unfinished() {
		fmt.Fprintf(&b, "  %s is not combined\n", p.Name)
	}
	return b.String()
}

// indices are the tasks of a state, as sbatch writes them.
func indices(all []standing, state string) string {
	var list []int
	for i, s := range all {
		if s.state == state {
			list = append(list, i)
		}
	}
	return ranges(list)
}

// ranges writes ascending numbers as 0-3,7.
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		if k == i {
			parts = append(parts, fmt.Sprint(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[k]))
		}
		i = k + 1
	}
	return strings.Join(parts, ",")
}

// next is the command that goes on.
func (j *Job) next(all []standing) string {
	n := count(all)
	folder := escape.Shell(j.root)
	slurm := false
	if _, err := os.Stat(filepath.Join(j.root, slurmFolder)); err == nil {
		slurm = true
	}
	for _, s := range all {
		if s.state == failed && s.code == 2 {
			return "a task has wrong options; correct them and divide the work again"
		}
	}
	switch {
	case n[complete] == len(all):
		return "combine it with: scale finish " + folder
	case n[running] > 0 && n[running]+n[complete] == len(all):
		return "the other tasks are running"
	case slurm:
		return "submit the missing tasks with: scale slurm " + folder + " --resubmit"
	}
	return "run one with: scale task " + folder + " --index N"
}

// object is the status as JSON.
func (j *Job) object(all []standing) *report.Object {
	var o, counts report.Object
	n := count(all)
	for _, state := range states {
		counts.Set(state, n[state])
	}
	var tasks []any
	for i, s := range all {
		if s.state == complete {
			continue
		}
		var one report.Object
		one.Set("index", i)
		one.Set("name", j.tasks[i].Name())
		one.Set("state", s.state)
		one.Set("detail", s.detail)
		tasks = append(tasks, &one)
	}
	var apart []string
	for _, p := range j.unfinished() {
		apart = append(apart, p.Name)
	}
	o.Set("schema", "repscope/scale-status/1")
	o.Set("tasks", len(all))
	o.Set("counts", &counts)
	o.Set("incomplete", tasks)
	o.Set("not_put_together", apart)
	return &o
}

// loose names the missing units among the shards of a folder that no job describes.
func loose(root string, o *run.Options, stdout io.Writer) error {
	files, err := filepath.Glob(filepath.Join(escape.Glob(root), "*.shard"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return run.Hint(fmt.Errorf("%s: the folder has no %s and no shards", root, manifestName),
			"ANALYSIS --shard i/n writes shards into its --out")
	}
	slices.SortFunc(files, text.CompareNatural)
	var works []*looseWork
	var bad []string
	for _, file := range files {
		state, err := shard.Open(file)
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		i := slices.IndexFunc(works, func(w *looseWork) bool { return w.identity.Difference(state.Identity) == "" })
		if i < 0 {
			i = len(works)
			works = append(works, &looseWork{identity: state.Identity, has: make([]bool, state.Identity.Units)})
		}
		works[i].files++
		for u, has := range state.Has(state.Identity.Units) {
			works[i].has[u] = works[i].has[u] || has
		}
	}
	var b strings.Builder
	ended := len(bad) == 0
	for _, w := range works {
		gone := w.missing()
		ended = ended && len(gone) == 0
		fmt.Fprintf(&b, "%s: %d of %s in %s", w.identity.Analysis, len(w.has)-len(gone), text.Count(len(w.has), "unit"),
			text.Count(w.files, "file"))
		if len(gone) > 0 {
			fmt.Fprintf(&b, "; missing: %s", ranges(gone))
		}
		b.WriteByte('\n')
	}
	for _, line := range bad {
		fmt.Fprintf(&b, "damaged: %s\n", line)
	}
	if !o.Quiet {
		if _, err := io.WriteString(stdout, b.String()); err != nil {
			return err
		}
	}
	if !ended {
		return run.Hint(errIncomplete, "run the tasks i of n with missing units i, i + n, … or damaged files again")
	}
	return nil
}

// looseWork is the shards of one work.
type looseWork struct {
	identity shard.Identity
	has      []bool
	files    int
}

func (w *looseWork) missing() []int {
	var list []int
	for u, has := range w.has {
		if !has {
			list = append(list, u)
		}
	}
	return list
}
