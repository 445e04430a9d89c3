// Package command is the geometry binary: its flags, its files, its console tables and its figure.
package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/geometry"
	"repscope/analysis/internal/output"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
)

// Command is the geometry binary.
var Command = run.Command{
	Name:       "geometry",
	Summary:    "geometry of latent spaces: unit sphere, clusters, similarity of models, paths in time",
	Manual:     manual,
	Out:        "evaluation_plots/geometry_analysis",
	Methods:    describeMethods,
	Definition: geometry.Definition,
	Metrics:    geometry.Metrics,
	Setup: func(flags *run.Flags) run.Job {
		inputs := input.Register(flags, input.Needs{})
		labels := inputs.Role(
			flags,
			input.Role{
				Name:    "labels",
				Unit:    "label",
				Example: "lives",
				Column:  true,
				Usage: "`FILE[:key]` of an integer class or a text per frame (a window has the label of its last " +
					"frame); with --example also example:NAME, default example:lives",
			},
		)
		o := geometry.Options{
			Clusters: []int{10}, Starts: 10, Neighbors: []int{1, 5, 20}, Pairs: 2_000_000, Lags: 100, Permutations: 99,
		}
		list, perPoint := option.Of(&o), false
		list.Bool(&perPoint, "per-point", "write the silhouette of every state to geometry_per_point.csv").Free()
		flags.Declare(list)
		inputs.Sized(labels.Check)
		return run.Job{
			Files: output.Files("geometry", "geometry_summary.csv", "geometry_similarity.csv", "geometry_autocorrelation.csv",
				"geometry_per_point.csv", "geometry.figure"),
			Run: func(ctx context.Context, env *run.Env) error {
				if o.Pairs == 0 {
					o.Pairs = -1
				}
				data, err := inputs.Load(ctx, env)
				if err != nil {
					return err
				}
				return analyse(ctx, env, data, labels, perPoint, o)
			},
			Plan:    func(ctx context.Context, env *run.Env) error { return dryRun(ctx, env, inputs, perPoint) },
			Divides: true,
		}
	},
}

// dryRun says what a run would do.
func dryRun(ctx context.Context, env *run.Env, inputs *input.Inputs, perPoint bool) error {
	data, err := inputs.Plan(ctx, env)
	if err != nil {
		return err
	}
	env.Plan.Units = len(data.Models) + 1 // each model, and their similarities
	data.Hold(len(data.Index()), input.NoFrames)
	env.Plan.Search(len(data.Sample()), 1)
	output.PlanFiles(env, "geometry_summary.csv", "geometry_similarity.csv", "geometry_autocorrelation.csv")
	if perPoint {
		env.Plan.Write("geometry_per_point.csv")
	}
	env.PlanFigures("geometry")
	return nil
}

const manual = `geometry measures latents without the frames.

Unit sphere (Wang and Isola 2020): uniformity log E exp(-2|u-v|²) over all pairs is 0 if
all latents have the same direction and about -4 if they are spread evenly. Alignment
E|u_t - u_{t+1}|² of consecutive states is 0 if they coincide. Lower is better for both.
Uniformity is also computed for latents centered at their mean, where a common offset has
no effect. Both are undefined for constant latents.

Clusters: silhouette, Davies-Bouldin and Calinski-Harabasz for groups given by --labels
and for k-means clusters (--clusters; seeded k-means++, the best of --starts). Labels also
give NMI, AMI and ARI between clusters and labels, and the share of nearest latents with
the same label (--k, leave one out), among states more than --exclude-window frames apart
in an episode. auto uses the longest autocorrelation time of the models, limited to a
window that leaves every state half of the others; it is printed and stored as
"exclude_window" of every model.

Between models: linear CKA (also debiased: 0 for unrelated spaces of independent states, in
any dimension), the orthogonal Procrustes distance of spaces scaled to length 1 (0: same
shape, at most √2), and RSA, the rank correlation between distances in the two spaces, over
--rsa-pairs pairs of states drawn with the seed, or over all pairs.

States that follow each other are alike in every space, so that unrelated spaces have
debiased CKA and RSA above 0. cka_between and rsa_between use pairs of states in different
episodes (or blocks) only, and are 0 on average for unrelated spaces. The null
(--permutations) gives the episodes of one model to episodes of the other: a score that does
not exceed its null is no evidence of similarity. Agreement with labels has this null too.
Where p is 0.05 or more, the interval of CKA, NMI, AMI and ARI comes from the null.

Time, inside episodes: the autocorrelation of the latents by lag and its integral τ, step
sizes relative to the RMS distance between random states, and straightness, the cosine of
successive steps (1: straight line, 0: independent steps). For comparison, three states
drawn at random have a straightness of -0.5 in many dimensions.

Intervals use the jackknife over episodes or blocks, with new clusters and remaining
neighbors for each block, and include the error of the RMS distance. Silhouettes of
k-means are not compared between models, because each model has its own clusters.
--samples limits the states in measures over pairs; measures in time use all states.`

func analyse(ctx context.Context, env *run.Env, data *input.Data, labels *input.Given, perPoint bool,
	o geometry.Options) error {
	index := data.Index()
	classes, err := labels.Ints(data, index)
	if err != nil {
		return err
	}
	states, err := data.Select(ctx, index, input.NoFrames)
	if err != nil {
		return err
	}
	working := data.Searching(len(states.Index), slices.Max(append([]int{0}, o.Neighbors...))) +
		geometry.SimilarityBytes(states.Models)
	if err := data.RoomForSpectra(states.Models, working); err != nil {
		return err
	}
	in := geometry.Input{Episode: states.Episode, Time: states.Time, Same: states.Same, Models: states.Models, Labels: classes}
	if chosen := data.Sample(); len(chosen) < len(index) {
		for _, state := range chosen {
			place, _ := slices.BinarySearch(index, state)
			in.Sample = append(in.Sample, place)
		}
	}
	if o.Settings, err = data.SettingsOnGPUs(env, "measuring"); err != nil {
		return err
	}
	output.NoteWindowOfSample(env, len(o.Device.Contexts()), o.ExcludeWindow, in.Sample != nil)
	result, err := geometry.Analyze(ctx, in, o)
	if err != nil {
		return err
	}
	if perPoint {
		if err := writePoints(result, env, states, in.Sample); err != nil {
			return err
		}
	}
	return write(result, env, o)
}

// write puts the result into the result file, the CSV files, the console and
// the figure.
func write(r *geometry.Result, env *run.Env, o geometry.Options) error {
	output.Enter(env, r.Warnings, r.Models, func(m geometry.Model) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = blocksText(r)
	if err := output.All(env,
		func(env *run.Env) error { return writeSummary(r, env) },
		func(env *run.Env) error { return writeSimilarity(r, env) },
		func(env *run.Env) error { return writeAutocorrelation(r, env) },
		func(env *run.Env) error { return printSpaces(r, env) },
		func(env *run.Env) error { return printGroups(r, env) },
		func(env *run.Env) error { return printLabels(r, env, o) },
		func(env *run.Env) error { return printSimilarity(r, env) },
	); err != nil {
		return err
	}
	return env.Figure("geometry", Figure(r))
}

// blocksText says how states were grouped for intervals, where steps are grouped otherwise too.
func blocksText(r *geometry.Result) string {
	if r.SampleBlocks == "" || r.SampleBlocks == r.TimeBlocks {
		return r.TimeBlocks
	}
	return r.SampleBlocks + " (measures over pairs) and of " + r.TimeBlocks + " (measures in time)"
}

// writeSummary writes one row per model and grouping: the measures of the model
// repeat.
func writeSummary(r *geometry.Result, env *run.Env) error {
	return output.ModelCSV(env, "geometry_summary.csv", []string{
		"Model", "Grouping", "Groups", "Silhouette", "Davies_Bouldin", "Calinski_Harabasz", "NMI", "AMI", "ARI",
		"Uniformity", "Alignment", "Tau", "Step_Mean", "Step_SD", "Step_Relative", "Straightness", "Curvature_Degrees",
		"RMS_Distance", "Effective_Rank", "N_Eff_Mean_Latent", "Sample_Count",
		"Uniformity_Centered", "Step_Relative_RMS", "Straightness_Independent",
	}, func(csv *report.CSV) error {
		none := report.Undefined("no labels")
		for _, m := range r.Models {
			for _, g := range m.Groupings {
				nmi, ami, ari := none, none, none
				if g.Agreement != nil {
					nmi, ami, ari = g.Agreement.NMI.Value, g.Agreement.AMI.Value, g.Agreement.ARI.Value
				}
				t := m.Temporal
				if err := csv.Row(m.Name, g.Source, g.Groups, g.Silhouette, g.DaviesBouldin, g.CalinskiHarabasz, nmi, ami, ari,
					m.Uniformity, m.Alignment, t.Tau, t.Steps.Mean, t.Steps.SD, t.Steps.Relative, t.Straightness.Cosine, t.Straightness.Curvature,
					m.RMSDistance, m.EffectiveRank, m.NEff, m.Samples, m.UniformityCentered, t.Steps.RelativeRMS, t.Straightness.Independent); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func writeSimilarity(r *geometry.Result, env *run.Env) error {
	return env.Files.CSV("geometry_similarity.csv", []string{
		"Model_A", "Model_B", "CKA", "CKA_Debiased", "Procrustes", "RSA", "RSA_Sampling_Error", "RSA_Pairs",
		"CKA_Between", "RSA_Between", "CKA_Null", "CKA_P", "CKA_Debiased_Null", "CKA_Debiased_P",
		"Procrustes_Null", "Procrustes_P", "RSA_Null", "RSA_P",
	}, func(csv *report.CSV) error {
		for i, a := range r.Models {
			for _, b := range r.Models {
				s := r.SimilarityOf(i, b.Name)
				cells := []any{a.Name, b.Name, s.CKA, s.CKADebiased, s.Procrustes, s.RSA, s.RSASamplingError, s.RSAPairs,
					s.CKABetween, s.RSABetween}
				for _, c := range chances(s.Null) {
					cells = append(cells, c.Mean, c.P)
				}
				if err := csv.Row(cells...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func writeAutocorrelation(r *geometry.Result, env *run.Env) error {
	return env.Files.CSV("geometry_autocorrelation.csv", []string{"Model", "Lag", "Autocorrelation", "CI_Low", "CI_High", "Pairs"}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for _, lag := range m.Temporal.Autocorrelation {
				low, high := ends(lag.Rho.CI)
				if err := csv.Row(m.Name, lag.Lag, lag.Rho, low, high, lag.Pairs); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func writePoints(r *geometry.Result, env *run.Env, all *points.Selection, sample []int) error {
	state := func(i int) int { // of the sample
		if sample == nil {
			return i
		}
		return sample[i]
	}
	return env.Files.CSV("geometry_per_point.csv", []string{"Model", "Sample_ID", "Episode", "Frame", "Grouping", "Groups", "Group", "Silhouette"}, func(csv *report.CSV) error {
		for _, m := range r.Models {
			for q, g := range m.Groupings {
				for i, s := range m.SilhouetteOf[q] {
					if err := csv.Row(m.Name, all.Index[state(i)], all.Episode[state(i)], all.Time[state(i)], g.Source, g.Groups, m.GroupOf[q][i], s); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// printSpaces writes the measures of single models to the console.
func printSpaces(r *geometry.Result, env *run.Env) error {
	columns := []string{"Model", "Uniformity", "Alignment", "Straightness", "… random"}
	if r.Labelled {
		k := middleLabels(&r.Models[0])
		columns = append(columns, fmt.Sprintf("Label accuracy, k = %d", k.K), "… chance")
	}
	space := report.NewTable("", append(columns, "Effective rank")...)
	for i := range r.Models {
		m := &r.Models[i]
		cells := []any{m.Name, m.Uniformity, m.Alignment, m.Temporal.Straightness.Cosine, m.Temporal.Straightness.Independent}
		if r.Labelled {
			k := middleLabels(m)
			cells = append(cells, k.Accuracy, k.AccuracyChance)
		}
		space.Row(append(cells, m.EffectiveRank)...)
	}
	what := text.Count(r.Models[0].States, "state")
	if n := r.Models[0].Samples; n < r.Models[0].States {
		what += fmt.Sprintf(", %d of them in measures of pairs", n)
	}
	if r.TimeBlocks != "" {
		what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s", r.TimeBlocks)
	}
	space.Note("%s", what)
	space.Note("Lower uniformity and alignment are better, but only together; straightness: 1 for a straight path, " +
		"… random: of states in random order")
	if err := output.ModelTable(env, space); err != nil {
		return err
	}
	return env.Details(motionTable(r))
}

// middleLabels is the agreement of labels at the middle number of neighbors.
func middleLabels(m *geometry.Model) *geometry.LabelConsistency {
	return &m.LabelConsistency[len(m.LabelConsistency)/2]
}

// motionTable has the other measures of single models.
func motionTable(r *geometry.Result) *report.Table {
	table := report.NewTable("", "Model", "Uniformity centered", "τ", "Step / RMS", "Curvature °", "n eff.")
	var unreliable []string
	for _, m := range r.Models {
		if m.NEff.Defined() && !m.NEffReliable {
			unreliable = append(unreliable, m.Name)
		}
		table.Row(m.Name, m.UniformityCentered, m.Temporal.Tau, m.Temporal.Steps.Relative,
			m.Temporal.Straightness.Curvature.Value, m.NEff)
	}
	if len(unreliable) > 0 {
		table.Note("n eff. is an upper limit: the episodes are too short for the autocorrelation time: %s",
			strings.Join(unreliable, ", "))
	}
	return table
}

// printGroups writes the measures of the groups.
func printGroups(r *geometry.Result, env *run.Env) error {
	columns := []string{"Model", "Groups", "Silhouette", "Davies–Bouldin", "Calinski–Harabasz"}
	if r.Labelled {
		columns = append(columns, "NMI", "AMI", "ARI")
	}
	groups := report.NewTable("", columns...)
	for _, m := range r.Models {
		for i, g := range m.Groupings {
			cells := []any{nameOnce(m.Name, i), fmt.Sprintf("%s (%d)", name(g), g.Groups), g.Silhouette,
				g.DaviesBouldin, g.CalinskiHarabasz}
			if g.Agreement != nil {
				cells = append(cells, g.Agreement.NMI, g.Agreement.AMI, g.Agreement.ARI)
			}
			groups.Row(cells...)
		}
	}
	if len(r.Comparisons) > 0 {
		groups.Note("Silhouettes of k-means are not compared: each model has its own clusters")
	}
	return env.Details(groups)
}

// printLabels writes how the neighbors agree with the labels, if there are any.
func printLabels(r *geometry.Result, env *run.Env, o geometry.Options) error {
	if !r.Labelled {
		return nil
	}
	labels := report.NewTable("", "Model", "k", "Label accuracy", "Chance", "Purity", "Chance")
	for _, m := range r.Models {
		for i, c := range m.LabelConsistency {
			labels.Row(nameOnce(m.Name, i), c.K, c.Accuracy, c.AccuracyChance, c.Purity, c.PurityChance)
		}
	}
	for _, m := range r.Models {
		if m.Duplicates != nil && *m.Duplicates > 0 {
			labels.Note("%s: %d latents equal an earlier one; neighbors at equal distances: mean over all orders",
				m.Name, *m.Duplicates)
		}
	}
	switch window := r.Models[0].ExcludeWindow; {
	case window > 0:
		labels.Note("States at most %s apart in an episode are no neighbors (auto: the longest autocorrelation time)",
			text.Count(window, "frame"))
	case o.ExcludeWindow == 0:
		labels.Note("Neighbors in time count as neighbors; see --exclude-window")
	}
	return env.Details(labels)
}

// chances are CKA, debiased CKA, Procrustes distance and RSA under the null; undefined without one.
func chances(n *geometry.SimilarityNull) [4]geometry.Chance {
	if n == nil {
		none := report.Undefined("no null")
		c := geometry.Chance{Mean: none, SD: none, Threshold: none, P: none}
		return [4]geometry.Chance{c, c, c, c}
	}
	return [4]geometry.Chance{n.CKA, n.CKADebiased, n.Procrustes, n.RSA}
}

// printSimilarity writes the measures of pairs of models, and the comparisons.
func printSimilarity(r *geometry.Result, env *run.Env) error {
	if len(r.Models) > 1 {
		similar := report.NewTable("", "A", "B", "CKA", "CKA debiased", "Procrustes", "RSA")
		for i, a := range r.Models {
			for j, b := range r.Models[i+1:] {
				s := r.SimilarityOf(i, b.Name)
				similar.Row(nameOnce(a.Name, j), b.Name, s.CKA, s.CKADebiased,
					s.Procrustes, s.RSA)
			}
		}
		if r.RSAAll {
			similar.Note("RSA over all %d pairs of states", r.RSAPairs)
		} else {
			similar.Note("RSA over %s of states drawn with the seed; see rsa_sampling_error", text.Count(r.RSAPairs, "pair"))
		}
		if err := env.Details(similar); err != nil {
			return err
		}
		if err := env.Details(chanceTable(r)); err != nil {
			return err
		}
	}
	return output.PrintComparisons(env, r.Comparisons)
}

// chanceTable has the similarities without what states of one episode share.
func chanceTable(r *geometry.Result) *report.Table {
	table := report.NewTable("", "A", "B", "CKA between", "RSA between", "CKA debiased: null", "p", "RSA: null", "p")
	permutations := 0
	for i, a := range r.Models {
		for j, b := range r.Models[i+1:] {
			s := r.SimilarityOf(i, b.Name)
			if s.Null != nil {
				permutations = s.Null.Permutations
			}
			c := chances(s.Null)
			table.Row(nameOnce(a.Name, j), b.Name, s.CKABetween, s.RSABetween, c[1].Mean, c[1].P, c[3].Mean, c[3].P)
		}
	}
	table.Note("Between: from pairs of states in different episodes or blocks; 0 on average for spaces that share " +
		"nothing")
	if permutations > 0 {
		table.Note("Null: mean over %s of episodes, which keep the order in time; CKA and RSA near it say nothing",
			text.Count(permutations, "exchange"))
	}
	return table
}

// name is how tables and figures call the groups.
func name(g geometry.Grouping) string {
	if g.Source == geometry.SourceKMeans {
		return "k-means"
	}
	return g.Source
}

// nameOnce leaves the name out of all rows but the first.
func nameOnce(name string, row int) string {
	if row > 0 {
		return ""
	}
	return name
}

// ends are the ends of an interval, undefined where it is.
func ends(ci report.Interval) (low, high report.Value) {
	if !ci.Defined() {
		return report.Undefined("%s", ci.Reason), report.Undefined("%s", ci.Reason)
	}
	return report.Number(ci.Low), report.Number(ci.High)
}
