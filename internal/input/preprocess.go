// The preprocessing of frames before an encoder sees them, and its description.

package input

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/latent"
	"repscope/latent/picture"
	"repscope/report"
)

// scaleAuto is the input scale that follows from --mean and --std.
const scaleAuto = "auto"

// The presets of --preprocess.
const (
	presetNone     = "none"
	presetImageNet = "imagenet"
)

// parseSize reads HxW.
func parseSize(text string) (height, width int, err error) {
	h, w, ok := strings.Cut(strings.ToLower(text), "x")
	if ok {
		height, err = strconv.Atoi(h)
		if err == nil {
			width, err = strconv.Atoi(w)
		}
	}
	if !ok || err != nil || height < 1 || width < 1 {
		return 0, 0, fmt.Errorf("%q is not a size such as 64x64", text)
	}
	return height, width, nil
}

// parseNumbers reads a list of numbers; an empty text is an empty list.
func parseNumbers(text string) ([]float64, error) {
	var values []float64
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		v, err := run.ParseFloat(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", part)
		}
		values = append(values, v)
	}
	return values, nil
}

func checkNumbers(text string) error {
	if text == "" {
		return errors.New("the list is empty")
	}
	_, err := parseNumbers(text)
	return err
}

// checkDeviations finds standard deviations that nothing can be divided by.
func checkDeviations(text string) error {
	if err := checkNumbers(text); err != nil {
		return err
	}
	values, _ := parseNumbers(text) // checked
	for _, v := range values {
		if v <= 0 {
			return fmt.Errorf("%g: want a number above 0", v)
		}
	}
	return nil
}

// preprocessing is what a model's frames go through before it sees them: of a setting for this model, its preset, a
// setting for all models, a preset for all and the preset of the model's folder (nil: none), the first that there is.
func (in *Inputs) preprocessing(model string, folder *latent.Preprocessing) (latent.Preprocessing, error) {
	name, named := in.preprocess.byName[model]
	if !named {
		name = in.preprocess.all
	}
	var preset latent.Preprocessing
	switch {
	case name == presetImageNet:
		preset = latent.ImageNet()
	case name == "" && folder != nil:
		preset = *folder
	}
	// The setting of a flag, or "" where the preset decides.
	valueOf := func(flag *perModel) string {
		if value, ok := flag.byName[model]; ok {
			return value
		}
		if preset.Scale != "" && (named || !flag.given) {
			return ""
		}
		return flag.all
	}
	p := preset
	var err error
	if size := valueOf(&in.resize); size != "" {
		if p.Height, p.Width, err = parseSize(size); err != nil {
			return p, err
		}
		p.Crop = [4]int{}
	}
	if method := valueOf(&in.interpolation); method != "" {
		if p.Interpolation = latent.Interpolation(method); p.Crop[2] > 0 {
			p.Interpolation = latent.Pillow(method)
		}
	}
	for _, list := range []struct {
		flag *perModel
		to   *[]float64
	}{{&in.mean, &p.Mean}, {&in.std, &p.Std}} {
		if text := valueOf(list.flag); text != "" {
			if *list.to, err = parseNumbers(text); err != nil {
				return p, err
			}
		}
	}
	switch scale := valueOf(&in.inputScale); {
	case scale != "" && scale != scaleAuto:
		p.Scale = latent.InputScale(scale)
	case p.Scale != "":
	case len(p.Mean)+len(p.Std) > 0:
		p.Scale = latent.ScaleUnit
	default:
		p.Scale = latent.ScaleRaw
	}
	return p, nil
}

// scaleGiven reports whether the user, or a preset, said how a model's pixels are scaled.
func (d *Data) scaleGiven(model string) bool {
	preset := d.presetOf(model)
	return d.inputs.inputScale.of(model) != scaleAuto || preset != "" && preset != presetNone
}

// presetOf is the preset of a model, or the file of its folder that takes the place of one.
func (d *Data) presetOf(model string) string {
	return cmp.Or(d.inputs.preprocess.of(model), d.processors[model])
}

// folderPreset is the preprocessing that the folder of a model tells, nil where there is none, or --preprocess decides.
// It is for images; a warning says where the frames are none.
func (d *Data) folderPreset(model string) *latent.Preprocessing {
	i := slices.IndexFunc(d.inputs.sources, func(s source) bool { return s.name == model && s.kind == "model" })
	if i < 0 || d.inputs.preprocess.of(model) != "" {
		return nil
	}
	pictures, file, err := picture.Folder(d.inputs.sources[i].path)
	if err == nil && pictures == nil {
		return nil
	}
	const instead = "frames are passed as they are; see --resize, --mean, --std, or turn this off with --preprocess none"
	if err != nil {
		d.env.Warn("model %s: the preprocessing of its folder is not applied: %v; %s", model, err, instead)
		return nil
	}
	states := d.statesOf(model)
	shape, layout := states.Shape(), states.Layout()
	channels := 1
	if axis := strings.IndexByte(layout, 'C'); axis >= 0 {
		channels = shape[axis]
	}
	if states.DType() != dataset.Uint8 || !strings.HasSuffix(layout, "HW") || channels != 1 && channels != 3 {
		d.env.Warn("model %s: %s wants images of 8 bits with 1 or 3 channels, not states of type %s and shape %v (%s); %s",
			model, file, states.DType(), shape, layout, instead)
		return nil
	}
	p, err := latent.PreprocessingOf(pictures, shape[len(shape)-2], shape[len(shape)-1])
	if err != nil {
		d.env.Warn("model %s: %s is not applied: %v; %s", model, file, err, instead)
		return nil
	}
	if d.processors == nil {
		d.processors = map[string]string{}
	}
	if d.processors[model] == "" {
		d.env.Note("note: model %s: frames are preprocessed as its %s says: %s; --preprocess none turns this off",
			model, file, pictures)
	}
	d.processors[model] = file
	return &p
}

// given is what an encoder is given.
type givenInput struct {
	shape     []int // of one state, without the batch
	dtype     string
	low, high float64 // where the values lie if pixels lie in the pixel range
}

// inputRange is where the values that an encoder sees lie if the values of the states lie
// in their range.
func inputRange(p latent.Preprocessing) (low, high float64) {
	a, b := p.Low, p.High
	if p.Scale == latent.ScaleUnit {
		a, b = 0, 1
	}
	low, high = math.Inf(1), math.Inf(-1)
	entry := func(values []float64, i int, otherwise float64) float64 {
		if len(values) == 0 {
			return otherwise
		}
		return values[min(i, len(values)-1)]
	}
	for c := range max(len(p.Mean), len(p.Std), 1) {
		mean, std := entry(p.Mean, c, 0), entry(p.Std, c, 1)
		low, high = min(low, (a-mean)/std), max(high, (b-mean)/std)
	}
	return low, high
}

// describeInput says in one line what a model is given.
func (m *Model) describeInput() string {
	if m.Encoder == nil {
		text := fmt.Sprintf("%s: latents %v %s", m.Name, m.given.shape, m.given.input.DType)
		if m.given.rule != "" {
			text += ", " + m.given.rule
		}
		return text
	}
	p := m.pre
	var parts []string
	if m.window > 0 {
		parts = append(parts, "windows of "+text.Count(m.window, "frame"))
	}
	if p.Height > 0 {
		parts = append(parts, fmt.Sprintf("resized to %dx%d (%s)", p.Height, p.Width, p.Interpolation))
	}
	if p.Crop[2] > 0 {
		parts = append(parts, fmt.Sprintf("the middle of %dx%d", p.Crop[2], p.Crop[3]))
	}
	if p.Channels > 0 {
		parts = append(parts, fmt.Sprintf("one channel repeated to %d", p.Channels))
	}
	if p.ChannelsLast {
		parts = append(parts, "channels last")
	}
	values := "pixels"
	if !strings.HasSuffix(p.Layout, "HW") {
		values = "values"
	}
	scale := fmt.Sprintf("%s as stored, %.6g..%.6g", values, p.Low, p.High)
	if p.Scale == latent.ScaleUnit {
		scale = fmt.Sprintf("%s %.6g..%.6g scaled to 0..1", values, p.Low, p.High)
	}
	if len(p.Mean) > 0 {
		scale += " minus " + numbers(p.Mean)
	}
	if len(p.Std) > 0 {
		scale += " divided by " + numbers(p.Std)
	}
	if p.Scale == latent.ScaleRaw && values == "pixels" && (p.Low != 0 || p.High != 1) && !m.data.scaleGiven(m.Name) {
		scale += " (--input-scale unit for 0..1)"
	}
	parts = append(parts, scale)
	return fmt.Sprintf("%s: input %v %s, %s", m.Name, m.seen.shape, m.seen.dtype, strings.Join(parts, ", "))
}

// numbers is a list as --mean takes it.
func numbers(values []float64) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.Join(parts, ",")
}

// doubtScale says where the mean and the standard deviation of a model may be meant
// for pixels of another scale.
func (d *Data) doubtScale(name string, p latent.Preprocessing) string {
	if len(p.Mean)+len(p.Std) == 0 {
		return ""
	}
	low, high := p.Low, p.High
	if p.Scale == latent.ScaleUnit {
		low, high = 0, 1
	}
	span := high - low
	for _, v := range p.Mean {
		if v < low || v > high {
			return fmt.Sprintf("the mean %s is outside the range of the pixels, %.6g..%.6g; see --input-scale",
				numbers(p.Mean), low, high)
		}
	}
	for _, v := range p.Std {
		if v != 1 && (v > span || v < span/100) {
			return fmt.Sprintf("the standard deviation %s does not fit the range of the pixels, %.6g..%.6g; see --input-scale",
				numbers(p.Std), low, high)
		}
	}
	if p.Scale == latent.ScaleUnit && (p.Low != 0 || p.High != 1) && !d.scaleGiven(name) {
		return fmt.Sprintf("--mean or --std is set without --input-scale: pixels %.6g..%.6g are scaled to 0..1 first; "+
			"confirm with --input-scale unit, or turn scaling off with raw", p.Low, p.High)
	}
	return ""
}

// describePreprocessing records what an encoder is given and what states go through
// before.
func (m *Model) describePreprocessing(o *report.Object) {
	if preset := m.data.presetOf(m.Name); preset != "" && preset != presetNone {
		o.Set("preprocess", preset)
	}
	if m.data.window > 0 {
		o.Set("window", m.window)
	}
	if m.pre.Height > 0 {
		o.Set("resize", []int{m.pre.Height, m.pre.Width})
		o.Set("interpolation", string(m.pre.Interpolation))
	}
	if m.pre.Crop[2] > 0 {
		o.Set("crop", m.pre.Crop[:])
	}
	if m.pre.Channels > 0 {
		o.Set("channels", m.pre.Channels)
	}
	if m.pre.ChannelsLast {
		o.Set("channels_last", true)
	}
	o.Set("input_scale", string(m.pre.Scale))
	if len(m.pre.Mean) > 0 {
		o.Set("mean", m.pre.Mean)
	}
	if len(m.pre.Std) > 0 {
		o.Set("std", m.pre.Std)
	}
	o.Set("input_shape", m.seen.shape)
	o.Set("input_dtype", m.seen.dtype)
	o.Set("input_range", []float64{m.seen.low, m.seen.high})
	m.describeLayers(o)
}
