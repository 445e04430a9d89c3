// Scores per sample, which the compare binary pairs models of different runs by, and
// what metrics are.

package output

import (
	"strconv"

	"repscope/internal/run"
	"repscope/report"
)

// SampleScores are the scores of one model, one for each sample.
type SampleScores struct {
	Model  string
	Sample []int       // index of each sample; nil: 0, 1, …
	Group  []int       // of each sample, such as its episode; nil: all are one group
	Scores [][]float64 // by metric, then by sample; NaN where undefined
}

// SamplesFile is the name of the file of scores per sample of a command.
func SamplesFile(env *run.Env) string { return env.Command.Name + "_samples.csv" }

// Samples writes the file of scores per sample and enters it into the result. Sample
// and group say what these are: "state", "episode". A metric is named by the path of
// the number in the result that is the mean of its scores; others cannot be paired.
func Samples(env *run.Env, sample, group string, metrics []string, models []SampleScores) error {
	table := &report.SampleTable{Metrics: metrics}
	for _, m := range models {
		n := len(m.Sample)
		if m.Sample == nil && len(m.Scores) > 0 {
			n = len(m.Scores[0])
		}
		out := report.ModelSamples{Model: m.Model, Sample: make([]string, n), Group: make([]string, n), Scores: m.Scores}
		for i := range n {
			if out.Sample[i] = strconv.Itoa(i); m.Sample != nil {
				out.Sample[i] = strconv.Itoa(m.Sample[i])
			}
			if out.Group[i] = "0"; m.Group != nil {
				out.Group[i] = strconv.Itoa(m.Group[i])
			}
		}
		table.Models = append(table.Models, out)
	}
	return NamedSamples(env, sample, group, table)
}

// NamedSamples is [Samples] where samples and groups have names.
func NamedSamples(env *run.Env, sample, group string, table *report.SampleTable) error {
	written, err := env.Files.Samples(SamplesFile(env), table)
	if err != nil {
		return err
	}
	written.Sample, written.Group = sample, group
	env.Result.Samples = &written
	return nil
}
