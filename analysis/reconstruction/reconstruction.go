// Package reconstruction compares predicted with true next frames.
//
// Of every state that has a successor in its episode, each model has a prediction of
// the successor's last frame, or of several steps ahead. Errors, structural similarity
// and sharpness come from package measure/image, with pixels in units of the pixel
// range. What most pixels do, stay, is easy to predict: errors of pixels that move stand
// next to errors of pixels that do not, and two models of every run predict without
// learning: copy_last repeats the current frame, mean_frame is the mean of all frames of
// the other episodes.
//
//	result, err := reconstruction.Analyze(ctx, reconstruction.Input{
//		Shape:   image.Shape{Channels: 1, Height: 64, Width: 64},
//		Frames:  truth, // reads true frames by state
//		Episode: episode,
//		Samples: []reconstruction.Sample{{State: 0, Next: []int{1}}, {State: 1, Next: []int{2}}},
//		Models:  []reconstruction.Predictions{{Name: "jepa", Frames: predicted}},
//	}, reconstruction.Options{Settings: analysis.Settings{Intervals: true, Seed: 42}})
//	mse, _ := result.Models[0].Score("mse")
//
// Frames are read in blocks of samples and need not fit into memory.
package reconstruction

import (
	"context"
	"fmt"

	"repscope/analysis"
	"repscope/internal/option"
	"repscope/internal/text"
	"repscope/measure/image"
	"repscope/report"
)

// The models of every run.
const (
	CopyLast  = "copy_last"  // predicts the current frame
	MeanFrame = "mean_frame" // predicts the mean frame of the other episodes
)

// Baselines are the names of the models of every run.
func Baselines() []string { return []string{CopyLast, MeanFrame} }

// Frames are frames by number, in memory, on disk or made on the way.
type Frames struct {
	// Read fills dst with frames of the given numbers, one after the other, as planes of
	// their channels, row by row, in units of the pixel range: 0 is its lower end, 1 its
	// upper. It is not called by two goroutines at a time.
	Read func(ctx context.Context, dst []float64, index []int) error
	// Digest identifies the data read, for work that is split; nil where it never is.
	Digest func() (string, error)
}

// Sample is a state whose successor is predicted or, of Input.Same, the state before one
// that is predicted itself.
type Sample struct {
	State int // −1 where a state that is predicted itself is the first of its episode
	// Next are the states one, two, … steps ahead; −1 where the episode has ended. There
	// is always one.
	Next []int
}

// States are those that the samples are of: the current ones, or the predicted ones
// themselves.
func (in Input) States() []int {
	states := make([]int, len(in.Samples))
	for i, s := range in.Samples {
		if states[i] = s.State; in.Same {
			states[i] = s.Next[0]
		}
	}
	return states
}

// Predictions are the predictions of one model.
type Predictions struct {
	Name string
	// Steps is how many steps ahead there are predictions for; 0 means 1.
	Steps int
	// Frames are read by the number of the sample, not of its state: Steps frames each,
	// of one, two, … steps ahead. Values outside 0..1 are compared as they are. A frame
	// after the end of an episode is read, but not looked at.
	Frames Frames
	// Forward says that the predictions are made from the current frame: samples without
	// one have none, and are not read.
	Forward bool
	// Ignored counts predictions without a sample, such as of what follows the
	// last state of an episode.
	Ignored int
	From    string // what made the predictions, for the result; may be empty
}

// Input is what Analyze looks at.
type Input struct {
	Shape   image.Shape // of a frame: planes
	Frames  Frames      // true frames, by state
	Episode []int       // of every state
	Samples []Sample    // by ascending state
	Same    bool        // states are predicted themselves: samples need no current frame
	Models  []Predictions
}

// The windows of the structural similarity.
const (
	WindowUniform  = "uniform"  // 7 × 7 equal weights
	WindowGaussian = "gaussian" // 11 × 11 weights of a Gaussian of standard deviation 1.5
)

// Options are the choices of an analysis; the zero value is the default.
type Options struct {
	analysis.Settings
	// MovingThreshold is how much a pixel must change to the successor's to be one that
	// moves, in units of the pixel range; 0 means 0.02.
	MovingThreshold float64
	// Window is the window of the structural similarity: WindowUniform (empty) or
	// WindowGaussian.
	Window string
	// ObjectThreshold is how far from the background pixels of objects are, in units of
	// the pixel range; 0 means 0.1. ObjectArea is the number of pixels that an object
	// has at least; 0 means 4.
	ObjectThreshold float64
	ObjectArea      int
}

// Declare binds the options to their fields.
func (o *Options) Declare(l *option.List) {
	share := func(v float64) bool { return v > 0 && v < 1 }
	l.Float(&o.MovingThreshold, "moving-threshold", "`SHARE` of the pixel range above which a change counts as moving").
		EachFloat("a share between 0 and 1", share)
	option.Choice(l, &o.Window, "ssim-window", []string{WindowUniform, WindowGaussian},
		"`WINDOW` of the structural similarity: uniform (7 × 7 equal weights) or gaussian (11 × 11)")
	l.Float(&o.ObjectThreshold, "object-threshold",
		"`SHARE` of the pixel range above which a pixel differs from the background and belongs to an object").
		EachFloat("a share between 0 and 1", share)
	l.Int(&o.ObjectArea, "object-area", "smallest area of an object, in `PIXELS`").AtLeast(1)
}

// Result is the outcome for all models: models of the input in their order, then the
// baselines.
type Result struct {
	Models      []Model
	Comparisons []report.Comparison
	Samples     []Sample
	Same        bool    // states are predicted themselves
	States      []int   // of every sample: the current one, or with Same the predicted one
	Episode     []int   // of every sample
	Steps       int     // the largest number of steps ahead of a model
	Threshold   float64 // of moving pixels
	Blocks      string  // how samples were grouped for intervals; empty without
	Warnings    []string
	// Unmeasured are the models that could not make some frames; they are not among Models.
	Unmeasured []report.Unmeasured
}

// Model is the outcome for one model. Scores are its fields by their names: the value,
// next to it NAME_sd, the standard deviation over samples (ddof 0), and NAME_ci.
type Model struct {
	Name    string `json:"-"`
	Kind    string `json:"kind"`           // predictions or baseline
	From    string `json:"from,omitempty"` // what made the predictions
	Samples int    `json:"samples"`
	// Ignored are predictions without a sample.
	Ignored int           `json:"ignored_predictions"`
	Fields  report.Object `json:",inline"`
	// PSNRExcluded are samples that are predicted without an error: their PSNR is
	// infinite, and the mean is over the others.
	PSNRExcluded int `json:"psnr_excluded"`
	// NEff is the number of independent samples that these are worth, by the
	// autocorrelation of their errors.
	NEff         report.Value `json:"n_eff"`
	NEffReliable bool         `json:"n_eff_reliable"`
	// Horizon has a row for every number of steps ahead, where some model predicts more
	// than one.
	Horizon []Step        `json:"horizon,omitempty"`
	Skipped report.Object `json:"skipped,omitempty"` // why scores are undefined, by name

	Scores []Score `json:"-"`
}

// Step are the scores of one number of steps ahead, over the samples whose episode
// lasts that long. CopyMSE, CopyPSNR and CopySSIM are the scores of copying the current frame
// over the same samples.
type Step struct {
	Step     int           `json:"step" report:"parameter"`
	Samples  int           `json:"samples"`
	Fields   report.Object `json:",inline"`
	CopyMSE  report.Value  `json:"copy_mse"`
	CopyPSNR report.Value  `json:"copy_psnr"`
	CopySSIM report.Value  `json:"copy_ssim"`

	Scores []Score `json:"-"`
}

// Score is one number about a model: a ratio of sums over samples, which for most is the
// mean over them.
type Score struct {
	Name            string
	report.Estimate           // with the standard deviation over samples, of those that define it, where it is a mean over them
	Sample          []float64 // of every sample; NaN where it is undefined
	// Share is the part of every sample in the score to first order, in its units: their
	// mean is Value. For a mean over all samples it is Sample.
	Share []float64
}

// Deviation is that over samples, empty in a table where there is none.
func (s *Score) Deviation() report.Value {
	if s.SD == nil {
		return report.Value{}
	}
	return *s.SD
}

// Score returns the score of a name: mse, mae, psnr, psnr_of_mean_mse, ssim,
// sharpness_ratio, moving_mse, static_mse, moving_share, skill and the scores of objects and
// of motion.
func (m *Model) Score(name string) (Score, bool) { return find(m.Scores, name) }

// Score returns the score of a name, of those that rows of a horizon have.
func (s *Step) Score(name string) (Score, bool) { return find(s.Scores, name) }

func find(scores []Score, name string) (Score, bool) {
	for _, s := range scores {
		if s.Name == name {
			return s, true
		}
	}
	return Score{}, false
}

// Analyze compares the predictions of every model, and of the baselines, with the true
// frames. What cannot be computed (structural similarity of frames smaller than its
// window, errors of moving pixels where nothing moves, peak signal-to-noise ratio where
// every prediction is perfect) is undefined with its reason.
//
// Errors: no samples, samples not in ascending order or with states that are not there,
// models of equal names or with names of baselines, NaN or Inf in a true frame, true frames
// that cannot be read. A model whose frames cannot be made, or hold NaN or Inf, is not
// measured, the others are; it is an error where that is every model.
func Analyze(ctx context.Context, in Input, o Options) (*Result, error) {
	work, err := Work(in, o)
	if err != nil {
		return nil, err
	}
	return work.Run(ctx)
}

func (in Input) check() error {
	if in.Shape.Size() <= 0 || in.Shape.ChannelsLast {
		return fmt.Errorf("frames of shape %v, want planes of pixels", in.Shape)
	}
	if len(in.Samples) == 0 {
		return fmt.Errorf("no state has a successor in its episode, so there is nothing to predict")
	}
	if len(in.Samples) < 3 {
		what := " with a successor"
		if in.Same {
			what = ""
		}
		return fmt.Errorf("%s%s, want at least 3", text.Count(len(in.Samples), "state"), what)
	}
	steps := len(in.Samples[0].Next)
	for i, s := range in.Samples {
		if len(s.Next) != steps || steps == 0 || s.Next[0] < 0 {
			return fmt.Errorf("sample %d: successors %v, want %d, the first of them present", i, s.Next, steps)
		}
		if s.State < 0 && !in.Same {
			return fmt.Errorf("sample %d: state %d of %d", i, s.State, len(in.Episode))
		}
		for _, state := range append([]int{s.State}, s.Next...) {
			if state < -1 || state >= len(in.Episode) {
				return fmt.Errorf("sample %d: state %d of %d", i, state, len(in.Episode))
			}
		}
	}
	states := in.States()
	for i := 1; i < len(states); i++ {
		if states[i] <= states[i-1] {
			return fmt.Errorf("sample %d is state %d after state %d, want ascending states", i, states[i], states[i-1])
		}
	}
	names := map[string]bool{CopyLast: true, MeanFrame: true}
	for _, m := range in.Models {
		if names[m.Name] {
			return fmt.Errorf(
				"two models are named %q (%s and %s are baselines of every run)", m.Name, CopyLast, MeanFrame)
		}
		names[m.Name] = true
		if m.Steps > steps {
			return fmt.Errorf("%s: predictions are %d steps ahead, but samples have %d steps", m.Name, m.Steps, steps)
		}
	}
	return nil
}

func (o Options) withDefaults() (Options, error) {
	if o.MovingThreshold == 0 {
		o.MovingThreshold = 0.02
	}
	if o.ObjectThreshold == 0 {
		o.ObjectThreshold = 0.1
	}
	if o.ObjectArea == 0 {
		o.ObjectArea = 4
	}
	switch o.Window {
	case "":
		o.Window = WindowUniform
	case WindowUniform, WindowGaussian:
	default:
		return o, fmt.Errorf("window %q, want %s or %s", o.Window, WindowUniform, WindowGaussian)
	}
	if !(o.MovingThreshold > 0) || !(o.ObjectThreshold > 0) || o.ObjectArea < 0 {
		return o, fmt.Errorf("thresholds %v and %v, area %d: want positive numbers",
			o.MovingThreshold, o.ObjectThreshold, o.ObjectArea)
	}
	return o, nil
}
