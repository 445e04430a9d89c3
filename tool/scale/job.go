// The folder of a divided work: what its tasks are, and what each of them leaves.

package scale

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/atomicfile"
	"repscope/internal/escape"
	"repscope/internal/expand"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

const (
	manifestName = "scale.json"       // in the folder of the work: the tasks
	manifestForm = "repscope/scale/1" // the version of its form
	recordsName  = ".scale"           // in that folder: what became of the tasks
	shardsName   = "shards"           // in the folder of an analysis: its shards
)

// Job is a work that is divided into tasks: one analysis, or the analyses of a suite.
type Job struct {
	Form    string  `json:"form"`
	Version string  `json:"version"` // of the program that divided it
	Dir     string  `json:"dir"`     // the working folder, from which relative paths count
	Suite   string  `json:"suite,omitempty"`
	SHA256  string  `json:"suite_sha256,omitempty"`
	Pieces  []Piece `json:"pieces"`
	root    string  // the folder
	digest  string  // of what decides what the tasks compute
	tasks   []task
}

// Piece is one analysis, divided into shards or whole.
type Piece struct {
	Name     string   `json:"name"` // "neighborhood", or "dataset/neighborhood" of a suite
	Analysis string   `json:"analysis"`
	Args     []string `json:"args"`   // of the analysis; a suite has them in its file
	Folder   string   `json:"folder"` // of the result, from the job's
	Shards   int      `json:"shards"` // 1: it is not divided
	Units    int      `json:"units,omitempty"`
	// First says that shard 0 goes before all other tasks, so that latents are encoded once and
	// kept for them.
	First bool `json:"first,omitempty"`
	// Working is the working memory (--memory) of a task, in bytes.
	Working int64 `json:"working,omitempty"`
	// Inputs are the files that are read, as they were when the work was divided: other files make
	// other work.
	Inputs []stamp `json:"inputs,omitempty"`
	// Need is what a task takes.
	Need Need `json:"need"`
}

// stamp is a file as it was.
type stamp struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Time int64  `json:"time"` // of its last change, in ns
}

// Need is what a task is predicted to take.
type Need struct {
	Seconds float64 `json:"seconds"` // of a task that finds the latents it needs; 0: not known
	Encode  float64 `json:"encode"`  // seconds to encode before, where they are not kept
	Memory  int64   `json:"memory"`
	Read    int64   `json:"read"`
}

// task is one task of a job.
type task struct {
	index int
	piece *Piece
	shard int
}

// Name is what messages call the task.
func (t *task) Name() string {
	if t.piece.Shards == 1 {
		return t.piece.Name
	}
	return fmt.Sprintf("%s, shard %d/%d", t.piece.Name, t.shard, t.piece.Shards)
}

// order makes the list of tasks: those that go first, then the others piece after piece.
func (j *Job) order() {
	j.tasks = nil
	for _, first := range []bool{true, false} {
		for i := range j.Pieces {
			p := &j.Pieces[i]
			for shard := range p.Shards {
				if (p.First && shard == 0) == first {
					j.tasks = append(j.tasks, task{len(j.tasks), p, shard})
				}
			}
		}
	}
}

// firsts is the number of tasks that go before the others.
func (j *Job) firsts() int {
	n := 0
	for i := range j.Pieces {
		if j.Pieces[i].First {
			n++
		}
	}
	return n
}

// settle fills what follows from the rest.
func (j *Job) settle(root string) error {
	j.root = root
	budget := expand.NewBudget(context.Background())
	for i := range j.Pieces {
		if err := budget.Product(j.Pieces[i].Name, j.Pieces[i].Shards); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(root, manifestName), err)
		}
	}
	same := *j // without predictions
	same.Pieces = slices.Clone(j.Pieces)
	for i := range same.Pieces {
		same.Pieces[i].Need = Need{}
	}
	text, err := json.Marshal(&same)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	j.digest = hex.EncodeToString(sum[:])
	j.order()
	return nil
}

// mostShards bounds the shards of a job, far above what any scheduler takes.
const mostShards = 1 << 20

// readJob reads the job of a folder.
func readJob(root string) (*Job, error) {
	path := filepath.Join(root, manifestName)
	data, err := regular.Read(path, regular.Listing)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, run.Hint(fmt.Errorf("%s: there is no %s: the folder has no divided work", root, manifestName),
			`divide it with "scale slurm" or "scale k8s"`)
	}
	if err != nil {
		return nil, regular.PathError(err)
	}
	j := &Job{}
	if err := text.Unmarshal(data, j); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if j.Form != manifestForm {
		return nil, fmt.Errorf("%s: its schema is %q, want %q", path, j.Form, manifestForm)
	}
	rest := mostShards
	for i := range j.Pieces {
		p := &j.Pieces[i]
		if p.Shards < 1 || p.Shards > rest || !filepath.IsLocal(p.Folder) {
			return nil, fmt.Errorf("%s: %s: %d shards in folder %q, want 1 to %d in a subfolder",
				path, p.Name, p.Shards, p.Folder, mostShards)
		}
		rest -= p.Shards
	}
	return j, j.settle(root)
}

// write writes the job among the files of its folder.
func (j *Job) write(files *report.Transaction) error {
	return files.File(manifestName, func(w io.Writer) error { return encodeJSON(w, j) })
}

// encodeJSON writes a value.
func encodeJSON(w io.Writer, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, escape.JSON(string(data))+"\n")
	return err
}

// writeJSON writes a value into a file, all or nothing.
func writeJSON(path string, value any) error {
	return atomicfile.Write(path, atomicfile.Options{Sync: true}, func(w io.Writer) error { return encodeJSON(w, value) })
}

// folder is the folder of a piece's result.
func (j *Job) folder(p *Piece) string { return filepath.Join(j.root, filepath.FromSlash(p.Folder)) }

// output is the file by which a task is complete: its shard, or the result of the whole.
func (j *Job) output(t *task) string {
	if t.piece.Shards == 1 {
		return j.result(t.piece)
	}
	return filepath.Join(j.folder(t.piece), shardsName,
		fmt.Sprintf("%s.%d-of-%d.shard", t.piece.Analysis, t.shard, t.piece.Shards))
}

// result is the result file of a piece.
func (j *Job) result(p *Piece) string { return filepath.Join(j.folder(p), p.Analysis+".json") }

// shards are the files of a piece that is divided.
func (j *Job) shards(p *Piece) []string {
	files := make([]string, p.Shards)
	for i := range files {
		files[i] = j.output(&task{piece: p, shard: i})
	}
	return files
}

// own is the folder of a task's lock and record.
func (j *Job) own(t *task) string {
	return filepath.Join(j.root, recordsName, fmt.Sprintf("%05d", t.index))
}

// record is what a task leaves when it ends.
type record struct {
	Job     string  `json:"job"` // the digest of the job
	Done    bool    `json:"done"`
	Code    int     `json:"code"` // exit code
	Message string  `json:"message,omitempty"`
	Host    string  `json:"host"`
	Seconds float64 `json:"seconds"`
}

const recordFile = "record.json"

// recordOf is the record of a task, nil if it has left none for this job.
func (j *Job) recordOf(t *task) *record {
	data, err := regular.Read(filepath.Join(j.own(t), recordFile), regular.Settings)
	r := &record{}
	if err != nil || json.Unmarshal(data, r) != nil || r.Job != j.digest {
		return nil
	}
	return r
}

// command is the analysis of a name.
func command(analyses []run.Command, name string) (run.Command, bool) {
	i := slices.IndexFunc(analyses, func(c run.Command) bool { return c.Name == name })
	if i < 0 {
		return run.Command{}, false
	}
	return analyses[i], true
}

// fileSum is the SHA-256 of a file.
func fileSum(path string) (string, error) {
	data, err := regular.Read(path, regular.Settings)
	if err != nil {
		return "", regular.PathError(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// version is the version of the program, with its revision.
func version() string {
	build := report.ReadBuild()
	return strings.TrimSpace(build.Version + " " + build.Revision)
}
