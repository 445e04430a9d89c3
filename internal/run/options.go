// The flags that all binaries share.

package run

import (
	"context"
	"slices"

	"repscope/internal/option"
)

// Options are the values of the flags that all binaries share.
type Options struct {
	Out         string   // --out: the output folder
	Formats     []string // --format: png, pdf, svg; or none alone
	WidthMM     float64  // --width: of figures; 0: as they are
	Seed        uint64   // --seed
	Bootstrap   int      // --bootstrap: 0 for no intervals; what else changes nothing
	Threads     int      // --threads: 0 for all cores
	Memory      int64    // --memory: bytes, 0 for the default
	Quiet, JSON bool     // --quiet, --json
	Verbose     bool     // --verbose: all tables and notes on the console
	DryRun      bool     // --dry-run
	Methods     bool     // --methods
	Shard       Shard    // --shard: which task of several this is
	Args        []string // arguments that are no flags; see Command.Arguments

	ctx     context.Context // of the run, for what goes before it
	config  string
	version bool
	notes   []string // messages for the beginning of the run
}

// Context is the context of the run, for checks that look at files.
func (o *Options) Context() context.Context {
	if o.ctx == nil {
		return context.Background()
	}
	return o.ctx
}

// noFigures is the --format of a run that draws none.
const noFigures = "none"

// figures are the formats of the figures to be written; there may be none.
func (o *Options) figures() []string {
	if slices.Contains(o.Formats, noFigures) {
		return nil
	}
	return o.Formats
}

// register adds the shared flags to f, after those that others put into the same
// groups, and applies what the command says of them.
func (o *Options) register(f *Flags, c *Command, job Job) {
	o.Seed, o.Bootstrap, o.Out, o.Formats = 42, 1000, c.Out, []string{"png"}
	var list option.List
	list.Under(Inputs)
	list.Path(&o.config, "config", "`FILE.yaml` of options by flag name, with sections for single commands (smoothness: {horizons: [1,7]}). A section overrides "+
		"common options; the command line overrides both and replaces all values of an option that repeats").Reads()
	o.declare(&list, c, job)
	f.Declare(&list)
	for name, value := range c.Defaults {
		fl := f.Lookup(name)
		if fl == nil {
			panic("run: " + c.Name + ": default for an unknown flag " + name)
		}
		if err := fl.Value.Set(value); err != nil {
			panic("run: " + c.Name + ": default of " + name + ": " + err.Error())
		}
		fl.DefValue = fl.Value.String()
	}
	f.omit(c.Omit)
}

// declare lists the shared options but for --config. None names an input.
func (o *Options) declare(list *option.List, c *Command, job Job) {
	first := len(list.Options)
	list.Under(Statistics)
	list.Var((*natural)(&o.Seed), "seed", "`N`, the seed of all random draws")
	list.Int(&o.Bootstrap, "bootstrap", "`N` above 0: intervals and comparisons of models by a jackknife over blocks, the same for every N; 0: neither").AtLeast(0)

	list.Under(Output)
	if c.Methods != nil {
		list.Bool(&o.Methods, "methods", "also write a methods text with references, for a paper: "+
			c.Name+"_methods.md, .tex and .bib; with the result file of an earlier run (--methods RESULT.json) print the text and exit, with --json as JSON")
	}
	if job.Plan != nil {
		list.Bool(&o.DryRun, "dry-run", "check inputs, options and models, print files to read and write and the expected encoding time, and exit; "+
			"reads a few states of the frames, writes nothing; with --json as JSON")
	}
	list.Path(&o.Out, "out", "`DIR` for the result file, the CSV files and the figures")
	list.Names(&o.Formats, "format", []string{"png", "pdf", "svg", noFigures},
		"`LIST` of figure formats; none: no figures")
	list.Var((*length)(&o.WidthMM), "width", "`LENGTH`, the width of figures, such as 89mm or 7.2in; texts keep their sizes (6 pt or more), panels are stacked if needed; default: by figure")
	list.Bool(&o.JSON, "json", "print only the result on stdout; the files of --out are still written")
	list.Bool(&o.Quiet, "quiet", "print warnings and errors only: no progress, no tables")
	list.Bool(&o.Verbose, "verbose", "print all tables and notes, not only the headline table; changes no number and no file")
	list.Bool(&o.version, "version", "print the version and exit; with --json as JSON")

	list.Under(Running)
	list.Int(&o.Threads, "threads", "`N` cores to use; 0: all").AtLeast(0)
	list.Var((*size)(&o.Memory), "memory", "`SIZE` of the working memory, such as 450MB; 0: a quarter of RAM, or of the cgroup or ulimit -v limit if that is lower")
	if job.Divides {
		list.Var(&o.Shard, "shard", "`I/N`: compute only units I, I + N, I + 2N and so on of the work, with I from 0 to N − 1. Shards can run on any machine and in any order. "+
			"The run writes ANALYSIS.I-of-N.shard instead of the result; "+
			"\"scale merge\" combines all shards into the single-process result")
	}
	for _, declared := range list.Options[first:] {
		declared.NamesNoInput()
	}
}
