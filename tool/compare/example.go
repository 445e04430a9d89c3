// The made study of --example: models trained several times, on several tasks.

package compare

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"repscope/report"
	"repscope/stat"
)

// The made study.
const (
	exampleEpisodes = 12
	examplePerEp    = 15 // samples of an episode
)

// exampleTasks are the tasks with their errors' size.
var exampleTasks = []struct {
	name string
	size float64
}{{"pong", 1}, {"breakout", 1.6}, {"seaquest", 0.8}, {"qbert", 1.2}, {"asterix", 2}, {"freeway", 0.6}, {"enduro", 1.4}, {"boxing", 0.9}}

// exampleModels are the models with their error relative to persistence, and how much runs differ; a model that is
// not trained has one run.
var exampleModels = []struct {
	name   string
	error  float64
	spread float64
	runs   int
}{{"jepa", 0.7, 0.05, 3}, {"encoder_decoder", 0.73, 0.05, 3}, {"random", 0.995, 0.02, 3}, {"persistence", 1, 0, 1}}

// Example makes the results of a study: an error of predictions (lower is better) and
// their cosine similarity (higher is better), per sample, of each model, task and run.
// They are made up: nothing was measured.
func Example(seed uint64) (*Gathered, error) {
	g := &Gathered{}
	for t, task := range exampleTasks {
		for run := 1; run <= 3; run++ {
			f, err := exampleFile(seed, t, run)
			if err != nil {
				return nil, err
			}
			f.Task, f.Run = task.name, strconv.Itoa(run)
			g.Files = append(g.Files, f)
		}
	}
	return g, nil
}

// exampleFile is the result of one run on one task, as an analysis would write it.
func exampleFile(seed uint64, task, run int) (*File, error) {
	r := report.NewResult("prediction")
	r.Version, r.Started = "example", ""
	r.Describe(report.Described{Name: "error", Better: report.Lower})
	r.Describe(report.Described{Name: "cosine", Better: report.Higher})
	r.Options.Set("block", "auto")
	r.Inputs = []report.Input{{Role: "frames", Path: "example:study/" + exampleTasks[task].name, States: exampleEpisodes * examplePerEp, Episodes: exampleEpisodes}}
	r.Samples = &report.Samples{File: "prediction_samples.csv", Sample: "state", Group: "episode"}
	table := &report.SampleTable{Metrics: []string{"error", "cosine"}}
	for m, model := range exampleModels {
		if run > model.runs {
			continue
		}
		samples := exampleSamples(seed, task, run, m)
		table.Models = append(table.Models, samples)
		var part report.Object
		for k, metric := range table.Metrics {
			n := meanOf(metric, samples.Scores[k], samples.Group)
			part.Set(metric, report.WithInterval(n.Value, n.Interval))
		}
		r.Models.Set(model.name, &part)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		return nil, err
	}
	f, err := readResult(fmt.Sprintf("example:study/%s/run%d", exampleTasks[task].name, run), b.Bytes())
	if err != nil {
		return nil, err
	}
	f.samples = func() (*report.SampleTable, error) { return table, nil }
	return f, nil
}

// exampleSamples draws the scores of one model: episodes are more or less difficult for
// all models alike, runs better or worse in all episodes.
func exampleSamples(seed uint64, task, run, model int) report.ModelSamples {
	shared := stat.NewRandom(stat.StreamStudyExample.Key(seed, uint64(task)))
	draws := stat.NewRandom(stat.StreamStudyExample.Key(seed, uint64(task), uint64(run), uint64(model)))
	simulated := exampleModels[model]
	level := exampleTasks[task].size * simulated.error * (1 + simulated.spread*draws.Normal())
	samples := report.ModelSamples{Model: simulated.name, Scores: make([][]float64, 2)}
	for episode := range exampleEpisodes {
		hard := math.Exp(0.3 * shared.Normal())
		for range examplePerEp {
			common := math.Exp(0.4 * shared.Normal())
			e := level * hard * common * math.Exp(0.15*draws.Normal())
			samples.Sample = append(samples.Sample, strconv.Itoa(len(samples.Sample)))
			samples.Group = append(samples.Group, strconv.Itoa(episode))
			samples.Scores[0] = append(samples.Scores[0], e)
			samples.Scores[1] = append(samples.Scores[1], 1/(1+e/exampleTasks[task].size))
		}
	}
	return samples
}
