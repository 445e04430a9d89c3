// Package command is the neighborhood binary: its flags, its files, its console tables and its figures.
package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/internal/results"
	"repscope/analysis/neighborhood"
	"repscope/dataset"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/measure/spectrum"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
)

// Command is the neighborhood binary.
var Command = run.Command{
	Name:       "neighborhood",
	Summary:    "how well an encoder preserves the neighborhoods of the original states",
	Manual:     manual,
	Out:        "evaluation_plots/neighborhood_preservation",
	Methods:    describeMethods,
	Definition: neighborhood.Definition,
	Metrics:    neighborhood.Metrics,
	Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{Frames: true})
		o := neighborhood.Options{K: []int{5, 10, 20}, LatentMetric: neighborhood.LatentSame, Permutations: 10, Null: neighborhood.NullTime, References: neighbors.DefaultReferences}
		space, list := spaceAuto, option.Of(&o)
		option.Choice(list, &space, "space", []string{spaceAuto, spaceFrame, spaceClip},
			"`NAME` of the original space: the last frame of a state or all its frames; auto: the frames that the "+
				"latents depend on")
		flags.Declare(list)
		inputs.Sized(func(data *input.Data) error {
			if o.Metric == neighbors.Precomputed {
				if err := checkMatrix(data); err != nil {
					return err
				}
			}
			n := len(data.Sample())
			if o.ExcludeWindow == results.AutoWindow && n < len(data.Index()) {
				return run.Hint(run.Usage("--exclude-window auto and --samples cannot be used together: randomly "+
					"drawn states have no autocorrelation time"),
					"give the window in frames, for example from a run on a few whole episodes")
			}
			for _, k := range o.K {
				if n > 2 && k > n-2 { // fewer states are too few for any k
					return fmt.Errorf("--k %d: want k ≤ n−2 = %d for n = %d states", k, n-2, n)
				}
			}
			return nil
		})
		return run.Job{
			Files: output.Files("neighborhood", "neighborhood_preservation_summary.csv", "neighborhood_sampling.csv",
				"neighborhood_rnx_curves.csv", "neighborhood_per_point.csv", "neighborhood_preservation.figure", "neighborhood_rnx_curves.figure"),
			Check: func(shared *run.Options) error {
				if o.Approximate && o.CoRanking == neighbors.CoRankingFull {
					return run.Hint(run.Usage("--approx and --coranking full cannot be used together: the curves rank all states"),
						"remove one of them")
				}
				if o.Approximate {
					return shared.Together("--approx", "a sample of states cannot be divided")
				}
				return nil
			},
			Run: func(ctx context.Context, env *run.Env) error {
				data, err := inputs.Load(ctx, env)
				if err != nil {
					return err
				}
				return analyse(ctx, env, data, space, o)
			},
			Plan:    func(ctx context.Context, env *run.Env) error { return dryRun(ctx, env, inputs, o) },
			Divides: true,
		}
	},
}

// The names of --space.
const (
	spaceAuto  = "auto"
	spaceFrame = "frame"
	spaceClip  = "clip"
)

// dryRun says what a run would do.
func dryRun(ctx context.Context, env *run.Env, inputs *input.Inputs, o neighborhood.Options) error {
	data, err := inputs.Plan(ctx, env)
	if err != nil {
		return err
	}
	n := len(data.Sample())
	data.Hold(n, input.Clips) // at most
	env.Plan.Search(n, 1+len(data.Models))
	if !o.Approximate {
		env.Plan.Units = neighborhood.Units(n)
	}
	curves := !o.Approximate && (o.CoRanking == neighbors.CoRankingFull || o.CoRanking == neighbors.CoRankingAuto && n <= neighbors.AutoCoRankingPoints)
	output.PlanFiles(env, "neighborhood_preservation_summary.csv")
	for _, file := range []struct {
		written bool
		name    string
	}{{o.Approximate, "neighborhood_sampling.csv"}, {curves, "neighborhood_rnx_curves.csv"}, {o.PerPoint, "neighborhood_per_point.csv"}} {
		if file.written {
			env.Plan.Write(file.name)
		}
	}
	env.PlanFigures("neighborhood_preservation")
	if curves {
		env.PlanFigures("neighborhood_rnx_curves")
	}
	return nil
}

const manual = `neighborhood measures whether nearest neighbors in the original space stay neighbors in
latent space, and the reverse. Trustworthiness T(k) falls when the k nearest latents of a
state were far away in the original space. Continuity C(k) falls when the k nearest states
are far away in latent space (Venna and Kaski 2001). 1 is perfect; independent states have
about 0.5. The same pass computes the share of common neighbors Q_NX, R_NX (Q_NX rescaled
so that independent states have 0), LCMC, MRRE, and the curves of Q_NX and R_NX over all
K. All scores are exact, over all states.

Distances tie, for example between repeated frames. --ties average (the default) gives the
exact mean of every score over all orders of equal distances, independent in both spaces:
ranks are uniform within a tie, and if m of t tied states belong to a neighborhood, each
belongs to it with probability m/t. --ties random draws one order from --seed. --ties
index puts the lower index first in both spaces, which rewards the order of the recording.
Ties and duplicates are counted. If all latents are equal, no score is defined and the
model is left out of comparisons.

With --space auto, the original space consists of the frames that the latents depend on.
For a state of several frames (a window or clip), it is the last frame if all encoders use
only that frame (a ConvEncoder checkpoint pooled by "last", or a --window of one frame),
otherwise the whole clip; baselines are ignored. The choice is printed and stored as
"space" of every model.

Consecutive frames are similar for every encoder. --exclude-window w removes states at
most w frames apart in one episode from neighborhoods and ranks. auto uses the longest
autocorrelation time of the models, limited to a window that leaves every state half of
the others; it is printed and stored as "exclude_window" of every model. States drawn by
--samples keep the times of their frames, but have no autocorrelation time; such a window
runs on the CPU.

Intervals use the delete-block jackknife over episodes or blocks of states, with new ranks
for each block: resampling with replacement would create duplicates, which bias ranks.
--bootstrap 0 turns intervals off; other values have no effect. The columns Trust_std and
Cont_std of the summary are jackknife standard errors, not the spread over states. The
null pairs states with shuffled latents (--permutations; the same pairings for all models)
and keeps the order in time, so that slow unrelated latents score far above 0.5. A score
that does not exceed the null is no evidence of preserved neighborhoods. --null
independent pairs every state with the latent of any other state.

--metric precomputed reads the frames as a distance matrix between states: float32 or
float64 [N, N], nonnegative, symmetric, with any diagonal; row i ranks the neighbors of
state i. Latents then use Euclidean distances.

--latent-metric sets a different distance for latents, for example Euclidean for latents
and cosine for states.

--latent-scale l2 compares directions of latents; raw and rms have the same neighbors.
--per-point finds badly embedded states: Sample_ID counts states, and Frame is the first
frame of the state.

--approx is for very many states, because the time grows with the square of their number.
It draws reference states, in proportion from every episode or period of the recording,
and computes their distances to all states in all spaces. Neighbors, ranks and penalties
of a reference are exact; only the average is over a sample. Scores are unbiased, with the
standard error of the draw (sampling_se, neighborhood_sampling.csv). There are no
intervals, no comparisons of models and no curves.`

func analyse(ctx context.Context, env *run.Env, data *input.Data, space string, o neighborhood.Options) error {
	states, err := data.SelectSeen(ctx, data.Sample(), func(models []*input.Model) input.Space {
		if space == spaceAuto {
			var warning string
			if space, warning = seen(data.States, models, (*input.Model).Window); warning != "" {
				env.Warn("%s", warning)
			}
		}
		if space == spaceClip {
			return input.Clips
		}
		return input.LastFrames
	})
	if err != nil {
		return err
	}
	if err := data.RoomForSpectra(states.Models, data.Searching(len(states.Index), 0)); err != nil {
		return err
	}
	if o.Metric == neighbors.Precomputed {
		states.Frames = among(states.Frames, states.Time)
		if own, most := extremes(states.Frames); own > ownShare*most {
			env.Warn("frames: the diagonal has distances up to %.3g (others: %.3g) and is ignored; a similarity "+
				"matrix would be ranked in reverse: give distances, such as 1 − similarity", own, most)
		}
	}
	in := neighborhood.Input{Frames: states.Frames, Source: states.Source, Space: space, Episode: states.Episode, Time: states.Time,
		Sampled: len(states.Index) < len(data.Index()), Same: states.Same, Models: states.Models}
	o.Scale = spectrum.Scale(data.Options.LatentScale)
	if o.Settings, err = data.SettingsOnGPUs(env, "ranking"); err != nil {
		return err
	}
	output.NoteWindowOfSample(env, len(o.Device.Contexts()), o.ExcludeWindow, in.Sampled)
	result, err := neighborhood.Analyze(ctx, in, o)
	if err != nil {
		return err
	}
	return write(result, env, states.Index, in, o)
}

// checkMatrix wants the frames to be a square matrix of distances.
func checkMatrix(data *input.Data) error {
	if data.Window() > 0 {
		return run.Usage(
			"--metric precomputed and --window cannot be used together: each row of distances is one state")
	}
	frames := data.States.Array()
	if shape := frames.Shape(); len(shape) != 2 || shape[0] != shape[1] {
		return fmt.Errorf("frames %s: shape %v, want a square matrix [N, N] of distances for --metric precomputed",
			frames.Name(), shape)
	}
	return nil
}

// among keeps of rows of distances between all states those to the given ones.
func among(rows points.Points, states []int) points.Points {
	out := points.Points{N: rows.N, Dim: len(states)}
	if len(states) == rows.Dim {
		return rows
	}
	for i := range rows.N {
		for _, j := range states {
			k := i*rows.Dim + j
			switch {
			case rows.F32 != nil:
				out.F32 = append(out.F32, rows.F32[k])
			case rows.F64 != nil:
				out.F64 = append(out.F64, rows.F64[k])
			default:
				out.U8 = append(out.U8, rows.U8[k])
			}
		}
	}
	return out
}

// ownShare is the share of the largest distance from which distances of states from
// themselves are no rounding.
const ownShare = 1e-4

// extremes are the largest distance of a state from itself and the largest of all others.
func extremes(matrix points.Points) (diagonal, others float64) {
	row := make([]float64, matrix.Dim)
	for i := range matrix.N {
		for j, v := range matrix.Row(i, row) {
			if j == i {
				diagonal = max(diagonal, v)
			} else {
				others = max(others, v)
			}
		}
	}
	return diagonal, others
}

// seen is the original space that the latents see, by the rule of the manual, and
// a warning where models see different ones; window is how many frames one sees.
func seen(states *dataset.States, models []*input.Model, window func(*input.Model) int) (space, warning string) {
	if states.Size() == states.LastFrame().Size() {
		return spaceFrame, "" // a state is one frame or a vector
	}
	var last, all, fewer []string
	for _, m := range models {
		switch {
		case m.Encoder != nil && isBaseline(m.Encoder.Info()):
		case states.Window() > 1 && window(m) <= 1 || m.Encoder != nil && looksAtLastFrame(m):
			last = append(last, m.Name)
		case window(m) < states.Window():
			fewer = append(fewer, fmt.Sprintf("%s uses only its last %d frames", m.Name, window(m)))
		default:
			all = append(all, m.Name)
		}
	}
	if len(last) > 0 {
		if len(all)+len(fewer) == 0 {
			return spaceFrame, ""
		}
		fewer = append(fewer, strings.Join(last, ", ")+" uses only its last frame")
	}
	if len(fewer) == 0 {
		return spaceClip, ""
	}
	sight := "the original space is the whole clip"
	if len(all) > 0 {
		sight += ", as " + strings.Join(all, ", ") + " may see it"
	}
	return spaceClip, sight + ", but " + strings.Join(fewer, ", and ") + "; choose with --space"
}

func isBaseline(info latent.Info) bool { return info.Format == "random" || info.Format == "pca" }

// looksAtLastFrame reports whether a model is known to encode the frames of a
// state one by one and to keep the last. Nothing is known of a graph.
func looksAtLastFrame(m *input.Model) bool {
	info := m.Encoder.Info()
	pool := m.Pool
	if pool == latent.PoolNone {
		pool = info.DefaultPool
	}
	return info.Architecture == "ConvEncoder" && pool == latent.PoolLast
}

// write puts the result into the result file, the CSV files, the console and
// the figures.
func write(r *neighborhood.Result, env *run.Env, index []int, in neighborhood.Input, o neighborhood.Options) error {
	output.Enter(env, r.Warnings, r.Models, func(m neighborhood.Model) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	err := output.All(env,
		func(env *run.Env) error { return writeSummary(r, env) }, func(env *run.Env) error { return writeSampling(r, env) },
		func(env *run.Env) error { return writeCurves(r, env) },
		func(env *run.Env) error { return writePoints(r, env, index, in) },
		func(env *run.Env) error { return printScores(r, env, in.Frames.Dim, o) },
		func(env *run.Env) error { return printSpaces(r, env) },
	)
	if err != nil {
		return err
	}
	if err := env.Figure("neighborhood_preservation", Figure(r)); err != nil {
		return err
	}
	if curves := CurvesFigure(r); curves != nil {
		return env.Figure("neighborhood_rnx_curves", curves)
	}
	return nil
}

func writeSummary(r *neighborhood.Result, env *run.Env) error {
	return output.ModelCSV(env, "neighborhood_preservation_summary.csv", []string{
		"Model", "k", "Trust_mean", "Trust_std", "Cont_mean", "Cont_std",
	}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for _, a := range m.ByK {
				if err := csv.Row(m.Name, a.K, a.Trustworthiness, a.TrustSE, a.Continuity, a.ContSE); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// writeSampling writes the standard errors of a sample.
func writeSampling(r *neighborhood.Result, env *run.Env) error {
	if r.Sampling == nil {
		return nil
	}
	return env.Files.CSV("neighborhood_sampling.csv", []string{"Model", "k", "Score", "Estimate", "Sampling_SE"}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for _, a := range m.ByK {
				for _, s := range []struct {
					name         string
					estimate, se report.Value
				}{
					{"trustworthiness", a.Trustworthiness, a.SamplingSE.Trustworthiness},
					{"continuity", a.Continuity, a.SamplingSE.Continuity},
					{"q_nx", a.QNX, a.SamplingSE.QNX},
					{"r_nx", a.RNX, a.SamplingSE.RNX},
					{"lcmc", a.LCMC, a.SamplingSE.LCMC},
					{"mrre_false", a.MRREFalse, a.SamplingSE.MRREFalse},
					{"mrre_missing", a.MRREMissing, a.SamplingSE.MRREMissing},
				} {
					if err := csv.Row(m.Name, a.K, s.name, s.estimate, s.se); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// cutStates is the number of states of the null where episodes are cut to one length, else 0.
func cutStates(r *neighborhood.Result) int {
	for _, m := range r.Models {
		for _, a := range m.ByK {
			if n := a.MadeNull(); n != nil && n.Cut != nil {
				return n.Cut.States
			}
		}
	}
	return 0
}

// hasCurves reports whether the co-ranking curves were computed.
func hasCurves(r *neighborhood.Result) bool {
	return slices.ContainsFunc(r.Models, func(m neighborhood.Model) bool { return m.Curves != nil })
}

func writeCurves(r *neighborhood.Result, env *run.Env) error {
	if !hasCurves(r) {
		return nil
	}
	return env.Files.CSV("neighborhood_rnx_curves.csv", []string{"Model", "K", "Q_NX", "R_NX"}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			if m.Curves == nil {
				continue
			}
			for i, rnx := range m.Curves.RNX {
				if err := csv.Row(m.Name, i+1, m.Curves.QNX[i], rnx); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func writePoints(r *neighborhood.Result, env *run.Env, index []int, in neighborhood.Input) error {
	if !slices.ContainsFunc(r.Models, func(m neighborhood.Model) bool { trust, _ := m.Penalties(0); return trust != nil }) {
		return nil
	}
	return env.Files.CSV("neighborhood_per_point.csv", []string{
		"Model", "Sample_ID", "Episode", "Frame", "k", "Trustworthiness", "Continuity", "Trust_Penalty", "Cont_Penalty",
	}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for q, a := range m.ByK {
				trust, cont := m.PointScores(q)
				trustPenalty, contPenalty := m.Penalties(q)
				for k := range trust {
					i := m.PointState(k)
					if err := csv.Row(m.Name, index[i], in.Episode[i], in.Time[i], a.K, trust[k], cont[k],
						trustPenalty[k], contPenalty[k]); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

func printScores(r *neighborhood.Result, env *run.Env, values int, o neighborhood.Options) error {
	table := report.NewTable("", "Model", "k", "Trustworthiness", "Continuity", "R_NX")
	for _, m := range r.Models {
		name := m.Name
		for _, a := range m.ByK {
			if e := a.SamplingSE; e != nil {
				table.Row(name, a.K, report.WithDeviation(a.Trustworthiness, e.Trustworthiness),
					report.WithDeviation(a.Continuity, e.Continuity), report.WithDeviation(a.RNX, e.RNX))
			} else {
				table.Row(name, a.K, report.WithInterval(a.Trustworthiness, a.TrustCI), report.WithInterval(a.Continuity, a.ContCI),
					report.WithInterval(a.RNX, a.RNXCI))
			}
			name = ""
		}
	}
	what := fmt.Sprintf("%s; original space: %s, %s, %s distances",
		text.Count(r.Samples, "state"), r.Models[0].Space, text.Count(values, "value"), o.Metric)
	if r.Blocks != "" {
		what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s", r.Blocks)
	}
	table.Note("%s", what)
	if r.Sampling != nil {
		table.Note("Exact: %s", r.Sampling.Exact)
		table.Note("Estimated: %s", r.Sampling.Estimated)
	}
	if level := chance(r); level.Defined() && env.Options.Verbose {
		table.Note("Independent states: T and C of %.3g, R_NX of 0", level.V)
	}
	switch warned := func(w string) bool { return strings.Contains(w, "--exclude-window") }; {
	case o.ExcludeWindow == 0 && slices.ContainsFunc(env.Result.Warnings, warned): // the warning says it
	case o.ExcludeWindow == 0:
		table.Note("Neighbors in time count as neighbors; --exclude-window %s leaves them out", r.WindowText())
	default:
		auto := ""
		if o.ExcludeWindow == results.AutoWindow {
			auto = " (auto: the longest autocorrelation time)"
		}
		table.Note("States at most %s apart in an episode are no neighbors%s; at least %s each",
			text.Count(r.ExcludeWindow, "frame"), auto, text.Count(r.Models[0].Candidates, "candidate"))
	}
	if err := output.ModelTable(env, table); err != nil || o.Permutations == 0 {
		return err
	}
	return env.Table(chanceTable(r, o))
}

// chanceTable has the null of each score next to the score of the same states.
func chanceTable(r *neighborhood.Result, o neighborhood.Options) *report.Table {
	table := report.NewTable("Chance", "Model", "k", "T", "Null T", "C", "Null C", "R_NX", "Null R_NX")
	for _, m := range r.Models {
		name := m.Name
		for _, a := range m.ByK {
			trust, cont, rnx := a.Trustworthiness, a.Continuity, a.RNX
			null := a.MadeNull()
			switch {
			case null == nil:
				table.Row(name, a.K, trust, trust, cont, cont, rnx, rnx) // undefined
			default:
				if null.Cut != nil {
					trust, cont, rnx = null.Cut.Trustworthiness, null.Cut.Continuity, null.Cut.RNX
				}
				table.Row(name, a.K, trust, report.WithDeviation(null.TrustworthinessMean, null.TrustworthinessSD),
					cont, report.WithDeviation(null.ContinuityMean, null.ContinuitySD),
					rnx, report.WithDeviation(null.RNXMean, null.RNXSD))
			}
			name = ""
		}
	}
	table.Note("Null: latents paired with the wrong states; mean ± SD of %s. "+
		"A score near its null says nothing about the model", o.Null.Describe(o.Permutations))
	if cut := cutStates(r); cut > 0 {
		table.Note("T, C and R_NX are here of the %s to which episodes are cut for the null, so that all have one length",
			text.Count(cut, "state"))
	}
	return table
}

// printSpaces writes what concerns a model's whole space, and the comparisons.
func printSpaces(r *neighborhood.Result, env *run.Env) error {
	spaces := report.NewTable("", "Model", "AUC R_NX", "Q local", "Q global", "K*", "Effective rank", "n eff.",
		"Duplicates", "Ties")
	for _, m := range r.Models {
		var best any = m.KStar
		if m.KStar.Defined() {
			best = int(m.KStar.V)
		}
		spaces.Row(m.Name, m.AUCRNX, m.QLocal, m.QGlobal, best, m.EffectiveRank, m.NEff, m.Duplicates.Latents, m.Ties.Latents)
	}
	spaces.Note("Original states: %s; ties: %s",
		text.Count(r.Models[0].Duplicates.Frames, "duplicate"), neighborhood.TiesInWords[r.Models[0].TiesRule])
	if err := env.Details(spaces); err != nil {
		return err
	}
	return output.PrintComparisons(env, r.Comparisons)
}
