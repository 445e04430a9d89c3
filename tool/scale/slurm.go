// scale slurm: a divided work as arrays of jobs of a cluster, and the job that puts it together.

package scale

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"repscope/internal/escape"
	"repscope/internal/option"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

const slurmManual = `scale slurm divides work as scale plan does and writes Slurm scripts into OUT/slurm: one for
the tasks, one for the job that combines the shards, and submit.sh, which submits both. The
tasks become arrays of jobs within the site's MaxArraySize; the last job starts once all of
them have succeeded. --submit runs submit.sh at once.

  scale slurm --within 2h --submit --follow -- neighborhood --frames val.npy --latents z=z.npy
  scale slurm SUITE.yaml --submit
  scale slurm DIR --resubmit --follow

--resubmit submits tasks that are neither complete nor in the queue. --sbatch passes options
that the site requires. Cores, memory and time of the jobs come from the plan, with a margin
(memory: 1.25 times plus 256 MB; time: twice plus ten minutes); --sbatch overrides them.
The program, the inputs and OUT must be on disks shared by all machines.`

// slurmFolder is the folder of what Slurm is given and writes.
const slurmFolder = "slurm"

// defaultArray is MaxArraySize of a site that says nothing.
const defaultArray = 1001

// slurm is the settings of the command.
type slurm struct {
	division                 *division
	submit, follow, resubmit bool
	program                  string
	options                  []string
	atMost, maxArray         int
	poll                     string
	analyses                 []run.Command
	studies                  Studies
	job                      *Job // of a folder
	divided                  bool // it is new
	interval                 time.Duration
	stdout, stderr           io.Writer
}

// newSlurm is the command.
func newSlurm(analyses []run.Command, studies Studies) run.Command {
	return run.Command{
		Name:        "slurm",
		Summary:     "divides work into jobs of a Slurm cluster",
		Manual:      slurmManual,
		Out:         placeholder,
		Arguments:   "SUITE.yaml | DIR | -- ANALYSIS …",
		Interrupted: "interrupted; submitted jobs continue",
		Omit:        []string{"seed", "bootstrap", "format", "width", "config", "json", "threads"},
		Setup: func(flags *run.Flags) run.Job {
			s := &slurm{division: newDivision(flags, analyses, studies), poll: "10s", analyses: analyses, studies: studies}
			s.register(flags)
			return run.Job{Check: s.check, Direct: func(ctx context.Context, o *run.Options, stdout, stderr io.Writer) error {
				s.stdout, s.stderr = stdout, stderr
				if o.Quiet {
					s.stdout = io.Discard
				}
				return s.run(ctx)
			}}
		},
	}
}

func (s *slurm) register(flags *run.Flags) {
	flags.Usage("DIR --resubmit | --follow")
	flags.Declare(option.Of(s))
}

// Declare lists the options.
func (s *slurm) Declare(l *option.List) {
	l.Bool(&s.submit, "submit", "submit the jobs").Free()
	l.Bool(&s.resubmit, "resubmit", "submit the tasks of DIR that are neither complete nor in the queue").Free()
	l.Bool(&s.follow, "follow", "wait until no job is left in the queue, and print the number of complete tasks").Free()
	l.Path(&s.program, "program", "`FILE` of scale on the machines of the cluster (default: this program)").Free().Reads()
	l.WholeTexts(&s.options, "sbatch", nil, "`OPTION` of sbatch for all jobs, such as --partition=long (repeats)").Free()
	l.Int(&s.atMost, "at-most", "`N` tasks of an array at the same time; 0: as many as the site allows").AtLeast(0).Free()
	l.Int(&s.maxArray, "max-array", "`N`, the site's MaxArraySize; 0: from scontrol, or 1001 without scontrol").AtLeast(0).Free()
	l.Checked(&s.poll, "poll", checkTime, "`TIME` between status checks of --follow").Free()
}

func (s *slurm) check(o *run.Options) (err error) {
	if s.interval, err = parseTime(s.poll); err != nil {
		return run.Usage("%w", err)
	}
	for _, option := range s.options {
		if !strings.HasPrefix(option, "-") {
			return run.Usage("--sbatch %s: want an option, such as --partition=long", option)
		}
	}
	if len(o.Args) == 1 {
		if info, err := os.Stat(o.Args[0]); err == nil && info.IsDir() {
			if !s.resubmit && !s.follow {
				return run.Usage("%s is divided already: want --resubmit or --follow", o.Args[0])
			}
			s.job, err = readJob(o.Args[0])
			return err
		}
	}
	if s.resubmit {
		return run.Usage("--resubmit: want the folder of divided work")
	}
	if s.follow && !s.submit {
		return run.Usage("--follow: want --submit, or the folder of submitted work")
	}
	return s.division.check(o)
}

func (s *slurm) run(ctx context.Context) error {
	if s.program == "" {
		var err error
		if s.program, err = os.Executable(); err != nil {
			return run.Hint(err, "name the program with --program")
		}
	}
	if s.job == nil {
		p, err := s.division.plan(ctx, s.stderr)
		if err != nil {
			return err
		}
		for _, w := range p.warnings {
			fmt.Fprintf(s.stderr, "scale slurm: warning: %s\n", w)
		}
		s.job, s.divided = p.job, true
		if err := s.job.free(ctx); err != nil {
			return err
		}
	}
	root, err := filepath.Abs(s.job.root)
	if err != nil {
		return err
	}
	s.job.root = root
	if s.submit || s.resubmit || !s.follow {
		if err := s.send(ctx); err != nil {
			return err
		}
	}
	if s.follow {
		return s.watch(ctx)
	}
	return nil
}

// free finds what keeps a job from being written into its folder: an input that it would be written over, and tasks of
// another job that are running there.
func (j *Job) free(ctx context.Context) error {
	var outputs []string
	for _, name := range []string{manifestName, slurmFolder + "/*", k8sFolder + "/*"} {
		outputs = append(outputs, filepath.Join(escape.Glob(j.root), name))
	}
	if err := run.Apart(append(inputsOf(j), j.Suite), outputs); err != nil {
		return err
	}
	if old, err := readJob(j.root); err == nil && old.digest != j.digest {
		all, err := old.standings(ctx)
		if err != nil {
			return err
		}
		if n := count(all)[running]; n > 0 {
			return run.Hint(fmt.Errorf("%s: %s of another division of the work are running in this folder", j.root, text.Count(n, "task")), "wait for them, or choose another --out")
		}
	}
	return nil
}

// send writes the job, if it is new, and the scripts for tasks that are neither complete nor in the queue, and submits
// them.
func (s *slurm) send(ctx context.Context) error {
	all, err := s.job.standings(ctx)
	if err != nil {
		return err
	}
	queued, err := s.queued(ctx)
	if err != nil {
		return err
	}
	var wanted []int
	for i, st := range all {
		if st.state != complete && st.state != running && !queued.tasks[i] {
			wanted = append(wanted, i)
		}
	}
	files, err := report.Begin(s.job.root)
	if err != nil {
		return err
	}
	defer files.Abort()
	if s.divided {
		if err := s.job.write(files); err != nil {
			return err
		}
	}
	if len(wanted) == 0 && (len(queued.tasks) > 0 || len(s.job.unfinished()) == 0 && s.job.Suite == "") {
		if err := files.Commit(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(s.stdout, "nothing to submit: %s", s.job.statusText(all))
		return err
	}
	if err := s.write(ctx, files, wanted, queued); err != nil {
		return err
	}
	if err := files.Commit(); err != nil {
		return err
	}
	script := filepath.Join(s.job.root, slurmFolder, submitScript)
	if !s.submit && !s.resubmit {
		_, err := fmt.Fprintf(s.stdout, "%s; submit them with: sh %s\n",
			text.Count(len(wanted), "task"), escape.Shell(script))
		return err
	}
	var out, errs bytes.Buffer
	c := exec.CommandContext(ctx, "sh", script)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", script, err, strings.TrimSpace(errs.String()))
	}
	_, err = fmt.Fprintf(s.stdout, "%s submitted: jobs %s\n",
		text.Count(len(wanted), "task"), strings.Join(strings.Fields(out.String()), ", "))
	return err
}

// The files of the folder.
const (
	taskScript   = "task.sh"
	finishScript = "finish.sh"
	submitScript = "submit.sh"
	jobsFile     = "jobs.txt" // a line for each job: its number, and the offset of its array or "finish"
)

// write writes the scripts.
func (s *slurm) write(ctx context.Context, files *report.Transaction, wanted []int, queued *queue) error {
	limit := s.maxArray
	if limit == 0 {
		limit = maxArraySize(ctx)
	}
	for name, content := range map[string]string{
		taskScript: "#!/bin/sh\n# One task of the array; its offset is the argument. Written by scale slurm.\n" +
			"exec " + escape.Shell(s.program) + " task " + escape.Shell(s.job.root) + ` --offset "$1" --index "$((SLURM_ARRAY_TASK_ID + $1))" --threads "${SLURM_CPUS_PER_TASK:-0}"` + "\n",
		finishScript: "#!/bin/sh\n# Puts the work together. Written by scale slurm.\n" +
			"exec " + escape.Shell(s.program) + " finish " + escape.Shell(s.job.root) + ` --threads "${SLURM_CPUS_PER_TASK:-0}"` + "\n",
		submitScript: s.submission(wanted, limit, queued),
	} {
		if err := files.FileMode(slurmFolder+"/"+name, 0o777, func(w io.Writer) error {
			_, err := io.WriteString(w, content)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// maxArraySize is the limit of the site.
func maxArraySize(ctx context.Context) int {
	out, err := exec.CommandContext(ctx, "scontrol", "show", "config").Output()
	if err != nil {
		return defaultArray
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		if name, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == "MaxArraySize" {
			if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n > 0 {
				return n
			}
		}
	}
	return defaultArray
}

// array is one array of jobs: tasks offset + index.
type array struct {
	offset int
	index  []int
}

// arrays divides ascending numbers of tasks into arrays whose indices are below most.
func arrays(wanted []int, limit int) []array {
	var list []array
	for _, i := range wanted {
		if n := len(list); n == 0 || i-list[n-1].offset >= limit {
			list = append(list, array{offset: i})
		}
		last := &list[len(list)-1]
		last.index = append(last.index, i-last.offset)
	}
	return list
}

// submission is the script that submits: first tasks, the others after them, and the last job after all.
func (s *slurm) submission(wanted []int, limit int, queued *queue) string {
	folder := filepath.Join(s.job.root, slurmFolder)
	firsts := s.job.firsts()
	split := slices.IndexFunc(wanted, func(i int) bool { return i >= firsts })
	if split < 0 {
		split = len(wanted)
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# Submits the tasks and the job that puts them together. Written by scale slurm.\nset -eu\n")
	fmt.Fprintf(&b, "cd %s\n", escape.Shell(s.job.Dir))
	fmt.Fprintf(&b, "folder=%s\n", escape.Shell(folder))
	// submit OFFSET-OR-"finish" OPTIONS… SCRIPT ARGUMENTS… prints the number of the job and keeps it.
	b.WriteString("submit() {\n\twhat=$1\n\tshift\n\tid=$(sbatch --parsable \"$@\")\n\tid=${id%%;*}\n" +
		"\techo \"$id $what\" >> \"$folder\"/" + jobsFile + "\n\techo \"$id\"\n}\nall=\n")
	for _, id := range queued.jobs { // jobs in the queue must be done before the last job, too
		fmt.Fprintf(&b, "all=$all:%d\n", id)
	}
	for phase, list := range [][]array{arrays(wanted[:split], limit), arrays(wanted[split:], limit)} {
		if phase == 1 && split > 0 {
			b.WriteString("first=$all\n")
		}
		for _, a := range list {
			fmt.Fprintf(&b, "id=$(submit %d %s", a.offset, s.options1(a, folder))
			if phase == 1 && split > 0 {
				b.WriteString(` --dependency=afterok"$first" --kill-on-invalid-dep=yes`)
			}
			fmt.Fprintf(&b, " %s \"$folder\"/%s %d)\necho \"$id\"\nall=$all:$id\n", s.given(), taskScript, a.offset)
		}
	}
	fmt.Fprintf(&b, "id=$(submit finish --job-name=%s --output=%s%s --cpus-per-task=%d --mem=%s --kill-on-invalid-dep=yes ${all:+--dependency=afterok\"$all\"} %s \"$folder\"/%s)\necho \"$id\"\n",
		escape.Shell(s.name()+"-finish"), escape.Shell(pattern(folder)), "/finish-%j.out", max(s.division.cores, 1), s.most(),
		s.given(), finishScript)
	return b.String()
}

// options1 are the options of an array.
func (s *slurm) options1(a array, folder string) string {
	seconds, cores, open := 0.0, max(s.division.cores, 1), false
	for _, i := range a.index {
		n := s.job.tasks[a.offset+i].piece.Need
		seconds = max(seconds, n.Seconds+n.Encode)
		open = open || n.Seconds == 0
	}
	limit := ranges(a.index)
	if s.atMost > 0 {
		limit += "%" + strconv.Itoa(s.atMost)
	}
	text := fmt.Sprintf("--array=%s --job-name=%s --output=%s/task-%%A_%%a.out --open-mode=append --requeue --cpus-per-task=%d --mem=%s",
		limit, escape.Shell(s.name()), escape.Shell(pattern(folder)), cores, s.most())
	if !open { // of a time that is not known the site's default is the limit
		text += fmt.Sprintf(" --time=%d", int(math.Ceil(2*seconds/60))+10)
	}
	return text
}

// most is the memory of a job in megabytes: the largest task and a reserve.
func (s *slurm) most() string {
	largest := int64(0)
	for i := range s.job.Pieces {
		largest = max(largest, s.job.Pieces[i].Need.Memory)
	}
	return strconv.FormatInt((largest+largest/4)>>20+256, 10) + "M"
}

// given are the options of --sbatch, which win over ours as they come later.
func (s *slurm) given() string {
	quoted := make([]string, len(s.options))
	for i, option := range s.options {
		quoted[i] = escape.Shell(option)
	}
	return strings.Join(quoted, " ")
}

// name is the name of the jobs.
func (s *slurm) name() string {
	if s.job.Suite != "" {
		return "evaluate"
	}
	return s.job.Pieces[0].Analysis
}

// pattern is a path in an option of sbatch that replaces what follows %.
func pattern(path string) string { return strings.ReplaceAll(path, "%", "%%") }

// queue is the part of a job in Slurm's queue.
type queue struct {
	tasks    map[int]bool
	jobs     []int // arrays of these tasks
	finishes []int // jobs that put the work together
	states   map[string]int
	reasons  map[string]int // why jobs are held that do not begin by themselves
	dead     int            // tasks and jobs whose dependencies can never be met
}

// endless are reasons of Slurm for which a pending job waits for somebody to act. Others end by themselves.
var endless = []string{"DependencyNeverSatisfied", "JobHeldUser", "JobHeldAdmin", "BadConstraints", "PartitionNodeLimit", "PartitionTimeLimit",
	"AssociationJobLimit", "AccountNotAllowed", "QOSNotAllowed", "InvalidQOS", "InvalidAccount", "PartitionDown", "PartitionInactive"}

// enter takes in why a job is pending.
func (q *queue) enter(fields []string) {
	if fields[2] != "PENDING" || len(fields) < 4 {
		return
	}
	reason := strings.Trim(fields[3], "()")
	if slices.Contains(endless, reason) {
		q.reasons[reason]++
	}
	if reason == endless[0] {
		q.dead++
	}
}

// over reports whether nothing is left in the queue that can still run.
func (q *queue) over() bool { return len(q.tasks)+len(q.finishes) == q.dead }

// queued asks for the jobs that were submitted.
func (s *slurm) queued(ctx context.Context) (*queue, error) {
	q := &queue{tasks: map[int]bool{}, states: map[string]int{}, reasons: map[string]int{}}
	data, err := regular.Read(filepath.Join(s.job.root, slurmFolder, jobsFile), regular.Settings)
	if errors.Is(err, fs.ErrNotExist) {
		return q, nil
	}
	if err != nil {
		return nil, regular.PathError(err)
	}
	offsets := map[int]int{}
	finish := map[int]bool{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			continue
		}
		id, err := strconv.Atoi(fields[0])
		if err != nil {
			continue
		}
		if fields[1] == "finish" {
			finish[id] = true
		} else if offset, err := strconv.Atoi(fields[1]); err == nil {
			offsets[id] = offset
		}
	}
	// All jobs of the user: squeue refuses a list with a number that it no longer knows.
	c := exec.CommandContext(ctx, "squeue", "--me", "--noheader", "--array", "--format=%F %K %T %r")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, run.Hint(fmt.Errorf("squeue: %w", exec.ErrNotFound), "run it on a machine of the cluster")
	}
	if err != nil {
		return nil, fmt.Errorf("squeue: %w: %s", err, strings.TrimSpace(errs.String()))
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		id, err := strconv.Atoi(fields[0])
		if err != nil {
			continue
		}
		if finish[id] {
			q.finishes = append(q.finishes, id)
			q.enter(fields)
			continue
		}
		offset, ours := offsets[id]
		index, err := strconv.Atoi(fields[1])
		if !ours || err != nil {
			continue
		}
		q.tasks[offset+index] = true
		q.states[fields[2]]++
		q.enter(fields)
		if !slices.Contains(q.jobs, id) {
			q.jobs = append(q.jobs, id)
		}
	}
	slices.Sort(q.jobs)
	return q, nil
}

// mostSilent is how often in a row Slurm may not answer before --follow ends.
const mostSilent = 30

// watch waits until no job is in the queue that can still run, and says what became of the tasks.
func (s *slurm) watch(ctx context.Context) error {
	last, silent := "", 0
	for {
		q, err := s.queued(ctx)
		switch {
		case err == nil:
			silent = 0
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, exec.ErrNotFound) || silent >= mostSilent:
			return err
		default:
			silent++
		}
		if err == nil {
			if line := s.progress(q); line != last {
				if _, err := fmt.Fprintln(s.stdout, line); err != nil {
					return err
				}
				last = line
			}
			if q.over() {
				break
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.interval):
		}
	}
	all, err := s.job.standings(ctx)
	if err != nil {
		return err
	}
	if count(all)[complete] < len(all) || len(s.job.unfinished()) > 0 {
		if _, err := io.WriteString(s.stdout, s.job.statusText(all)); err != nil {
			return err
		}
		return run.Hint(errIncomplete, s.job.next(all))
	}
	return nil
}

// progress describes how far the tasks are, and which jobs in the queue wait for an action.
func (s *slurm) progress(q *queue) string {
	all := make([]standing, len(s.job.tasks))
	for i := range all {
		all[i] = s.job.standing(&s.job.tasks[i])
	}
	n := count(all)
	line := fmt.Sprintf("%d of %d tasks complete", n[complete], len(all))
	if n[failed] > 0 {
		line += fmt.Sprintf(", %d failed", n[failed])
	}
	for _, state := range []string{"RUNNING", "PENDING"} {
		if q.states[state] > 0 {
			line += fmt.Sprintf(", %d %s", q.states[state], strings.ToLower(state))
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(q.reasons)) {
		line += fmt.Sprintf(", %d on hold: %s", q.reasons[reason], reason)
	}
	return line
}
