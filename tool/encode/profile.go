// What the steps of models take: --profile.

package encode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"repscope/internal/run"
	"repscope/latent"
	"repscope/report"
)

// profileName is the file that --profile writes.
const profileName = "encode_profile.json"

// shownSteps is how many steps of a model the table shows.
const shownSteps = 25

// beginProfile measures the steps of all models from now on.
func beginProfile(env *run.Env, models []Model) {
	for _, m := range models {
		if !latent.SetProfile(m.Encoder) {
			env.Warn("model %s: --profile measures only the steps of graphs", m.Name)
		}
	}
}

// stepRow is a step in the file.
type stepRow struct {
	Operator string       `json:"operator"`
	Node     string       `json:"node"`
	Inputs   [][]int      `json:"inputs"` // null: left out
	Output   []int        `json:"output"`
	Layout   string       `json:"layout,omitempty"`
	Calls    int          `json:"calls"`
	Total    float64      `json:"total_s"`
	Median   float64      `json:"median_s"`
	Share    float64      `json:"share"`
	Gflops   report.Value `json:"gflop_per_s"`
	Gbytes   report.Value `json:"gb_per_s"`
}

// modelProfile is a model in the file.
type modelProfile struct {
	Total float64   `json:"total_s"`
	Steps []stepRow `json:"steps"` // in the order of the graph, of every shape of its inputs
}

// profileOf are the steps of an encoder with their shares of the time of all of them.
func profileOf(e latent.Encoder) modelProfile {
	var out modelProfile
	steps := latent.Profile(e)
	for _, s := range steps {
		out.Total += s.Total
	}
	for _, s := range steps {
		row := stepRow{Operator: s.Operator, Node: s.Node, Inputs: s.Inputs, Output: s.Output, Layout: s.Layout, Calls: s.Calls, Total: s.Total,
			Median: s.Median, Share: s.Total / out.Total}
		row.Gflops = report.Undefined("no products of matrices")
		if s.Flops > 0 {
			row.Gflops = report.Number(s.Flops / s.Median / 1e9)
		}
		row.Gbytes = report.Number(s.Bytes / s.Median / 1e9)
		out.Steps = append(out.Steps, row)
	}
	return out
}

// writeProfile prints the steps of every model that took longest, and writes all of them.
func writeProfile(env *run.Env, models []Model) error {
	var file report.Object
	for _, m := range models {
		p := profileOf(m.Encoder)
		if len(p.Steps) == 0 {
			continue
		}
		file.Set(m.Name, p)
		table := report.NewTable(m.Name, "Share",
			"ms", "Calls", "GFLOP/s", "GB/s", "Operator", "Input", "Weights", "Output", "Node")
		shown := slices.SortedStableFunc(slices.Values(p.Steps),
			func(a, b stepRow) int { return cmp.Compare(b.Total, a.Total) })
		rest := 0.0
		for i, s := range shown {
			if i >= shownSteps {
				rest += s.Share
				continue
			}
			operator := strings.TrimPrefix(s.Operator, "repscope.")
			if s.Layout != "" {
				operator += " " + s.Layout
			}
			weights := ""
			if len(s.Inputs) > 1 {
				weights = shape(s.Inputs[1])
			}
			var input []int
			if len(s.Inputs) > 0 {
				input = s.Inputs[0]
			}
			table.Row(fmt.Sprintf("%.1f %%", 100*s.Share), 1000*s.Median, s.Calls, s.Gflops, s.Gbytes, operator, shape(input),
				weights, shape(s.Output), s.Node)
		}
		table.Note("ms: median over calls, wall-clock time of all threads together, or GPU time; share: of the %.3g s of all steps", p.Total)
		if rest > 0 {
			table.Note("%d more steps, %.1f %% of the time, in %s", len(shown)-shownSteps, 100*rest, profileName)
		}
		if err := env.Table(table); err != nil {
			return err
		}
	}
	return env.Files.JSON(profileName, &file)
}

// shape prints one as 32×3×224×224.
func shape(dims []int) string {
	parts := make([]string, len(dims))
	for i, d := range dims {
		parts[i] = fmt.Sprint(d)
	}
	return strings.Join(parts, "×")
}
