// Package run is the entrance of all binaries: flags and configuration file,
// progress, messages, exit codes, and the writing of the result. It knows no
// frames and no models; a command that takes those asks package input for them.
// The main of a binary is
//
//	func main() { run.Main(command.Command) }
//
// and its command.go is, for a command that compares files,
//
//	// Command is the count binary.
//	var Command = run.Command{
//		Name:      "count",
//		Summary:   "how often a word occurs in files",
//		Manual:    manual,
//		Out:       "evaluation_plots/count",
//		Arguments: "FILES…",
//		Setup: func(flags *run.Flags) run.Job {
//			word := flags.String("word", "", "`WORD` that is counted")
//			return run.Job{
//				Check: func(o *run.Options) error { // before any file is opened
//					if *word == "" {
//						return run.Usage("--word is needed")
//					}
//					return nil
//				},
//				Run: func(ctx context.Context, env *run.Env) error {
//					table := report.NewTable("", "File", "Count")
//					for _, name := range env.Options.Args {
//						n, err := count(name, *word)
//						if err != nil {
//							return err
//						}
//						env.Result.Models.Set(name, n)
//						table.Row(name, n)
//					}
//					return env.Table(table) // on the console, unless --json or --quiet
//				},
//			}
//		},
//	}
//
// [Env.Files] takes CSV files, [Env.Figure] figures in every --format. The package
// adds to the result the version and options, writes <name>.json
// last, and renames all files of the run together. An error, a panic or Ctrl-C
// leaves an earlier result as it was.
//
// [Job.Plan], if there is one, opens and checks the inputs and fills [Env.Plan] with what a
// run would do, which --dry-run prints. A configuration file may have a section for every
// binary, named as it is; options.txt tells the options of all of them.
//
// # Messages and exit codes
//
// Messages go to stderr: the binary's name, lower case, no full stop, hints on
// lines of their own. Exit codes: 0 done, 1 the run failed, 2 wrong usage
// (errors made by [Usage]).
package run
