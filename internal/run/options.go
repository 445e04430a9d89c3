// The flags that all binaries share.

package run

import (
	"context"
	"slices"
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
	f.PathVar(&o.config, "config", "`FILE.yaml` of options by flag name, with sections for single commands (smoothness: {horizons: [1,7]}). A section overrides "+
		"common options; the command line overrides both and replaces all values of an option that repeats")
	f.Group(Inputs, "config")

	o.Seed = 42
	f.Var((*natural)(&o.Seed), "seed", "`N`, the seed of all random draws")
	o.Bootstrap = 1000
	f.CountVar(&o.Bootstrap, "bootstrap", 0, "`N` above 0: intervals and comparisons of models by a jackknife over blocks, the same for every N; 0: neither")
	f.Group(Statistics, "seed", "bootstrap")

	o.Out = c.Out
	f.PathVar(&o.Out, "out", "`DIR` for the result file, the CSV files and the figures")
	o.Formats = []string{"png"}
	f.ChoicesVar(&o.Formats, "format", []string{"png", "pdf", "svg", noFigures}, "`LIST` of figure formats; none: no figures")
	f.Var((*length)(&o.WidthMM), "width", "`LENGTH`, the width of figures, such as 89mm or 7.2in; texts keep their sizes (6 pt or more), panels are stacked if needed; default: by figure")
	f.BoolVar(&o.JSON, "json", false, "print only the result on stdout; the files of --out are still written")
	f.BoolVar(&o.Quiet, "quiet", false, "print warnings and errors only: no progress, no tables")
	f.BoolVar(&o.Verbose, "verbose", false, "print all tables and notes, not only the headline table; changes no number and no file")
	f.BoolVar(&o.version, "version", false, "print the version and exit; with --json as JSON")
	if c.Methods != nil {
		f.BoolVar(&o.Methods, "methods", false, "also write a methods text with references, for a paper: "+
			c.Name+"_methods.md, .tex and .bib; with the result file of an earlier run (--methods RESULT.json) print the text and exit, with --json as JSON")
		f.Group(Output, "methods")
	}
	if job.Plan != nil {
		f.BoolVar(&o.DryRun, "dry-run", false, "check inputs, options and models, print files to read and write and the expected encoding time, and exit; "+
			"reads a few states of the frames, writes nothing; with --json as JSON")
		f.Group(Output, "dry-run")
	}
	f.Group(Output, "out", "format", "width", "json", "quiet", "verbose", "version")

	f.CountVar(&o.Threads, "threads", 0, "`N` cores to use; 0: all")
	f.Var((*size)(&o.Memory), "memory", "`SIZE` of the working memory, such as 450MB; 0: a quarter of RAM, or of the cgroup or ulimit -v limit if that is lower")
	f.Group(Running, "threads", "memory")
	if job.Divides {
		o.Shard.register(f)
	}

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
