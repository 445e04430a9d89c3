// Package command is the manifold binary: its flags, its files, its console table and its figure.
package command

import (
	"context"
	"fmt"

	"repscope/analysis/internal/output"
	"repscope/analysis/manifold"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/measure/corruption"
	"repscope/measure/normality"
	"repscope/report"
)

// Command is the manifold binary.
var Command = run.Command{
	Name:       "manifold",
	Summary:    "effective and intrinsic dimension of a representation",
	Manual:     manual,
	Out:        "evaluation_plots/manifold_dimension",
	Methods:    describeMethods,
	Definition: manifold.Definition,
	Metrics:    func() []report.Described { return manifold.Metrics(manifold.EstimatorFit) }, // with its number
	Describes:  true,
	Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{})
		groups := inputs.Role(flags, input.Role{
			Name: "groups", Unit: "group", Column: true,
			Usage: "`FILE[:key]` of an integer or a text per frame: frames with one value are views of one thing, " +
				"for LiDAR",
		})
		o := manifold.Options{Estimator: manifold.EstimatorMLE, DuplicateTolerance: 1e-7,
			ViewCorruption: corruption.Gaussian, ViewLevel: 0.1, LiDARDelta: 1e-4,
			GaussianScale: normality.Isotropic, GaussianDraws: 99}
		flags.Declare(option.Of(&o))
		inputs.Sized(groups.Check)
		inputs.Sized(func(data *input.Data) error {
			_, err := newViews(data, o, 0)
			return err
		})
		return run.Job{
			Check: func(*run.Options) error {
				if err := manifold.CheckPowerLaw(o.PowerLaw); err != nil {
					return run.Usage("--power-law: %v", err)
				}
				if err := o.ViewCorruption.CheckLevel(o.ViewLevel); err != nil {
					return run.Usage("--view-level: %v", err)
				}
				if o.Views > 0 && flags.Given("groups") {
					return run.Usage("--views and --groups both define the classes of LiDAR; give one of them")
				}
				if o.Views == 0 && (flags.Given("view-corruption") || flags.Given("view-level")) {
					return run.Usage("--view-corruption and --view-level have no effect without --views N")
				}
				return nil
			},
			Files: output.Files("manifold", "manifold_dimension_summary.csv", "manifold_eigenvalues.csv", "manifold_dimension_analysis.figure"),
			Run: func(ctx context.Context, env *run.Env) error {
				data, err := inputs.Load(ctx, env)
				if err != nil {
					return err
				}
				return analyse(ctx, env, data, groups, o)
			},
			Plan:    func(ctx context.Context, env *run.Env) error { return dryRun(ctx, env, inputs, o) },
			Divides: true,
		}
	},
}

// dryRun says what a run would do.
func dryRun(ctx context.Context, env *run.Env, inputs *input.Inputs, o manifold.Options) error {
	data, err := inputs.Plan(ctx, env)
	if err != nil {
		return err
	}
	env.Plan.Units = len(data.Models)
	if o.Views > 0 {
		env.Plan.Count("views", o.Views)
		env.Plan.Again(1 + o.Views)
	}
	data.Hold((1+o.Views)*len(data.Sample()), input.NoFrames)
	env.Plan.Search(len(data.Sample()), 1)
	output.PlanFiles(env, "manifold_dimension_summary.csv", "manifold_eigenvalues.csv")
	env.PlanFigures("manifold_dimension_analysis")
	return nil
}

const manual = `manifold measures dimension in two ways. Linear dimensions come from the eigenvalues λ of
the latents' covariance: the participation ratio (Σλ)²/Σλ² and its share of the nominal
dimension, the entropy effective rank, RankMe, the stable rank, the number of directions
for 90 % and 99 % of the variance, and constant dimensions. Intrinsic dimensions come from
nearest-neighbor distances: Two-NN (maximum likelihood and the published fit), Gride and
Levina–Bickel over growing neighborhoods, and Two-NN over ever smaller random subsets
(decimation).

αReQ (alpha_req) is the exponent of the power law that the eigenvalues follow by rank, from
--power-law LOW to HIGH, fitted to logarithms with weights 1/rank. Its R² is reported; below
0.95 there is no power law to speak of. The stable rank is also known as NESum;
stable_rank_uncentered is the stable rank of the latents with their mean.

LiDAR (Thilak et al. 2024) is the effective rank of the scatter between classes in units of
the scatter inside them. Classes are states: --views N encodes every state under N seeded
corruptions. Or they are --groups. Delta (--lidar-delta) is in squared units of the latents.

--gaussian-slices N compares the latents with an isotropic Gaussian: SIGReg's sliced
Epps-Pulley statistic (Balestriero and LeCun 2025) in N random directions, and BHEP over all
pairs of up to 10,000 states. Both grow with the number of states, so that they are held
against --gaussian-draws samples of a Gaussian of the same number and dimension. States that
depend on each other are tested twice an autocorrelation time apart, or not at all.

--learn-clusters K is the cluster learnability of CLID (Lu et al. 2022): the share of latents
whose k-means cluster has the majority among their 5 nearest neighbors.

The participation ratio of a sample is too small by a factor of about 1 + (PR + 1)/m,
where m is the effective number of independent latents. Tables, figures and comparisons
show the corrected ratio, from unbiased estimates of (tr C)² and tr C² with latents of
different blocks; the uncorrected ratio is in the files. The effective rank uses the
variance spectrum (Roy and Vetterli use singular values: effective_rank_singular). It and
RankMe are also biased downward; the bias estimated by the jackknife is printed.

Two-NN measures the smallest scale, where noise adds dimensions. A value that falls along
the orders of Gride or with decimation indicates noise. Duplicate latents are removed and
counted: equal latents; latents that differ only by rounding (16 units in the last place
of their norm in float32 and float64, one in half precision), as from different batch
sizes; and, if frames are given, latents of equal frames up to a hundredth of the RMS
distance. If many latents have two equally distant neighbors, as discrete codes do, the
dimension describes a lattice: the share is printed, with a warning above 5 %, and Two-NN
is not compared.

The nearest neighbors of a frame are often the frames just before and after. Their
distances measure the speed of the episode, and a path through three dimensions appears to
have five. The share of such neighbors is printed. --exclude-window w searches neighbors
among states more than w frames apart in an episode, from the state and from each other
(Theiler 1986). Without the latter, frames of another pass of the same path have nearly
equal distances, and the path appears to have thirty dimensions. States are distributed in
turn over several sets, and neighbors come from the same set. auto uses the longest
autocorrelation time of the models. States of --samples keep their frame numbers.

Intervals of linear dimensions use the jackknife over episodes or blocks of states. For
nearest neighbors these would be too wide by a factor of 1.4 to 1.9; intrinsic dimensions
instead compare halves of the blocks (Shao and Wu 1989), on a log scale. The file also has
the interval for independent ratios (mle_ci). Ratios of neighbors are dependent, so that it
holds about 86 times in 100; use mle_halves_ci.

--approx is for very many states. States are assigned to k-means cells, and neighbors are
searched in the cells nearest to each state, with exact distances. The share of true
neighbors found (recall) is measured on 500 states, printed and stored, with a warning
below 0.95. If an exact search takes only seconds (up to about 40,000 states of 64
dimensions), it is used instead, and the output says so. The steps of the decimation curve
then use some of many small subsets.`

func analyse(ctx context.Context, env *run.Env, data *input.Data, groups *input.Given, o manifold.Options) error {
	states, err := data.Select(ctx, data.Sample(), input.NoFrames)
	if err != nil {
		return err
	}
	working := data.Searching(len(states.Index), o.Listed(len(states.Index))) + viewBytes(o, states.Models)
	if err := data.RoomForSpectra(states.Models, working); err != nil {
		return err
	}
	in := manifold.Input{Episode: states.Episode, Time: states.Time, Same: states.Same, Models: states.Models}
	if in.Groups, err = groups.Ints(data, states.Index); err != nil {
		return err
	}
	if o.Views > 0 {
		made, err := newViews(data, o, env.Options.Seed)
		if err != nil {
			return err
		}
		in.View = made.view(data, states.Index)
		for _, m := range data.Models {
			in.Content = append(in.Content, m.Content())
		}
	}
	if o.Settings, err = data.SettingsOnGPUs(env, "measuring"); err != nil {
		return err
	}
	for _, list := range []struct {
		flag   string
		orders []int
	}{{"gride", o.GrideOrders}, {"neighbors", o.Neighbors}} {
		for _, k := range list.orders {
			if k >= len(states.Index) {
				env.Warn("--%s %d left out: a state has only %s", list.flag, k, text.Count(len(states.Index)-1, "other"))
			}
		}
	}
	result, err := manifold.Analyze(ctx, in, o)
	if err != nil {
		return err
	}
	return write(result, env)
}

// write puts the result into the result file, the CSV files, the console and
// the figure.
func write(r *manifold.Result, env *run.Env) error {
	output.Enter(env, r.Warnings, r.Models, func(m manifold.Model) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	env.Result.Describe(manifold.Metrics(estimator(r))...)
	if err := output.All(env,
		func(env *run.Env) error { return writeSummary(r, env) },
		func(env *run.Env) error { return writeEigenvalues(r, env) },
		func(env *run.Env) error { return printTables(r, env) }); err != nil {
		return err
	}
	return env.Figure("manifold_dimension_analysis", Figure(r))
}

func writeSummary(r *manifold.Result, env *run.Env) error {
	return output.ModelCSV(env, "manifold_dimension_summary.csv", []string{
		"Model", "Nominal_Dimension", "Participation_Ratio", "Intrinsic_Dimension", "Dimension_Error",
		"Usage_Efficiency_Percent", "Max_Eigenvalue", "Min_Eigenvalue", "Eigenvalue_Count", "Sample_Count",
	}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			largest, smallest := report.Undefined("no spectrum"), report.Undefined("no spectrum")
			if n := len(m.Eigenvalues); n > 0 {
				largest, smallest = report.Number(m.Eigenvalues[0]), report.Number(m.Eigenvalues[n-1])
			}
			if err := csv.Row(m.Name, m.NominalDimension, m.ParticipationRatio, m.IntrinsicDimension, m.IntrinsicDimensionError,
				m.UsagePercent, largest, smallest, len(m.Eigenvalues), m.Samples); err != nil {
				return err
			}
		}
		return nil
	})
}

func writeEigenvalues(r *manifold.Result, env *run.Env) error {
	return env.Files.CSV("manifold_eigenvalues.csv", []string{"Model", "Eigenvalue_Index", "Eigenvalue"}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for i, v := range m.Eigenvalues {
				if err := csv.Row(m.Name, i+1, v); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// printTables writes the tables to the console.
func printTables(r *manifold.Result, env *run.Env) error {
	table := report.NewTable("", "Model", "D", "Participation ratio", "Two-NN", "Effective rank", "Dead dimensions",
		"In time %")
	for _, m := range r.Models {
		table.Row(m.Name, m.NominalDimension, m.ParticipationRatioCorrected, m.IntrinsicDimension, m.EffectiveRank,
			m.DeadDims, percent(m.NeighborsInTime))
	}
	what := fmt.Sprintf("%s; Two-NN estimate: %s%s",
		text.Count(r.Models[0].Samples, "state"), r.Models[0].Estimator, window(r))
	if r.Blocks != "" {
		what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s, of Two-NN by comparing halves of them", r.Blocks)
	}
	table.Note("%s", what)
	table.Note("Participation ratio and effective rank: directions in use (of D); Two-NN: degrees of freedom; " +
		"in time: nearest neighbors of about the same time")
	if err := output.ModelTable(env, table); err != nil {
		return err
	}
	tables := []*report.Table{restTable(r), labelFreeTable(r)}
	if t := askedTable(r); t != nil {
		tables = append(tables, t)
	}
	for _, t := range tables {
		if err := env.Details(t); err != nil {
			return err
		}
	}
	return output.PrintComparisons(env, r.Comparisons)
}

// restTable has the other numbers of the models, and how far the numbers can be trusted.
func restTable(r *manifold.Result) *report.Table {
	table := report.NewTable("", "Model", "Usage %", "RankMe", "90 %", "99 %", "Duplicates", "Ties %", "n eff.")
	for _, m := range r.Models {
		table.Row(m.Name, correctedUsage(&m), m.RankMe, m.Dims90, m.Dims99, m.TwoNN.Duplicates,
			percent(m.TwoNN.Tied), m.NEff)
	}
	table.Note("Usage: participation ratio in %% of D, corrected for the number of latents (usage_percent in the files: of the sample)")
	table.Note("Ties: latents whose two nearest neighbors are equally far; n eff.: effective sample size")
	for _, m := range r.Models {
		if m.EffectiveRankBias.Defined() {
			table.Note("%s: bias of the finite sample: effective rank %+.2g, RankMe %+.2g (not subtracted)",
				m.Name, m.EffectiveRankBias.V, m.RankMeBias.V)
		}
		if m.NEff.Defined() && !m.NEffReliable {
			table.Note("%s: n eff. is rough: the episodes are too short for the autocorrelation time", m.Name)
		}
		if m.Recall != nil {
			table.Note("%s: recall of the approximate search: %s", m.Name, m.Recall)
		}
	}
	return table
}

// labelFreeTable has the numbers that are proposed for choosing models without labels.
func labelFreeTable(r *manifold.Result) *report.Table {
	table := report.NewTable("Numbers without labels", "Model", "αReQ", "R²", "Stable rank", "Uncentered", "LiDAR")
	for _, m := range r.Models {
		lidar := report.NoEstimate("no --views and no --groups")
		if m.LiDAR != nil {
			lidar = m.LiDAR.Rank
		}
		table.Row(m.Name, m.AlphaReQ.Alpha, m.AlphaReQ.RSquared, m.StableRank, m.StableRankUncentered, lidar)
	}
	for _, m := range r.Models {
		if m.AlphaReQ.Doubt != "" {
			table.Note("%s: αReQ: %s", m.Name, m.AlphaReQ.Doubt)
		}
	}
	return table
}

// askedTable has the distance from a Gaussian and the learnability of clusters; nil where neither was asked for.
func askedTable(r *manifold.Result) *report.Table {
	table := report.NewTable("", "Model", "SIGReg", "Excess", "p", "BHEP", "Excess", "p", "Learnability")
	asked := false
	for i := range r.Models {
		m := &r.Models[i]
		g, l := m.Gaussianity, m.Learnability
		if g == nil && l == nil {
			continue
		}
		asked = true
		if g == nil {
			none := report.Undefined("no --gaussian-slices")
			g = &manifold.Gaussianity{SIGReg: manifold.GaussianStatistic{Statistic: none, Excess: none, P: none}}
			g.BHEP = g.SIGReg
		}
		if l == nil {
			l = &manifold.Learnability{Accuracy: report.NoEstimate("no --learn-clusters")}
		}
		table.Row(m.Name, g.SIGReg.Statistic, g.SIGReg.Excess, g.SIGReg.P, g.BHEP.Statistic, g.BHEP.Excess, g.BHEP.P,
			l.Accuracy.Value)
		if g.Apart > 1 && g.SIGReg.P.Defined() {
			table.Note("%s: excess and p are of %s at least %d frames apart",
				m.Name, text.Count(g.TestedStates, "state"), g.Apart)
		}
	}
	if !asked {
		return nil
	}
	table.Note("Excess: above the mean for Gaussian latents of the same number and dimension; p: of an isotropic " +
		"Gaussian")
	return table
}

// window says which neighbors are left out.
func window(r *manifold.Result) string {
	for _, m := range r.Models {
		if m.ExcludeWindow > 0 {
			return fmt.Sprintf(", among states more than %d frames apart", m.ExcludeWindow)
		}
	}
	return ""
}

func percent(v report.Value) report.Value {
	v.V *= 100
	return v
}

// estimator is the one that tables and figures show.
func estimator(r *manifold.Result) manifold.Estimator {
	if len(r.Models) == 0 {
		return manifold.EstimatorMLE
	}
	return r.Models[0].Estimator
}
