// The files and the console tables.

package command

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/reconstruction"
	"repscope/internal/filename"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/internal/text"
	frame "repscope/measure/image"
	"repscope/report"
)

// write puts the result into the result file, the CSV files, the console and the
// figures.
func write(r *reconstruction.Result, env *run.Env, data *input.Data, shape frame.Shape, shown []reconstruction.Shown,
	save bool) error {
	output.Enter(env, r.Warnings, r.Models, func(m reconstruction.Model) string { return m.Name }, r.Comparisons)
	env.Result.Blocks = r.Blocks
	err := output.All(env, func(env *run.Env) error { return writeSummary(r, env) },
		func(env *run.Env) error { return writeRaw(r, env, data) },
		func(env *run.Env) error { return writeSamples(r, env) }, func(env *run.Env) error { return printTables(r, env) })
	if err != nil {
		return err
	}
	if len(shown) > 0 {
		if err := writeFrames(r, env, shape, shown, save); err != nil {
			return err
		}
	}
	if figure := HorizonFigure(r); figure != nil {
		if err := env.Figure("reconstruction_horizon", figure); err != nil {
			return err
		}
	}
	return env.Figure("reconstruction_scores", Figure(r))
}

// title is a name as a column of a CSV file: moving_mse is Moving_MSE.
func title(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts {
		switch p {
		case "mse", "mae", "psnr", "ssim":
			parts[i] = strings.ToUpper(p)
		default:
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "_")
}

// writeSummary writes a row per model and number of steps ahead.
func writeSummary(r *reconstruction.Result, env *run.Env) error {
	columns := []string{"Model", "Step"}
	for _, s := range r.Models[0].Scores {
		columns = append(columns, title(s.Name))
		if s.Sample != nil {
			columns = append(columns, title(s.Name)+"_SD")
		}
	}
	return output.ModelCSV(env, "reconstruction_summary.csv", append(columns, "PSNR_Excluded", "Sample_Count"), func(csv *report.CSV) error {
		for _, m := range r.Models {
			for _, step := range steps(&m) {
				cells := []any{m.Name, step.Step}
				for _, score := range r.Models[0].Scores {
					s, _ := step.Score(score.Name) // of more steps ahead some are not there
					cells = append(cells, s.Value)
					if score.Sample != nil {
						cells = append(cells, s.Deviation())
					}
				}
				perfect := 0
				mse, _ := step.Score("mse")
				for _, v := range mse.Sample {
					if v == 0 {
						perfect++
					}
				}
				if err := csv.Row(append(cells, perfect, step.Samples)...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// steps are the rows of the horizon, or the only one.
func steps(m *reconstruction.Model) []reconstruction.Step {
	if len(m.Horizon) > 0 {
		return m.Horizon
	}
	return []reconstruction.Step{{Step: 1, Samples: m.Samples, Scores: m.Scores}}
}

// writeRaw writes a row per model, number of steps ahead and sample, with the scores of
// that sample.
func writeRaw(r *reconstruction.Result, env *run.Env, data *input.Data) error {
	columns := []string{"Model", "Step", "Sample_ID"}
	for _, s := range r.Models[0].Scores {
		if s.Sample != nil {
			columns = append(columns, title(s.Name))
		}
	}
	states := r.States
	frames := data.Frame(states)
	return env.Files.CSV("reconstruction_raw_data.csv", append(columns, "Frame", "Episode"), func(csv *report.CSV) error {
		cells := make([]any, len(columns)+2)
		for _, m := range r.Models {
			for _, step := range steps(&m) {
				for i := range r.Samples {
					if mse, _ := step.Score("mse"); r.Samples[i].Next[step.Step-1] < 0 || math.IsNaN(mse.Sample[i]) {
						continue // the episode has ended, or nothing is predicted
					}
					cells = append(cells[:0], m.Name, step.Step, states[i])
					for _, score := range r.Models[0].Scores {
						switch s, ok := step.Score(score.Name); {
						case ok && s.Sample != nil:
							cells = append(cells, s.Sample[i])
						case score.Sample != nil:
							cells = append(cells, report.Value{})
						}
					}
					if err := csv.Row(append(cells, frames[i], r.Episode[i])...); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// writeSamples writes the scores that runs are paired by, one step ahead: of scores that
// are ratios of sums the first-order share of each sample, whose mean is the score.
func writeSamples(r *reconstruction.Result, env *run.Env) error {
	var names []string
	var models []output.SampleScores
	for k, m := range r.Models {
		scores := output.SampleScores{Model: m.Name, Sample: r.States, Group: r.Episode}
		for _, s := range m.Scores {
			if s.Share == nil {
				continue
			}
			if k == 0 {
				names = append(names, s.Name)
			}
			scores.Scores = append(scores.Scores, s.Share)
		}
		models = append(models, scores)
	}
	return output.Samples(env, "state", "episode", names, models)
}

// printTables writes the tables to the console.
func printTables(r *reconstruction.Result, env *run.Env) error {
	table := report.NewTable("", "Model", "MSE", "SSIM", "Skill", "Object F1")
	for i := range r.Models {
		table.Row(cells(&r.Models[i], "mse", "ssim", "skill", "object_f1")...)
	}
	what := fmt.Sprintf("%s; pixels in units of the pixel range", text.Count(len(r.Samples), "predicted frame"))
	if r.Blocks != "" {
		what += fmt.Sprintf("; [95 %% intervals] by deleting each of %s", r.Blocks)
	}
	table.Note("%s", what)
	table.Note("Skill: 1 − MSE / MSE of %s, which repeats the current frame; above 0 a prediction is better than that",
		reconstruction.CopyLast)
	if err := output.ModelTable(env, table); err != nil {
		return err
	}
	for _, t := range detailTables(r) {
		if err := env.Details(t); err != nil {
			return err
		}
	}
	if err := printHorizon(r, env); err != nil {
		return err
	}
	return output.PrintComparisons(env, shown(r))
}

// detailTables have the other scores of one step ahead.
func detailTables(r *reconstruction.Result) []*report.Table {
	pixels := report.NewTable("Pixels", "Model", "MAE", "PSNR dB", "Sharpness", "Moving MSE", "Static MSE")
	scene := report.NewTable("Objects and motion", "Model",
		"Recall", "Precision", "Position error px", "Motion cosine", "Motion energy")
	for i := range r.Models {
		m := &r.Models[i]
		pixels.Row(cells(m, "mae", "psnr", "sharpness_ratio", "moving_mse", "static_mse")...)
		scene.Row(cells(m, "object_recall", "object_precision", "object_position_error", "motion_cosine", "motion_energy_ratio")...)
		if m.PSNRExcluded > 0 {
			pixels.Note("%s: PSNR is the mean without %s of error 0", m.Name, text.Count(m.PSNRExcluded, "prediction"))
		}
	}
	pixels.Note("Sharpness: gradient energy / gradient energy of the true frames")
	if share, _ := r.Models[0].Score("moving_share"); share.Value.Defined() {
		pixels.Note("Moving: %.3g %% of the pixels, which change by more than %g of the pixel range",
			100*share.Value.V, r.Threshold)
	}
	if before := r.Models[len(r.Models)-2].Samples; before < len(r.Samples) {
		pixels.Note("%s, skill, motion and moving pixels: over the %s with a predecessor in their episode",
			reconstruction.CopyLast, text.Count(before, "frame"))
	}
	scene.Note("Objects: differences from the median frame of the episode; motion energy: squared predicted / squared true change")
	return []*report.Table{pixels, scene}
}

// cells are a row of a table: the model and some of its scores.
func cells(m *reconstruction.Model, names ...string) []any {
	cells := []any{m.Name}
	for _, name := range names {
		s, _ := m.Score(name)
		cells = append(cells, s.Estimate)
	}
	return cells
}

// printHorizon writes the scores by steps ahead, if there are several.
func printHorizon(r *reconstruction.Result, env *run.Env) error {
	if r.Steps < 2 {
		return nil
	}
	table := report.NewTable("By steps ahead", "Model", "Step", "Frames", "MSE", "SSIM", "Skill")
	for _, m := range r.Models {
		for i := range m.Horizon {
			step := &m.Horizon[i]
			cells := []any{m.Name, step.Step, step.Samples}
			for _, name := range []string{"mse", "ssim", "skill"} {
				s, _ := step.Score(name)
				cells = append(cells, s.Estimate)
			}
			table.Row(cells...)
		}
	}
	return env.Details(table)
}

// shown are the comparisons for the console: of one step ahead, and of few metrics.
// Others are in the files.
func shown(r *reconstruction.Result) []report.Comparison {
	return slices.DeleteFunc(slices.Clone(r.Comparisons), func(c report.Comparison) bool {
		return !slices.Contains([]string{"mse", "ssim", "moving_mse"}, c.Metric)
	})
}

// writeFrames writes the contact sheets and, if they are to be saved, their frames.
func writeFrames(r *reconstruction.Result, env *run.Env, shape frame.Shape, shown []reconstruction.Shown,
	save bool) error {
	names := names(r)[:len(r.Models)-len(reconstruction.Baselines())]
	for k, figure := range Sheets(shown, names, shape) {
		if err := env.Figure(sheetName(k), figure); err != nil {
			return err
		}
	}
	if !save {
		return nil
	}
	scale := errorScale(shown, shape)
	for _, s := range shown {
		images := []image.Image{nil, picture(s.Truth, shape)}
		if s.Current != nil {
			images[0] = picture(s.Current, shape)
		}
		for _, p := range s.Predicted {
			images = append(images, picture(p, shape), heat(difference(p, s.Truth, shape), shape, scale))
		}
		for k, name := range savedNames(names) {
			if images[k] == nil {
				continue
			}
			if err := env.Files.File(savedFile(s.State, name), func(w io.Writer) error { return png.Encode(w, images[k]) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// currentFrame is the name of the current frame among those saved.
const currentFrame = "current"

// savedNames are the saved images of a sample: the current and the true next frame, and for
// every model its prediction and the error, whose name has the model's where there
// are several.
func savedNames(models []string) []string {
	names := []string{currentFrame, "true"}
	for _, name := range models {
		names = append(names, name)
		if len(models) == 1 {
			names = append(names, "error")
		} else {
			names = append(names, name+"_error")
		}
	}
	return names
}

// savedFile is the file of a frame of the sample that begins at a state.
func savedFile(state int, name string) string {
	return fmt.Sprintf("frames/%d_%s.png", state, filename.Of(name))
}
