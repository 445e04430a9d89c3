// Simulated scores: coverage of confidence sets for the best, decisions by family of tests, one run compared with
// several, and intervals over runs of bounded scores.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"repscope/internal/parallel"
	"repscope/report"
	"repscope/stat"
	"repscope/tool/compare"
)

// A bestDesign has models whose first is the best, or as good as all others.
type bestDesign struct {
	Name   string
	Models int
	Runs   int                             // of each model; 0: one, and no variance between runs
	Shift  func(model, models int) float64 // of the level, in standard deviations of a block's effect
	Lag    float64                         // correlation of the effects of models next to each other, as of checkpoints
	Tail   int                             // degrees of freedom of the effects; 0: normal
	Uneven float64                         // standard deviation of the logarithm of the lengths of blocks
}

func level0(int, int) float64 { return 0 }

// lastWorse leaves out the last model.
func lastWorse(model, models int) float64 {
	if model == models-1 {
		return -3
	}
	return 0
}

// rising is a training curve, the first model being the last checkpoint.
func rising(model, models int) float64 { return -3 * float64(model) / float64(models-1) }

func bestDesigns() []bestDesign {
	var out []bestDesign
	for _, n := range []int{2, 12, 40, 100} {
		out = append(out, bestDesign{Name: "all equal", Models: n, Shift: level0})
		if n == 12 {
			out = append(out, bestDesign{Name: "all equal, effects of t₃", Models: n, Shift: level0, Tail: 3},
				bestDesign{Name: "all equal, blocks of unequal lengths", Models: n, Shift: level0, Uneven: 0.7},
				bestDesign{Name: "all equal, 3 runs of each", Models: n, Shift: level0, Runs: 3})
		}
		if n == 40 {
			out = append(out, bestDesign{Name: "all equal, correlated checkpoints", Models: n, Shift: level0, Lag: 0.9},
				bestDesign{Name: "a training curve of correlated checkpoints", Models: n, Shift: rising, Lag: 0.9})
		}
		out = append(out, bestDesign{Name: "one clearly worse", Models: n, Shift: lastWorse})
	}
	return out
}

// bestBlocks are the numbers of blocks.
var bestBlocks = []int{8, 16, 50}

// A setTally counts what one design says of the set.
type setTally struct {
	held, size, marked []float64 // of every draw
}

// drawBest are the scores of one draw by model and run: means per state in blocks, with labels.
func (d bestDesign) drawBest(blocks int, r *stat.Random) (scores [][][]float64, labels []int) {
	const length = 4
	lengths := make([]int, blocks)
	for b := range lengths {
		lengths[b] = max(1, int(math.Round(length*math.Exp(d.Uneven*r.Normal()))))
		for range lengths[b] {
			labels = append(labels, b)
		}
	}
	normal := r.Normal
	if d.Tail > 0 {
		of := Design{Tail: d.Tail}
		normal = func() float64 { return of.innovation(r) }
	}
	shared, effects := normals(r, blocks, 1), normals(r, blocks, 0)
	scores = make([][][]float64, d.Models)
	for m := range scores {
		for b := range effects {
			if each := normal(); m == 0 {
				effects[b] = each
			} else {
				effects[b] = d.Lag*effects[b] + math.Sqrt(1-d.Lag*d.Lag)*each
			}
		}
		for range max(d.Runs, 1) {
			level := d.Shift(m, d.Models)
			if d.Runs > 0 {
				level += 0.3 * r.Normal()
			}
			values := make([]float64, len(labels))
			for i, b := range labels {
				values[i] = level + shared[b] + effects[b] + 0.3*r.Normal()
			}
			scores[m] = append(scores[m], values)
		}
	}
	return scores, labels
}

// sets are the confidence sets of one draw, by the joint distribution and by pairs.
func (d bestDesign) sets(blocks int, seed, rep uint64) (joint, pairs []bool, err error) {
	const flips = 499
	r := stat.NewRandom(stat.StreamDesign.Key(seed, 5, uint64(d.Models), uint64(blocks), uint64(d.Runs), rep))
	scores, labels := d.drawBest(blocks, r)
	partition, err := stat.NewBlocks(len(labels), labels, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		return nil, nil, err
	}
	jackknifed := make([][]*stat.Jackknifed, d.Models)
	for m, runs := range scores {
		for _, values := range runs {
			j, err := stat.JackknifeMean(partition, values)
			if err != nil {
				return nil, nil, err
			}
			jackknifed[m] = append(jackknifed[m], j)
		}
	}
	var compared []stat.Comparison
	place := map[[2]int]int{}
	for i := range d.Models {
		for j := i + 1; j < d.Models; j++ {
			// Nothing reads the sign flips of pairs.
			c, err := stat.CompareSeeds(jackknifed[i], jackknifed[j], stat.CompareOptions{Permutations: 1})
			if err != nil {
				return nil, nil, err
			}
			place[[2]int{i, j}] = len(compared)
			compared = append(compared, c.Comparison)
		}
	}
	p := make([]float64, len(compared))
	for k, c := range compared {
		p[k] = c.P
	}
	holm := stat.Holm(p)
	better := func(i, j int) bool {
		k, ok := place[[2]int{i, j}]
		sign := 1.0
		if !ok {
			k, sign = place[[2]int{j, i}], -1
		}
		return holm[k] < level && sign*compared[k].Difference > 0
	}
	bound := stat.PairExtremes(d.Models, func(i, j int) (difference, p float64) {
		c := compared[place[[2]int{i, j}]]
		return c.Difference, c.P
	})
	pairs, _ = stat.BestSet(bound.Highest, level, better)
	if d.Runs > 0 {
		return nil, pairs, nil
	}
	first := make([]*stat.Jackknifed, d.Models)
	for m := range first {
		first[m] = jackknifed[m][0]
	}
	extremes := stat.JointExtremes(first, compared, stat.CompareOptions{Permutations: flips, Seed: rep})
	joint, _ = stat.BestSet(extremes.Highest, level, better)
	return joint, pairs, nil
}

// enter counts one set.
func (t *setTally) enter(rep int, in []bool) {
	if in == nil {
		t.held[rep] = math.NaN()
		return
	}
	for _, yes := range in {
		if yes {
			t.size[rep]++
		}
	}
	if in[0] {
		t.held[rep] = 1
	}
	if slices.Contains(in, false) {
		t.marked[rep] = 1
	}
}

// text is coverage ± Monte-Carlo error, the mean size, and how often a model is marked.
func (t *setTally) text() string {
	n := float64(len(t.held))
	held := stat.Mean(t.held)
	if math.IsNaN(held) {
		return "–"
	}
	text := fmt.Sprintf("%.1f ±%.1f", 100*held, 100*math.Sqrt(held*(1-held)/n))
	if held+2*math.Sqrt(held*(1-held)/n) < 0.95 {
		text = "**" + text + "**"
	}
	return fmt.Sprintf("%s; %.1f; %.0f", text, stat.Mean(t.size), 100*stat.Mean(t.marked))
}

// writeBest writes the tables of confidence sets.
func writeBest(ctx context.Context, w io.Writer, designs []bestDesign, draws int, seed uint64, threads int) error {
	fmt.Fprintf(w, "Confidence set for the best: percentage of draws in which it contains the best model ± Monte-Carlo error; "+
		"mean size; percentage of draws with a model outside; %d draws, by the joint distribution and by pairs:\n\n| models |", draws)
	for _, blocks := range bestBlocks {
		fmt.Fprintf(w, " %d blocks | %d blocks, pairs |", blocks, blocks)
	}
	fmt.Fprintf(w, "\n| --- |%s\n", strings.Repeat(" --- | --- |", len(bestBlocks)))
	for _, d := range designs {
		fmt.Fprintf(w, "| %d, %s |", d.Models, d.Name)
		n := draws
		if d.Models >= 100 {
			n = max(draws/5, 2)
		}
		for _, blocks := range bestBlocks {
			joint, pairs := newSetTally(n), newSetTally(n)
			err := parallel.Try(ctx, threads, n, func(_, rep int) error {
				a, b, err := d.sets(blocks, seed, uint64(rep))
				joint.enter(rep, a)
				pairs.enter(rep, b)
				return err
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(w, " %s | %s |", joint.text(), pairs.text())
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	return nil
}

func newSetTally(n int) *setTally {
	return &setTally{held: make([]float64, n), size: make([]float64, n), marked: make([]float64, n)}
}

// A familyDesign is a table of equal models over tasks: by scores per sample, or by one number of
// each run.
type familyDesign struct {
	Name                         string
	Models, Tasks, Metrics, Runs int
	Episodes                     int // of scores per sample; 0: one number of each run
}

func familyDesigns() []familyDesign {
	return []familyDesign{
		{"4 models × 8 tasks × 10 runs, one number of each", 4, 8, 1, 10, 0},
		{"3 models × 8 tasks × 2 metrics × 3 runs, samples of 12 episodes", 3, 8, 2, 3, 12},
	}
}

// gathered are the files of one draw.
func (d familyDesign) gathered(seed, rep uint64) (*compare.Gathered, error) {
	g := &compare.Gathered{}
	r := stat.NewRandom(stat.StreamDesign.Key(seed, 6, uint64(d.Models), uint64(d.Runs), rep))
	for task := range d.Tasks {
		shared := normals(r, max(d.Episodes, 1), sharedSpread)
		for m := range d.Models {
			levels := make([][]float64, d.Metrics)
			for k := range levels {
				levels[k] = normals(r, max(d.Episodes, 1), episodeSpread)
			}
			for run := range d.Runs {
				data, err := d.file(fmt.Sprintf("%s@%d", simulatedName(m), run), levels, shared, r)
				if err != nil {
					return nil, err
				}
				files, err := compare.ReadFrom(fmt.Sprintf("task %d, model %d, run %d", task, m, run), data)
				if err != nil {
					return nil, err
				}
				for _, f := range files {
					f.Task = fmt.Sprintf("task %d", task)
				}
				g.Files = append(g.Files, files...)
			}
		}
	}
	return g, nil
}

// file is the result of one run.
func (d familyDesign) file(model string, levels [][]float64, shared []float64, r *stat.Random) ([]byte, error) {
	if d.Episodes == 0 {
		return asResult(model, report.Number(5+runSpread*r.Normal()), report.NoInterval("none"))
	}
	table := &report.SampleTable{}
	all := report.ModelSamples{Model: model}
	for k := range levels {
		one := simulatedScores(model, "", levels[k], shared, 5+runSpread*r.Normal(), r)
		table.Metrics = append(table.Metrics, fmt.Sprintf("x%d", k))
		all.Sample, all.Group, all.Scores = one.Sample, one.Group, append(all.Scores, one.Scores[0])
	}
	table.Models = []report.ModelSamples{all}
	var b bytes.Buffer
	err := report.WriteSamples(&b, table)
	return b.Bytes(), err
}

// writeFamilies writes how often a table of equal models holds a decision.
func writeFamilies(ctx context.Context, w io.Writer, designs []familyDesign, draws int, seed uint64, threads int) error {
	fmt.Fprintf(w, "Tables of equal models in which any difference from the first is decided, "+
		"in percent ± Monte-Carlo error, by `--family`; %d draws:\n\n| table |", draws)
	for _, family := range compare.Families() {
		fmt.Fprintf(w, " %s |", family)
	}
	fmt.Fprintf(w, "\n| --- |%s\n", strings.Repeat(" --- |", len(compare.Families())))
	for _, d := range designs {
		decided := map[string][]float64{}
		for _, family := range compare.Families() {
			decided[family] = make([]float64, draws)
		}
		err := parallel.Try(ctx, threads, draws, func(_, rep int) error {
			for _, family := range compare.Families() {
				g, err := d.gathered(seed, uint64(rep))
				if err != nil {
					return err
				}
				o := compare.Options{Baseline: simulatedName(0), Lower: []string{"x*"}, Family: family, Threads: 1}
				r, err := compare.Compare(ctx, g, o)
				if err != nil {
					return err
				}
				for _, row := range r.Table {
					for _, cell := range row.Cells {
						if cell.Decision == "better" || cell.Decision == "worse" {
							decided[family][rep] = 1
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s |", d.Name)
		for _, family := range compare.Families() {
			share := stat.Mean(decided[family])
			fmt.Fprintf(w, " %.1f ±%.1f |", 100*share, 100*math.Sqrt(share*(1-share)/float64(draws)))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	return nil
}

// writeOneRun writes the table of one run of a trained and of an untrained model against several runs of another.
func writeOneRun(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error {
	var tallies []studyTally
	for _, runs := range []int{2, 3, 5, 10} {
		d := studyDesign{Runs: runs, Tasks: 12}
		t, err := tallyStudies(ctx, d, draws, threads, never, func(rep uint64) ([]observation, error) {
			var out []observation
			for _, fixed := range []bool{false, true} {
				r := stat.NewRandom(stat.StreamDesign.Key(seed, 7, uint64(runs), rep))
				shared := normals(r, d.Tasks, sharedSpread)
				var models [2][]report.ModelSamples
				for k, name := range []string{"a", "b"} {
					levels := normals(r, d.Tasks, episodeSpread)
					for run := range []int{1, runs}[k] {
						level := 5.0
						if k == 1 || !fixed {
							level += runSpread * r.Normal()
						}
						models[k] = append(models[k], simulatedScores(name, fmt.Sprint(run), levels, shared, level, r))
					}
				}
				o := compare.Options{Baseline: "a", Lower: []string{"x"}, Threads: 1}
				name := "one run of a model that is trained"
				if fixed {
					name, o.Fixed = "a model that is not trained, `--fixed`", []string{"a"}
				}
				result, err := comparedWith(ctx, models, asSamples, o)
				if err != nil {
					return nil, err
				}
				cell := result.Table[0].Cells[1]
				out = append(out, observe(name, cell.Difference.Float(), interval(*cell.DifferenceCI), 0).tested(cell.P.Float()))
			}
			return out, nil
		})
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	writeStudyTable(w, fmt.Sprintf("Difference of several runs of an equal model from one run; "+
		"runs/episodes, %d draws", draws), tallies)
	return nil
}

// A boundedDesign are scores of runs that are normal on the scale of a range, about some medians.
type boundedDesign struct {
	name      string
	low, high float64
	at        []float64
}

func boundedDesigns() []boundedDesign {
	return []boundedDesign{
		{"correlations, −1 to 1", -1, 1, []float64{0.3, 0.9}}, {"shares, 0 to 1", 0, 1, []float64{0.5, 0.95}},
		{"skills, up to 1", math.Inf(-1), 1, []float64{0.5, 0.9}}, {"errors, above 0", 0, math.Inf(1), []float64{1}},
	}
}

// writeBounded writes the coverage of intervals over runs of bounded scores.
func writeBounded(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error {
	const spread = 0.5 // on the scale
	truth := map[string]float64{}
	quantity := func(design boundedDesign, center float64) string {
		return fmt.Sprintf("%s, runs about %g", design.name, center)
	}
	for _, design := range boundedDesigns() {
		for _, center := range design.at {
			truth[quantity(design, center)] = meanAbout(stat.RangeScale(design.low, design.high), center, spread)
		}
	}
	var tallies []studyTally
	for _, runs := range []int{3, 5, 10} {
		d := studyDesign{Runs: runs, Tasks: 1}
		t, err := tallyStudies(ctx, d, draws, threads, never, func(rep uint64) ([]observation, error) {
			var out []observation
			for k, design := range boundedDesigns() {
				for i, center := range design.at {
					r := stat.NewRandom(stat.StreamDesign.Key(seed, 8, uint64(runs), uint64(k), uint64(i), rep))
					value, ci, err := design.overRuns(ctx, runs, center, spread, r)
					if err != nil {
						return nil, err
					}
					out = append(out, observe(quantity(design, center), value, ci, truth[quantity(design, center)]))
				}
			}
			return out, nil
		})
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	writeStudyTable(w, fmt.Sprintf("Mean over runs of bounded scores, "+
		"coverage in percent ± Monte-Carlo error (width); runs/tasks, %d draws", draws), tallies)
	return nil
}

// overRuns is the value of a model over runs, as compare has it.
func (of boundedDesign) overRuns(
	ctx context.Context, runs int, center, spread float64, r *stat.Random,
) (float64, stat.Interval, error) {
	scale := stat.RangeScale(of.low, of.high)
	g := &compare.Gathered{}
	for run := range runs {
		data, err := asBounded(fmt.Sprintf("a@%d", run), scale.From(scale.To(center)+spread*r.Normal()), of.low, of.high)
		if err != nil {
			return 0, stat.Interval{}, err
		}
		files, err := compare.ReadFrom(fmt.Sprint(run), data)
		if err != nil {
			return 0, stat.Interval{}, err
		}
		g.Files = append(g.Files, files...)
	}
	result, err := compare.Compare(ctx, g, compare.Options{Threads: 1})
	if err != nil {
		return 0, stat.Interval{}, err
	}
	cell := result.Table[0].Cells[0]
	return cell.Value.Float(), interval(cell.CI), nil
}

// meanAbout is the mean of scores that are normal on a scale, by quantiles.
func meanAbout(scale stat.Scale, center, spread float64) float64 {
	const grid = 20000
	sum := 0.0
	for i := range grid {
		sum += scale.From(scale.To(center) + spread*stat.NormalQuantile((float64(i)+0.5)/grid))
	}
	return sum / grid
}

// asBounded writes a result file with a number of a range alone.
func asBounded(model string, v, low, high float64) ([]byte, error) {
	r := report.NewResult("simulated")
	r.Describe(report.Described{Name: "x", Better: report.Higher, Low: low, High: high})
	var part report.Object
	part.Set("x", report.Number(v))
	r.Models.Set(model, &part)
	var b bytes.Buffer
	err := r.Write(&b)
	return b.Bytes(), err
}

// writeDecisions writes the tables of this file.
func writeDecisions(ctx context.Context, w io.Writer, draws int, seed uint64, threads int) error {
	if err := writeBest(ctx, w, bestDesigns(), draws, seed, threads); err != nil {
		return err
	}
	if err := writeFamilies(ctx, w, familyDesigns(), max(draws/4, 2), seed, threads); err != nil {
		return err
	}
	if err := writeOneRun(ctx, w, draws, seed, threads); err != nil {
		return err
	}
	return writeBounded(ctx, w, draws, seed, threads)
}
