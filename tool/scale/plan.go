// scale plan: predicts the tasks, time, memory and bytes of divided work.

package scale

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/report"
)

const planManual = `scale plan predicts the number of tasks of an analysis, or of every analysis of a suite, and
the time, memory and bytes read of each task.

  scale plan --within 2h --memory 8GB -- neighborhood --frames val.npy --model jepa=jepa.onnx
  scale plan SUITE.yaml

It chooses the smallest number of tasks that each end within --within. The time model is
measured on this machine: neighborhood and smoothness run on small random states of several
sizes, other analyses with their own options on doubling parts of their own states (--samples),
for at most half a minute. Measurements are kept in the user's cache folder after each run, so
an interrupted plan continues where it stopped.
Every model encodes a few states, and the largest input is read. The output separates measured
from predicted numbers; if no part can be measured, the time is unknown. Another machine takes
another time: with --cpus, times are divided by the number of cores.

If encoding takes more than ten seconds, a first task encodes the latents once and caches them
for the other tasks. The cache (--cache of the analysis, or the user's cache folder) must then
be shared by all machines.`

// placeholder is the value of --out where none is given.
const placeholder = "evaluation_plots"

// division is the flags of everything that divides a work.
type division struct {
	wishes
	within   string
	rates    string
	given    *given
	analyses []run.Command
	studies  Studies
}

func newDivision(flags *run.Flags, analyses []run.Command, studies Studies) *division {
	d := &division{analyses: analyses, studies: studies, within: "1h", wishes: wishes{tasks: 1000}}
	flags.Usage("SUITE.yaml [flags]", "[flags] -- ANALYSIS [its flags]")
	flags.Declare(option.Of(d))
	return d
}

// Declare lists the options.
func (d *division) Declare(l *option.List) {
	l.Int(&d.shards, "shards", "`N` tasks per analysis that can be divided; 0: as many as --within requires").AtLeast(0).Free()
	l.Checked(&d.within, "within", checkTime, "`TIME` limit of a task, such as 20m or 2h").Free()
	l.Int(&d.tasks, "max-tasks", "`N`, the maximum number of tasks per analysis").AtLeast(1).Free()
	l.Int(&d.cores, "cpus", "`N` cores per task; 0: as many as this machine has").AtLeast(0).Free()
	l.Path(&d.rates, "rates", "`DIR` of the cache of measurements of this machine (default: the user's cache folder)").Free().NamesNoInput()
}

// checkTime returns the error of a text that is no time.
func checkTime(text string) error {
	_, err := parseTime(text)
	return err
}

// parseTime reads a time such as 90s, 20m or 2h.
func parseTime(text string) (time.Duration, error) {
	t, err := time.ParseDuration(text)
	if err != nil || t <= 0 {
		return 0, fmt.Errorf("%q is not a time such as 20m or 2h", text)
	}
	return t, nil
}

// check understands the arguments.
func (d *division) check(o *run.Options) (err error) {
	if d.cores == 0 {
		d.cores = runtime.GOMAXPROCS(0)
	}
	if d.wishes.within, err = parseTime(d.within); err != nil {
		return run.Usage("%w", err)
	}
	d.memory = o.Memory
	out := o.Out
	if out == placeholder {
		out = ""
	}
	d.given, err = read(o.Context(), o.Args, out, d.analyses, d.studies)
	return err
}

// planned is a division with what it costs.
type planned struct {
	job      *Job
	rates    *rates
	costs    []cost // by piece
	ends     []float64
	warnings []string
}

// encodesFirst is the time of encoding in seconds from which one task goes before the others of a dataset.
const encodesFirst = 10

// plan divides the work.
func (d *division) plan(ctx context.Context, stderr io.Writer) (*planned, error) {
	g := d.given
	if err := g.look(ctx, stderr); err != nil {
		return nil, err
	}
	p := &planned{rates: readRates(d.rates)}
	p.rates.say = func(format string, args ...any) { _, _ = fmt.Fprintf(stderr, "scale: "+format+"\n", args...) }
	p.rates.reading(g.sources)
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	p.job = &Job{Form: manifestForm, Version: version(), Dir: dir, Suite: g.suite}
	if g.suite != "" {
		if p.job.SHA256, err = fileSum(g.suite); err != nil {
			return nil, err
		}
	}
	encoded := map[string]bool{}
	for i := range g.sources {
		s := &g.sources[i]
		_, _ = fmt.Fprint(stderr, measuring(p.rates, s))
		err := d.piece(ctx, p, s, encoded)
		if kept := p.rates.keep(); err != nil { // earlier measurements stay
			return nil, errors.Join(err, kept)
		}
	}
	if err := p.rates.keep(); err != nil {
		p.warnings = append(p.warnings, "measurements are not cached: "+err.Error())
	}
	root, err := filepath.Abs(g.folder)
	if err != nil {
		return nil, err
	}
	return p, p.job.settle(root)
}

// measuring announces a measurement that takes some seconds.
func measuring(r *rates, s *source) string {
	if l, ok := laws[s.analysis]; ok {
		encode, _ := s.dry.encoding()
		if s.small(r, l, encode) {
			if _, known := r.Parts[s.partKey()]; !known {
				return "scale: measuring " + s.analysis + " on its states\n"
			}
		} else if _, known := r.Of[r.key(s, l)]; !known {
			return "scale: measuring " + s.analysis + " on random states\n"
		}
	} else if _, known := r.Parts[s.partKey()]; !known && parted[s.analysis] != 0 {
		return "scale: measuring " + s.analysis + " on parts of its states\n"
	}
	return ""
}

// piece adds an analysis to the plan.
func (d *division) piece(ctx context.Context, p *planned, s *source, encoded map[string]bool) error {
	c, err := s.predict(ctx, p.rates, &d.wishes)
	if err != nil {
		return err
	}
	n, warning := s.shards(&c, &d.wishes)
	if warning != "" {
		p.warnings = append(p.warnings, warning)
	}
	need, working, warning := s.need(&c, &d.wishes, n)
	if warning != "" {
		p.warnings = append(p.warnings, warning)
	}
	if c.reason != "" {
		p.warnings = append(p.warnings, s.name+": "+c.reason)
	}
	piece := Piece{Name: s.name, Analysis: s.analysis, Args: s.args, Folder: s.folder, Shards: n, Units: s.dry.Units, Working: working, Inputs: s.dry.files(), Need: need}
	if c.encode > encodesFirst && !encoded[s.dataset] {
		encoded[s.dataset], piece.First = true, true
	}
	end := 0.0
	approximate := s.dry.Options["approx"]
	encode, _ := s.dry.encoding()
	if l, ok := laws[s.analysis]; ok && approximate == false && !s.small(p.rates, l, encode) { // there is something beyond exact, and it is not that
		rate, err := p.rates.measure(ctx, s, l)
		if err != nil {
			return err
		}
		end = s.exactEnds(&rate, l, &c, &d.wishes)
	}
	p.job.Pieces = append(p.job.Pieces, piece)
	p.costs = append(p.costs, c)
	p.ends = append(p.ends, end)
	return nil
}

// newPlan is the command.
func newPlan(analyses []run.Command, studies Studies) run.Command {
	return run.Command{
		Name:      "plan",
		Summary:   "predicts the tasks, time, memory and bytes of divided work",
		Manual:    planManual,
		Out:       placeholder,
		Arguments: "SUITE.yaml | -- ANALYSIS …",
		Omit:      []string{"seed", "bootstrap", "format", "width", "config", "threads"},
		Setup: func(flags *run.Flags) run.Job {
			d := newDivision(flags, analyses, studies)
			return run.Job{Check: d.check, Direct: func(ctx context.Context, o *run.Options, stdout, stderr io.Writer) error {
				p, err := d.plan(ctx, stderr)
				if err != nil {
					return err
				}
				return p.print(stdout, o, &d.wishes, d.given)
			}}
		},
	}
}

// print prints the plan.
func (p *planned) print(w io.Writer, o *run.Options, wishes *wishes, g *given) error {
	if o.JSON {
		return report.Encode(w, p.object(wishes))
	}
	if o.Quiet {
		return nil
	}
	var b strings.Builder
	m := p.rates.Machine
	fmt.Fprintf(&b, "measured on %s, %s, kernel %s:\n", m.Processor, text.Count(m.Cores, "core"), m.Kernel)
	if p.rates.Read > 0 {
		fmt.Fprintf(&b, "  inputs are read and hashed at %.2g GB/s\n", p.rates.Read/1e9)
	}
	for i := range g.sources {
		fmt.Fprint(&b, p.measured(&g.sources[i]))
	}
	table := report.NewTable("predicted for tasks of "+text.Count(wishes.cores, "core"), "analysis",
		"states", "units", "tasks", "a task", "encoding once", "all tasks", "memory", "read")
	for i := range p.job.Pieces {
		piece, c := &p.job.Pieces[i], &p.costs[i]
		all := "unknown"
		each := all
		if c.reason == "" {
			all = duration(c.all(piece.Shards, piece.Units))
			each = duration(piece.Need.Seconds)
		}
		table.Row(piece.Name, g.sources[i].dry.States, piece.Units, piece.Shards, each, duration(c.encode), all,
			text.Bytes(piece.Need.Memory), text.Bytes(piece.Need.Read))
	}
	if err := table.Write(&b); err != nil {
		return err
	}
	for i, end := range p.ends {
		if end > 0 {
			fmt.Fprintf(&b, "%s is feasible without --approx up to about %s states with %d tasks of %s\n",
				p.job.Pieces[i].Name, rounded(end), wishes.tasks, wishes.within)
		}
	}
	for _, warning := range p.warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// measured describes the measurements of an analysis.
func (p *planned) measured(s *source) string {
	var b strings.Builder
	l, ok := laws[s.analysis]
	if r, timed := p.rates.Of[p.rates.key(s, l)]; ok && timed {
		what := "states"
		if l.power == 2 {
			what = "pairs"
		}
		_, _, dtype := s.dry.dimensions()
		if r.Whole.Frame > 0 {
			fmt.Fprintf(&b, "  %s: %.3g values of %s frames of %s per second", s.name, 1/r.Whole.Frame, dtype, what)
		} else {
			fmt.Fprintf(&b, "  %s:", s.name)
		}
		if r.Whole.Latent > 0 {
			fmt.Fprintf(&b, ", %.3g values of latents", 1/r.Whole.Latent)
		}
		fmt.Fprintf(&b, ", and %.3g %s per second\n", 1/max(r.Whole.Point+r.Whole.Model, 1e-15), what)
	} else if g, known := p.rates.Parts[s.partKey()]; known {
		fmt.Fprintf(&b, "  %s: %s\n", s.name, g.text())
	}
	for _, m := range s.dry.Models {
		if m.Encoding.Seconds != nil && *m.Encoding.Seconds > 0 {
			fmt.Fprintf(&b, "  %s: %s encodes %.3g states per second (measured on %d)\n",
				s.name, m.Name, float64(s.dry.States)*again(s)/(*m.Encoding.Seconds), m.Encoding.Measured)
		}
	}
	return b.String()
}

// again is how often all states are encoded.
func again(s *source) float64 {
	if s.analysis == "robustness" {
		return float64(1 + s.dry.Units)
	}
	return 1
}

// object is the plan as JSON.
func (p *planned) object(wishes *wishes) *report.Object {
	var o report.Object
	o.Set("schema", "repscope/scale-plan/1")
	o.Set("machine", p.rates.Machine)
	o.Set("read_bytes_per_s", p.rates.Read)
	o.Set("cores_of_a_task", wishes.cores)
	var pieces []any
	for i := range p.job.Pieces {
		piece, c := &p.job.Pieces[i], &p.costs[i]
		var one report.Object
		one.Set("name", piece.Name)
		one.Set("units", piece.Units)
		one.Set("tasks", piece.Shards)
		if c.reason == "" {
			one.Set("predicted_task_s", piece.Need.Seconds)
			one.Set("predicted_all_s", c.all(piece.Shards, piece.Units))
		} else {
			one.Set("predicted_task_s", nil)
			one.Set("reason", c.reason)
		}
		one.Set("predicted_encoding_s", c.encode)
		one.Set("predicted_memory_bytes", piece.Need.Memory)
		one.Set("read_bytes", piece.Need.Read)
		if p.ends[i] > 0 {
			one.Set("exact_up_to_states", p.ends[i])
		}
		pieces = append(pieces, &one)
	}
	o.Set("analyses", pieces)
	o.Set("warnings", p.warnings)
	return &o
}

// rounded is a large number to two digits.
func rounded(v float64) string {
	switch {
	case v >= 1e9:
		return fmt.Sprintf("%.2g billion", v/1e9)
	case v >= 1e6:
		return fmt.Sprintf("%.2g million", v/1e6)
	}
	return fmt.Sprintf("%.0f,000", v/1e3)
}

var errIncomplete = errors.New("the work is not complete")
