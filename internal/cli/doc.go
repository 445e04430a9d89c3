// Package cli is what all binaries share: flags and configuration file, the
// loading of frames and models, progress, messages, exit codes, and the writing
// of the result. An analysis brings a [Command]; its main is
//
//	func main() { cli.Main(smoothness.Command) }
//
// and its command.go is
//
//	// Command is the smoothness binary.
//	var Command = cli.Command{
//		Name:       "smoothness",
//		Summary:    "how steadily latents follow pixel changes",
//		Manual:     manual,
//		Out:        "evaluation_plots/smoothness",
//		Frames:     true, // needs the frames even when latents are given
//		Successors: true, // needs the state after the last one of an episode
//		Setup: func(flags *cli.Flags) func(context.Context, *cli.Env) error {
//			horizons := flags.Ints("horizons", []int{1}, "distances in time of the two states of a pair")
//			return func(ctx context.Context, env *cli.Env) error {
//				return run(ctx, env, *horizons)
//			}
//		},
//	}
//
//	func run(ctx context.Context, env *cli.Env, horizons []int) error {
//		pairs := env.Pairs(horizons[0])            // the same for all models; at most --samples
//		index, local := cli.PairStates(pairs)      // the states they need, pairs as positions in index
//		frames, err := env.Frames(ctx, index)      // last frames, uint8 stays uint8
//		latents, err := env.Latents(ctx, index)    // one point set per model, pooled, cached
//		for i, model := range env.Models {
//			…
//			env.Result.Models.Set(model.Name, result)
//		}
//		env.Table(table)                           // on the console, unless --json or --quiet
//		err = env.Files.CSV("smoothness_summary.csv", columns, fill)
//		return env.Figure("smoothness_comparison", figure) // a *plots.Figure, in every --format
//	}
//
// The package adds what was asked for to the result (version, options, inputs
// with their digests), writes <name>.json last, and renames all files of the
// run together. An error, a panic or Ctrl-C leaves an earlier result as it was.
//
// # Messages and exit codes
//
// Messages go to stderr: the binary's name, lower case, no full stop, hints on
// lines of their own. Exit codes: 0 done, 1 the run failed, 2 wrong usage
// (errors made by [Usage]).
package cli
