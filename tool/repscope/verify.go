// Results compared with their records: inputs, files, shards and the cache.

package repscope

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/gunzip"
	"repscope/internal/option"
	"repscope/internal/regular"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

const verifyManual = `verify reads results and their inputs again and compares them with the recorded digests. PATH is
a file, or a folder that is searched with all its subfolders for:

  NAME.json          a result: digests of its inputs, at their current location
  NAME.sha256        digests of all files of a run, including the result; "sha256sum -c"
                     checks the same
  .evaluate.json     record of evaluate for a task: inputs and files
  scale.json         divided work: sizes of its inputs
  *.shard            a shard: its own digests and its inputs
  cache entries      latents in a folder of --cache, each with its own digest

Inputs are looked for at the recorded path, starting from the working folder, from the folder of
the result and from the folders above it, because folders may have moved together. An input at
another path counts only if it has the recorded digest.

--sample N computes N units of the shards again, drawn with --seed and without the cache, and
compares their bytes with the shards. It needs the inputs at their recorded paths.

Inputs without a digest, such as the built-in example, are counted but not checked. A note names
files of versions that recorded no digests of their files.

Exit status: 1 if a file has changed, is missing or cannot be read; its name is printed.`

// verifySettings are the values of its flags.
type verifySettings struct {
	sample int
}

// Declare lists the options.
func (s *verifySettings) Declare(l *option.List) {
	l.Int(&s.sample, "sample", "`N` units of shards to compute again and compare byte by byte; 0: none").AtLeast(0).Free()
}

// verifyCommand makes the command for binaries whose units can be computed again.
func verifyCommand(commands []run.Command) run.Command {
	return run.Command{
		Name:      Name + " verify",
		Summary:   "compare results, shards and the cache with their recorded digests",
		Manual:    verifyManual,
		Out:       ".",
		Arguments: "PATH…",
		Omit:      []string{"bootstrap", "format", "width", "config", "out", "memory"},
		Setup: func(flags *run.Flags) run.Job {
			s := &verifySettings{}
			flags.Declare(option.Of(s))
			return run.Job{Check: func(o *run.Options) error {
				if len(o.Args) == 0 {
					return run.Hint(run.Usage("no path: want result files, shards, or folders with them"),
						"such as: repscope verify evaluation_plots")
				}
				return nil
			}, Direct: func(ctx context.Context, o *run.Options, stdout, stderr io.Writer) error {
				v := &verifier{ctx: ctx, commands: commands, stderr: stderr, digests: map[string]string{}, done: map[string]bool{}}
				return v.run(s, o, stdout)
			}}
		},
	}
}

// The states of changed files.
const (
	stateChanged = "changed"
	stateMissing = "missing"
	stateDamaged = "damaged" // by a digest that it holds itself, or of another form
)

// difference is one of the things that are not as recorded.
type difference struct {
	State    string `json:"state"`
	Path     string `json:"path"`
	What     string `json:"what"`         // "input frames", "file", "shard" …
	Of       string `json:"of,omitempty"` // whose record it is
	Recorded string `json:"recorded,omitempty"`
	Found    string `json:"found,omitempty"`
}

func (d *difference) String() string {
	line := fmt.Sprintf("%-8s %s: %s", d.State, d.Path, d.What)
	if d.Of != "" {
		line += " of " + d.Of
	}
	switch {
	case d.Recorded != "" && d.Found != "":
		line += fmt.Sprintf("; it is %s, recorded is %s", short(d.Found), short(d.Recorded))
	case d.Found != "":
		line += "; " + d.Found
	}
	return line
}

// short is a digest as people compare it.
func short(text string) string {
	if len(text) == 64 && !strings.Contains(text, " ") {
		return text[:12] + "…"
	}
	return text
}

// verified counts the checked files.
type verified struct {
	Results   int `json:"results"`
	Inputs    int `json:"inputs"`
	Files     int `json:"files"`
	Shards    int `json:"shards"`
	Cache     int `json:"cache_entries"`
	Units     int `json:"units"`     // that were computed again
	Unchecked int `json:"unchecked"` // inputs without a recorded digest
}

// verifier looks at one thing after the other.
type verifier struct {
	ctx      context.Context
	commands []run.Command
	stderr   io.Writer

	checked     verified
	differences []difference
	notes       []string
	shards      []shardFile
	digests     map[string]string // of files, by path
	done        map[string]bool   // records that were looked at, by path
}

// verification is what the command prints with --json.
type verification struct {
	Schema      string       `json:"schema"`
	OK          bool         `json:"ok"`
	Checked     verified     `json:"checked"`
	Differences []difference `json:"differences"`
	Notes       []string     `json:"notes"`
}

func (v *verifier) run(s *verifySettings, o *run.Options, stdout io.Writer) error {
	for _, path := range o.Args {
		if err := v.path(run.Expand(path)); err != nil {
			return err
		}
	}
	if v.checked == (verified{}) && len(v.differences) == 0 {
		return fmt.Errorf("%s: nothing to verify: no result, shard or cache entry", strings.Join(o.Args, ", "))
	}
	if s.sample > 0 {
		if err := v.sample(s.sample, o.Seed); err != nil {
			return err
		}
	}
	if err := v.print(o, stdout); err != nil {
		return err
	}
	return v.failure()
}

// path looks at a file, or at all that is in a folder.
func (v *verifier) path(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return regular.PathError(err)
	}
	if !info.IsDir() {
		return v.one(path)
	}
	return filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		switch {
		case v.ctx.Err() != nil:
			return errors.New("interrupted")
		case err != nil:
			v.add(difference{State: stateMissing, Path: file, What: "folder", Found: regular.PathError(err).Error()})
			return fs.SkipDir
		case d.IsDir() && report.Interrupted(file):
			v.add(difference{State: stateDamaged, Path: file, What: "folder", Found: "a killed run left files half renamed; " +
				"the next run in the folder, or the next reader of its result, undoes that"})
			return nil
		case d.IsDir() || !d.Type().IsRegular():
			return nil
		}
		_, err = v.file(file)
		return err
	})
}

// one looks at a file that is named.
func (v *verifier) one(path string) error {
	record, err := v.file(path)
	if err == nil && !record {
		return run.Hint(fmt.Errorf("%s: it contains no record to verify", path),
			"want a result file, NAME.sha256, a shard or a cache entry")
	}
	if stem, ok := strings.CutSuffix(gunzip.Name(path), ".json"); err == nil && ok {
		sums := stem + report.SumsEnding
		if _, missing := os.Stat(sums); missing == nil {
			_, err = v.file(sums)
		}
	}
	return err
}

func (v *verifier) add(d difference) {
	if !slices.Contains(v.differences, d) {
		v.differences = append(v.differences, d)
	}
}

func (v *verifier) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(v.notes, n) {
		v.notes = append(v.notes, n)
	}
}

// print prints the differences.
func (v *verifier) print(o *run.Options, w io.Writer) error {
	if o.JSON {
		out := verification{"repscope/verify/1", len(v.differences) == 0, v.checked, v.differences, v.notes}
		if out.Differences == nil {
			out.Differences = []difference{}
		}
		if out.Notes == nil {
			out.Notes = []string{}
		}
		return report.Encode(w, out)
	}
	if o.Quiet {
		return nil
	}
	var b strings.Builder
	for i := range v.differences {
		b.WriteString(v.differences[i].String() + "\n")
	}
	for _, n := range v.notes {
		b.WriteString("note: " + n + "\n")
	}
	c := &v.checked
	fmt.Fprintf(&b, "checked %s, %s, %s", text.Count(c.Results, "result"), text.Count(c.Inputs, "input"),
		text.Count(c.Files, "file"))
	for _, more := range []struct {
		n    int
		noun string
	}{{c.Shards, "shard"}, {c.Units, "unit"}} {
		if more.n > 0 {
			b.WriteString(", " + text.Count(more.n, more.noun))
		}
	}
	if c.Cache > 0 {
		fmt.Fprintf(&b, ", cache entries: %d", c.Cache)
	}
	if c.Unchecked > 0 {
		fmt.Fprintf(&b, "; %s without a digest", text.Count(c.Unchecked, "input"))
	}
	if len(v.differences) == 0 {
		b.WriteString(": all as recorded")
	}
	_, err := io.WriteString(w, b.String()+"\n")
	return err
}

// namedMost is how many files the error names; all of them are printed before.
const namedMost = 5

// failure is the error of a verification that found differences.
func (v *verifier) failure() error {
	if len(v.differences) == 0 {
		return nil
	}
	var names []string
	for _, d := range v.differences {
		if !slices.Contains(names, d.Path) {
			names = append(names, d.Path)
		}
	}
	named := strings.Join(names[:min(len(names), namedMost)], ", ")
	if more := len(names) - namedMost; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("not as recorded: %s", named)
}
