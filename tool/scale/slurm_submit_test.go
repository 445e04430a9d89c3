// Tests of what is submitted, on a scheduler that only keeps what it is told.

package scale

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"repscope/internal/escape"
	"repscope/report"
)

func TestArrays(t *testing.T) {
	t.Parallel()
	for most := 1; most < 9; most++ {
		for mask := range 1 << 10 {
			var wanted []int
			for i := range 10 {
				if mask>>i&1 == 1 {
					wanted = append(wanted, i)
				}
			}
			var got []int
			for _, a := range arrays(wanted, most) {
				for _, i := range a.index {
					if i < 0 || i >= most {
						t.Fatalf("%v, at most %d: index %d", wanted, most, i)
					}
					got = append(got, a.offset+i)
				}
			}
			if !slices.Equal(got, wanted) {
				t.Fatalf("%v, at most %d: got %v", wanted, most, got)
			}
		}
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]int{"": nil, "3": {3}, "0-2": {0, 1, 2}, "0,2-3,9": {0, 2, 3, 9}} {
		if got := ranges(list); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
	}
}

// The shell gives back every word as it is.
func TestQuote(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", "plain-1.0", "a b", "it's", `"$HOME" \n`, "`id`", "a\nb", "100%", "*", "ö", "~x", "-n"} {
		out, err := exec.Command("sh", "-c", "printf %s "+escape.Shell(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: %q, %v", word, out, err)
		}
	}
}

// The script that submits, run with a scheduler that writes down what it is given.
func TestSubmission(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fake := filepath.Join(dir, "sbatch")
	script := "#!/bin/sh\nprintf '[%s]' \"$@\" >> '" + dir + "/calls'\necho >> '" + dir + "/calls'\nn=$(wc -l < '" + dir + "/calls')\necho \"$((n + 40));cluster\"\n"
	if err := os.WriteFile(fake, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "it's 5%")
	job := &Job{Form: manifestForm, Dir: dir, Pieces: []Piece{
		{Name: "a", Analysis: "neighborhood", Folder: ".", Shards: 5, First: true, Need: Need{Seconds: 60, Encode: 600, Memory: 1 << 30}},
		{Name: "b", Analysis: "smoothness", Folder: ".", Shards: 2, Need: Need{Seconds: 30, Memory: 1 << 20}},
	}}
	if err := job.settle(root); err != nil {
		t.Fatal(err)
	}
	s := &slurm{job: job, division: &division{}, program: "/opt/scale", options: []string{"--partition=a b"}, atMost: 2, maxArray: 4}
	s.division.cores = 3
	files, err := report.Begin(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(t.Context(), files, []int{0, 1, 2, 3, 4, 5, 6}, &queue{jobs: []int{7}}); err != nil {
		t.Fatal(err)
	}
	if err := files.Commit(); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", filepath.Join(root, slurmFolder, submitScript))
	c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if err != nil || strings.Join(strings.Fields(string(out)), " ") != "41 42 43 44" {
		t.Fatalf("%v: %s", err, out)
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, slurmFolder)
	spelled := strings.ReplaceAll(folder, "%", "%%")
	common := func(array, minutes string) string {
		return fmt.Sprintf("[--parsable][--array=%s%%2][--job-name=neighborhood][--output=%s/task-%%A_%%a.out][--open-mode=append][--requeue][--cpus-per-task=3][--mem=1536M][--time=%s]",
			array, spelled, minutes)
	}
	want := common("0", "32") + "[--partition=a b][" + folder + "/task.sh][0]\n" +
		common("0-3", "32") + "[--dependency=afterok:7:41][--kill-on-invalid-dep=yes][--partition=a b][" + folder + "/task.sh][1]\n" +
		common("0-1", "11") + "[--dependency=afterok:7:41][--kill-on-invalid-dep=yes][--partition=a b][" + folder + "/task.sh][5]\n" +
		"[--parsable][--job-name=neighborhood-finish][--output=" + spelled + "/finish-%j.out][--cpus-per-task=3][--mem=1536M][--kill-on-invalid-dep=yes]" +
		"[--dependency=afterok:7:41:42:43][--partition=a b][" + folder + "/finish.sh]\n"
	if string(calls) != want {
		t.Errorf("got\n%s\nwant\n%s", calls, want)
	}
	jobs, err := os.ReadFile(filepath.Join(folder, jobsFile))
	if err != nil || string(jobs) != "41 0\n42 1\n43 5\n44 finish\n" {
		t.Errorf("%v: %q", err, jobs)
	}
	task, err := os.ReadFile(filepath.Join(folder, taskScript))
	if err != nil || !strings.Contains(string(task), `exec /opt/scale task '`+strings.ReplaceAll(root, "'", `'\''`)+`' --offset "$1"`) {
		t.Errorf("%v: %s", err, task)
	}
}

// --follow ends when nothing in the queue can run any more, forgives a scheduler that is silent for a moment, and
// says what waits for somebody. squeue is a script that says one answer after the other, the last for ever.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	const squeue = `#!/bin/sh
line=$(head -n 1 "$ANSWERS")
[ "$(wc -l < "$ANSWERS")" -le 1 ] || sed -i 1d "$ANSWERS"
case $line in
error*) echo "$line" >&2; exit 1 ;;
esac
printf "$line"
`
	if err := os.WriteFile(filepath.Join(dir, "squeue"), []byte(squeue), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	job := &Job{Form: manifestForm, Dir: dir, Pieces: []Piece{{Name: "a", Analysis: "neighborhood", Folder: ".", Shards: 2}}}
	if err := job.settle(filepath.Join(dir, "work")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(job.root, slurmFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, jobsFile), []byte("41 0\n42 finish\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const silent = "error: Unable to contact slurm controller"
	for name, c := range map[string]struct{ answers, want, says string }{
		"ended":     {`41 0 RUNNING None\n41 1 PENDING Priority\n42 N/A PENDING Dependency\n` + "\n" + silent + "\n\n", errIncomplete.Error(), "0 of 2 tasks complete, 1 running, 1 pending\n"},
		"held":      {`41 0 PENDING (JobHeldUser)\n41 1 PENDING (JobHeldUser)\n` + "\n\n", errIncomplete.Error(), "2 pending, 2 on hold: JobHeldUser"},
		"never":     {`41 1 RUNNING None\n42 N/A PENDING DependencyNeverSatisfied\n` + "\n" + `42 N/A PENDING DependencyNeverSatisfied\n` + "\n", errIncomplete.Error(), "1 on hold: DependencyNeverSatisfied"},
		"no answer": {silent + "\n", "Unable to contact", ""},
	} {
		t.Setenv("ANSWERS", filepath.Join(dir, "answers"))
		if err := os.WriteFile(filepath.Join(dir, "answers"), []byte(c.answers), 0o666); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		s := &slurm{job: job, stdout: &said, interval: time.Millisecond}
		if err := s.watch(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(said.String(), c.says) {
			t.Errorf("%s: %v, want %q: %s, want %q", name, err, c.want, said.String(), c.says)
		}
	}
}
