// The flags that all binaries share.

package run

// Options are the values of the flags that all binaries share.
type Options struct {
	Out         string   // --out: the output folder
	Formats     []string // --format: png, pdf, svg
	Seed        uint64   // --seed
	Bootstrap   int      // --bootstrap: resamples, 0 for no intervals
	Threads     int      // --threads: 0 for all cores
	Memory      int64    // --memory: bytes, 0 for the default
	Quiet, JSON bool     // --quiet, --json
	Args        []string // what stands beside the flags; see Command.Arguments

	config  string
	version bool
}

// register adds the shared flags to f, after those that others put into the same
// groups, and applies what the command says of them.
func (o *Options) register(f *Flags, c *Command) {
	f.StringVar(&o.config, "config", "", "`FILE.yaml` with the same names as the flags; the command line wins")
	f.Group(Inputs, "config")

	f.Uint64Var(&o.Seed, "seed", 42, "`N` that all random draws come from")
	o.Bootstrap = 1000
	f.CountVar(&o.Bootstrap, "bootstrap", 0, "`N` resamples for the intervals; 0: no intervals")
	f.Group(Statistics, "seed", "bootstrap")

	f.StringVar(&o.Out, "out", c.Out, "`DIR` for the result file, the CSV files and the figures")
	o.Formats = []string{"png"}
	f.ChoicesVar(&o.Formats, "format", []string{"png", "pdf", "svg"}, "`LIST` of figure formats")
	f.BoolVar(&o.JSON, "json", false, "print the result on stdout, and nothing else there")
	f.BoolVar(&o.Quiet, "quiet", false, "no progress and no table; warnings and errors only")
	f.BoolVar(&o.version, "version", false, "print the version and stop")
	f.Group(Output, "out", "format", "json", "quiet", "version")

	f.CountVar(&o.Threads, "threads", 0, "`N` cores to use; 0: all")
	f.Var((*size)(&o.Memory), "memory", "`SIZE` of the working memory, such as 450MB; 0: a quarter of the machine's")
	f.Group(Running, "threads", "memory")

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
