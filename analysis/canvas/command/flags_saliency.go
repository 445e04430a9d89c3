// The flags of saliency maps and fixations.

package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis/canvas/internal/saliencymap"
	"repscope/internal/option"
	"repscope/internal/run"
)

// saliencyFlags are the flags of saliency maps and fixations.
type saliencyFlags struct {
	*saliencymap.Options
	plots bool // maps over screens are written

	size, channels, scale string // of the model
}

// topPrefix begins a value of --fixations that names no file.
const topPrefix = "top:"

// Declare lists the options.
func (o *saliencyFlags) Declare(l *option.List) {
	l.Path(&o.Reference, "saliency-reference",
		"`FILE` with the saliency map of the reference: a gray PNG, or .npy [H, W]. For several samples: a name "+
			"with {sample}, or a folder of <sample>-saliency.png, <sample>.png or .npy").Reads()
	l.Path(&o.Generated, "saliency-generated",
		"`FILE` with the saliency map of the generated design, resized to the map of the reference. For several "+
			"cases: a name with {case}, or a folder of <case>-saliency.png, <case>.png or .npy").Reads()
	l.Path(&o.Fixations, "fixations", "`FILE|top:Q` with fixations on the reference: CSV of x,y in pixels, "+
		"a binary PNG, or .npy. For several samples: a name with {sample}, a folder of <sample>-fixations.csv, "+
		"<sample>.csv, .png or .npy, or a CSV with a column sample. top:5 uses the highest 5 % of the reference's "+
		"map. Required for NSS and AUC").Reads()
	l.Int(&o.Splits, "borji-splits",
		"`N` random splits for AUC-Borji (100 in published code); 0: its exact expectation").Draws(0)
	o.KL = saliencymap.KLForms[0]
	l.OneOf(&o.KL, "saliency-kl", saliencymap.KLForms,
		"`FORM` of the divergence of the reference's map p from the other map q: added (1e-8 added to both), ratio "+
			"(p·ln(ε + p/(q+ε)) with ε = 2⁻⁵², as in the code of the MIT saliency benchmark), or exact (without ε)")
	l.Bool(&o.plots, "saliency-plots", "write maps over screens to saliency_visualizations").Free().
		Alias("save-saliency-vis")
	o.declareModel(l)
}

// check finds wrong values before anything is read.
func (o *saliencyFlags) check() error {
	if q, ok := strings.CutPrefix(o.Fixations, topPrefix); ok {
		percent, err := run.ParseFloat(q)
		if err != nil || !(percent > 0 && percent < 100) {
			return run.Usage("--fixations %s: want a number above 0 and below 100 after top:, in percent of the pixels", o.Fixations)
		}
		o.Top = percent
	}
	for name, pattern := range map[string]string{"saliency-reference": o.Reference, "fixations": o.Fixations} {
		if strings.Contains(pattern, "{case}") || strings.Contains(pattern, "{model}") || strings.Contains(pattern, "{snapshot}") {
			return run.Usage(
				"--%s %s: a reference belongs to a sample; want {sample} or {variant} in the name", name, pattern)
		}
	}
	for _, pattern := range []string{o.Reference, o.Generated, o.Fixations} {
		if err := checkPlaceholders(pattern); err != nil {
			return err
		}
	}
	return o.checkModel()
}

// placeholders are what names of files may hold, in braces.
var placeholders = []string{"sample", "case", "model", "variant", "snapshot"}

// checkPlaceholders finds a word in braces that stands for nothing.
func checkPlaceholders(pattern string) error {
	for rest := pattern; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return nil
		}
		word, tail, ok := strings.Cut(after, "}")
		if !ok {
			return nil
		}
		if !slices.Contains(placeholders, word) {
			return run.Usage("%s: {%s} is unknown; want {%s}", pattern, word, strings.Join(placeholders, "}, {"))
		}
		rest = tail
	}
}

// declareModel lists the options of the model that makes saliency maps.
func (o *saliencyFlags) declareModel(l *option.List) {
	m := &o.Model
	o.channels, o.scale = "rgb", "unit"
	l.Path(&m.Path, "saliency-model",
		"`FILE.onnx` that computes missing maps: input a screen [1, 3, H, W], output a map [1, 1, h, w]").Reads()
	l.Checked(&o.size, "saliency-size", func(text string) error {
		_, _, err := parseSize(text)
		return err
	}, "`HxW` size of screens for the model, height first; required if the file does not fix it")
	l.Var(&channels{&m.Mean}, "saliency-mean",
		"mean `M`, or one per channel in the model's order, subtracted from pixels after --saliency-scale (default 0)")
	l.Var(&channels{&m.Std}, "saliency-std",
		"divisor `S` of pixels, or one per channel, applied after the mean (default 1)")
	l.OneOf(&o.channels, "saliency-channels", []string{"rgb", "bgr"},
		"channel `ORDER` of the model: rgb or bgr")
	l.OneOf(&o.scale, "saliency-scale", []string{"unit", "raw"},
		"`SCALE` of the model's pixels: unit for 0..1, raw for 0..255")
}

// parseSize reads HxW.
func parseSize(text string) (height, width int, err error) {
	h, w, ok := strings.Cut(strings.ToLower(text), "x")
	if ok {
		if height, err = strconv.Atoi(h); err == nil {
			width, err = strconv.Atoi(w)
		}
	}
	if !ok || err != nil || height < 1 || width < 1 || height > 1<<13 || width > 1<<13 {
		return 0, 0, fmt.Errorf("%q is not a size such as 240x320, with sides up to %d", text, 1<<13)
	}
	return height, width, nil
}

// channels is one number, or one for each channel.
type channels struct{ values *[]float64 }

func (c *channels) String() string {
	if c.values == nil {
		return "" // the zero value, which package flag asks for
	}
	parts := make([]string, len(*c.values))
	for i, v := range *c.values {
		parts[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.Join(parts, ",")
}

func (c *channels) Get() any { return c.String() }

func (c *channels) Set(text string) (err error) {
	*c.values, err = parseChannels(text)
	return err
}

// parseChannels reads one number or three.
func parseChannels(text string) ([]float64, error) {
	var out []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := run.ParseFloat(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", part)
		}
		out = append(out, v)
	}
	if len(out) != 1 && len(out) != 3 {
		return nil, fmt.Errorf("%d numbers, want one or one per channel", len(out))
	}
	return out, nil
}

// checkModel finds wrong values of the model.
func (o *saliencyFlags) checkModel() error {
	m := &o.Model
	m.BGR, m.Raw = o.channels == "bgr", o.scale == "raw"
	if o.size != "" {
		m.Height, m.Width, _ = parseSize(o.size)
	}
	if m.Path == "" {
		if o.size != "" || m.Mean != nil || m.Std != nil || m.BGR || m.Raw {
			return run.Usage("--saliency-size, -mean, -std, -channels and -scale need --saliency-model")
		}
		return nil
	}
	for _, s := range m.Std {
		if !(s > 0) {
			return run.Usage("--saliency-std %v, want numbers above 0", s)
		}
	}
	for _, v := range m.Mean {
		if !m.Raw && (v > 1 || v < -1) {
			return run.Hint(run.Usage("--saliency-mean %v is outside the pixel range 0..1", v),
				"for pixels of 0..255, add --saliency-scale raw")
		}
	}
	return nil
}
