// The work to divide: the command line of an analysis, or a suite file.

package scale

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

// Studies are the functions of the command that knows suite files.
type Studies struct {
	// Read reads a suite file: its tasks, and the folder that it names for them.
	Read func(ctx context.Context, path string) (tasks []StudyTask, folder string, err error)
	// Enter enters tasks that are complete, so that the command does not run them again.
	Enter func(ctx context.Context, path, folder string, names []string) error
	// Command writes the summary of a study whose tasks are complete.
	Command run.Command
}

// StudyTask is one analysis of a suite.
type StudyTask struct {
	Dataset, Analysis string
	run.Task
}

// source is an analysis that is to be divided.
type source struct {
	name, analysis, dataset, folder string
	args                            []string // empty for a suite's
	task                            run.Task
	dry                             dry
}

// ownFlags are set by scale for every task.
var ownFlags = []string{"out", "shard", "json", "quiet", "verbose", "dry-run", "threads", "memory", "help", "version"}

// given is what the arguments of a command name.
type given struct {
	analyses []run.Command
	studies  Studies
	folder   string // for the results
	suite    string
	sources  []source
}

// read understands the arguments: a suite file, or an analysis with its flags. out is the folder of the
// command line, empty if there is none.
func read(ctx context.Context, args []string, out string, analyses []run.Command, studies Studies) (*given, error) {
	g := &given{analyses: analyses, studies: studies, folder: out}
	if len(args) == 0 {
		return nil, run.Hint(run.Usage("nothing to divide: want SUITE.yaml, or -- and an analysis with its flags"),
			"such as: scale plan -- neighborhood --frames frames.npy --latents z=z.npy")
	}
	if c, ok := command(analyses, args[0]); ok {
		return g, g.one(c, args[1:])
	}
	if len(args) > 1 || !slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(args[0]))) {
		var names []string
		for _, c := range analyses {
			names = append(names, c.Name)
		}
		return nil, run.Hint(run.Usage("%q is not an analysis or a suite file (.yaml)", args[0]),
			text.DidYouMean("", args[0], names))
	}
	return g, g.study(ctx, args[0])
}

// one takes a single analysis.
func (g *given) one(c run.Command, args []string) error {
	for _, a := range args {
		if !utf8.ValidString(a) { // a record of the work would hold another name
			return run.Hint(run.Usage("%s of %s is not valid UTF-8", a, c.Name), "rename the file")
		}
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if strings.HasPrefix(a, "-") && slices.Contains(ownFlags, strings.ReplaceAll(name, "_", "-")) {
			return run.Hint(run.Usage("--%s of %s is set by scale", name, c.Name),
				"give --out, --memory and --threads of the tasks before the --")
		}
	}
	s := source{name: c.Name, analysis: c.Name, folder: ".", args: args, task: run.Task{Command: c, Args: args}}
	if _, err := s.task.Settle(); err != nil {
		return err
	}
	if g.folder == "" {
		g.folder = c.Out
	}
	g.sources = []source{s}
	return nil
}

// study takes the tasks of a suite.
func (g *given) study(ctx context.Context, path string) error {
	tasks, folder, err := g.studies.Read(ctx, path)
	if err != nil {
		return err
	}
	g.suite = path
	if g.folder == "" {
		g.folder = folder
	}
	for _, t := range tasks {
		name := t.Dataset + "/" + t.Analysis
		if _, err := t.Settle(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		g.sources = append(g.sources, source{name: name, analysis: t.Analysis, dataset: t.Dataset, folder: name, task: t.Task})
	}
	return nil
}

// dry is what an analysis says of itself with --dry-run.
type dry struct {
	Units  int            `json:"units"`
	States int            `json:"states"`
	Counts map[string]int `json:"counts"`
	Models []struct {
		Name    string `json:"name"`
		Outputs []struct {
			Shape []int `json:"shape"`
		} `json:"outputs"`
		Encoding struct {
			Seconds  *float64 `json:"seconds"`
			Measured int      `json:"measured_states"`
			Reason   string   `json:"reason"`
		} `json:"encoding"`
	} `json:"models"`
	Memory struct {
		Held    int64 `json:"held_bytes"`
		Working int64 `json:"working_bytes_at_most"`
	} `json:"memory"`
	Inputs  []report.Input `json:"inputs"`
	Options map[string]any `json:"options"`
}

// look asks every analysis what it would do, which opens its inputs, checks them, and takes the time of encoding.
func (g *given) look(ctx context.Context, say io.Writer) error {
	for i := range g.sources {
		s := &g.sources[i]
		task := s.task
		task.Args = append(slices.Clone(task.Args), "--dry-run",
			"--json", "--quiet", "--memory", "1TB", "--out", filepath.Join(g.folder, s.folder))
		var out bytes.Buffer
		if err := task.Run(ctx, &out, say); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := json.Unmarshal(out.Bytes(), &s.dry); err != nil {
			return fmt.Errorf("%s: what it plans: %w", s.name, err)
		}
	}
	return nil
}

// encoding is the time of encoding everything once, and whether it is known.
func (d *dry) encoding() (seconds float64, ok bool) {
	ok = true
	for _, m := range d.Models {
		if m.Encoding.Seconds != nil {
			seconds += *m.Encoding.Seconds
		}
		ok = ok && m.Encoding.Reason == ""
	}
	return seconds, ok
}

// dimensions returns the dimension of the original states, 0 without, and the sum of the dimensions of the latents.
func (d *dry) dimensions() (frames, latents int, dtype string) {
	for _, in := range d.Inputs {
		if (in.Role == "frames" || in.Role == "train" && frames == 0) && len(in.Shape) > 1 {
			frames, dtype = max(1, in.Window), in.DType
			for _, n := range in.Shape[1:] {
				frames *= n
			}
		}
	}
	for _, m := range d.Models {
		for _, out := range m.Outputs {
			size := 1
			for _, n := range out.Shape {
				size *= n
			}
			latents += size
		}
	}
	return frames, latents, dtype
}

// files are the inputs that are files.
func (d *dry) files() []stamp {
	var list []stamp
	for _, in := range d.Inputs {
		file := in.Path[:max(strings.LastIndexByte(in.Path, ':'), 0)] // without the name of an array
		for _, path := range []string{in.Path, file} {
			info, err := os.Stat(path)
			if err != nil || slices.ContainsFunc(list, func(s stamp) bool { return s.Path == path }) {
				continue
			}
			one := stamp{Path: path, Time: info.ModTime().UnixNano()}
			if !info.IsDir() {
				one.Size = info.Size()
			}
			list = append(list, one)
			break
		}
	}
	return list
}

// bytes is the size of the inputs that are files.
func (d *dry) bytes() (n int64) {
	for _, f := range d.files() {
		n += f.Size
	}
	return n
}
