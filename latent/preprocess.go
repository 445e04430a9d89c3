// Preprocessing of states for an encoder.

package latent

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/internal/resize"
	"repscope/latent/picture"
	"repscope/model/graph"
	"repscope/model/pixels"
)

// Interpolation is the method of resizing frames.
type Interpolation string

const (
	// Bilinear interpolates between pixel centers as PyTorch's
	// interpolate(mode="bilinear", align_corners=False, antialias=False) does.
	Bilinear Interpolation = "bilinear"
	// Nearest takes the pixel ⌊i·in/out⌋ as PyTorch's interpolate(mode="nearest") does.
	Nearest Interpolation = "nearest"

	// pillow begins the names of the filters of Pillow, with antialiasing, such as "pillow bicubic"; see [resize.Pillow].
	pillow = "pillow "
	// unrounded ends them where bytes are not rounded in between.
	unrounded = " unrounded"
)

// Preprocessing is applied to every state in this order: frames are resized, and a part is cut out; frames of one
// channel are repeated to several; pixel values are scaled, then normalized by (v − mean)/std. The zero value changes
// nothing.
type Preprocessing struct {
	// Layout names the axes of a state as dataset.States.Layout does: "D", "HW", "CHW", "THW", "CTHW", "TCHW", "TD"; it
	// locates channels and frames. Empty: one channel, and of two or more axes the last two are a frame.
	Layout string
	// Height and Width are the size that frames are resized to; both 0 leaves
	// them as they are. Interpolation empty means Bilinear.
	Height, Width int
	Interpolation Interpolation
	// Crop is the top row, left column, height and width of the part of resized frames that is left; a height of 0 leaves
	// all of them.
	Crop [4]int
	// Channels is the number of channels to which a single one is repeated, for encoders of color images; 0 leaves frames
	// unchanged. A state without an axis of channels gets one before the axes of a frame.
	Channels int
	// Scale empty means ScaleRaw. Low and High are the pixel range that
	// ScaleUnit maps to [0, 1].
	Scale     InputScale
	Low, High float64
	// Mean and Std have one value, or one per channel of Layout; they are in
	// the units that Scale leaves. Empty means 0 and 1.
	Mean, Std []float64
	// ChannelsLast moves the channels of frames behind their rows and columns at the
	// end, for encoders of such frames. The layout needs channels.
	ChannelsLast bool
}

// Pillow is the filter of Pillow of this name, with antialiasing.
func Pillow(filter string) Interpolation { return Interpolation(pillow + filter) }

// ImageNet is the usual input of encoders trained on ImageNet: frames of 224×224 in three channels, scaled to [0, 1]
// and normalized by the mean and standard deviation of the ImageNet images (as in torchvision). Frames are resized
// whole, without a center crop.
func ImageNet() Preprocessing {
	return Preprocessing{Height: 224, Width: 224, Interpolation: Bilinear, Channels: 3, Scale: ScaleUnit,
		Mean: []float64{0.485, 0.456, 0.406}, Std: []float64{0.229, 0.224, 0.225}}
}

// PreprocessingOf is the preprocessing of pictures for frames of height×width. Frames of one channel are repeated to
// three.
func PreprocessingOf(p *picture.Processor, height, width int) (Preprocessing, error) {
	h, w := p.Size(height, width)
	if max(h, w) > maxSide {
		return Preprocessing{}, fmt.Errorf("frames of %d×%d become %d×%d, want sides up to %d",
			height, width, h, w, maxSide)
	}
	top, first, toHeight, toWidth, err := p.Middle(h, w)
	if err != nil {
		return Preprocessing{}, err
	}
	out := Preprocessing{Height: h, Width: w, Channels: 3, Scale: ScaleUnit,
		Interpolation: Pillow(string(cmp.Or(p.Filter, resize.FilterBicubic)))}
	if p.Unrounded {
		out.Interpolation += unrounded
	}
	if p.CropHeight > 0 && (toHeight != h || toWidth != w) {
		out.Crop = [4]int{top, first, toHeight, toWidth}
	}
	factor := 255 * cmp.Or(p.Scale, 1) // of pixels from 0 to 1
	if math.Abs(factor-1) < 1e-9 {
		factor = 1
	}
	if factor == 255 {
		out.Scale, factor = ScaleRaw, 1
	}
	if p.Mean == [3]float64{} && p.Std == [3]float64{} && factor == 1 {
		return out, nil
	}
	for c := range 3 {
		out.Mean = append(out.Mean, p.Mean[c]/factor)
		out.Std = append(out.Std, cmp.Or(p.Std[c], 1)/factor)
	}
	return out, nil
}

// key identifies the part of the preprocessing that changes numbers; it is only the scale if nothing else is set.
func (p *Preprocessing) key() string {
	var b strings.Builder
	b.WriteString(string(p.Scale))
	if p.Scale == ScaleUnit {
		fmt.Fprintf(&b, " %x %x", math.Float64bits(p.Low), math.Float64bits(p.High))
	}
	if p.Height > 0 {
		fmt.Fprintf(&b, " %s %dx%d", p.Interpolation, p.Height, p.Width)
	}
	if p.Crop[2] > 0 {
		fmt.Fprintf(&b, " part %v", p.Crop)
	}
	if p.Channels > 0 {
		fmt.Fprintf(&b, " %d channels", p.Channels)
	}
	if len(p.Mean)+len(p.Std) > 0 {
		// Which axis is the channel matters only with several values.
		layout := ""
		if len(p.Mean) > 1 || len(p.Std) > 1 {
			layout = p.Layout
		}
		fmt.Fprintf(&b, " normalised %s %x %x", layout, p.Mean, p.Std)
	}
	if p.ChannelsLast {
		b.WriteString(" channels last")
	}
	return b.String()
}

// preprocessor is a Preprocessing checked against the shape of a state.
type preprocessor struct {
	Preprocessing
	in, out []int  // shapes of a state before and after, out with channels before rows and columns
	seen    []int  // out as an encoder sees it
	layout  string // of the state after
	block   int    // frames of one channel that lie together, where channels are repeated

	planes        int // runs of values of one channel: per state, after resizing
	period, inner int // the channel of plane k is k/inner mod period
	mean, std     []float32
	resizer       resizer // nil where frames are not resized
}

// resizer makes frames of one size of frames of another.
type resizer interface{ Frame(dst, src []float32) }

// newPreprocessor checks the preprocessing for states of this shape.
func newPreprocessor(p Preprocessing, state []int) (*preprocessor, error) {
	q := &preprocessor{Preprocessing: p, in: slices.Clone(state), out: slices.Clone(state), layout: p.Layout, period: 1, inner: 1}
	switch p.Scale {
	case "":
		q.Scale = ScaleRaw
	case ScaleRaw:
	case ScaleUnit:
		if !(p.High > p.Low) || math.IsInf(p.High-p.Low, 0) {
			return nil, fmt.Errorf("input scale unit needs a pixel range, got %g to %g", p.Low, p.High)
		}
	default:
		return nil, fmt.Errorf("input scale %q: want raw or unit", p.Scale)
	}
	if p.Layout != "" && len(p.Layout) != len(state) {
		return nil, fmt.Errorf("states have shape %v, which is not %s", state, p.Layout)
	}
	if err := q.resizeTo(); err != nil {
		return nil, err
	}
	if err := q.repeatTo(); err != nil {
		return nil, err
	}
	if q.ChannelsLast && !strings.HasSuffix(q.layout, "CHW") {
		return nil, fmt.Errorf("states of shape %v have no channels to move last (layout %s)", q.in, q.layout)
	}
	if q.seen = slices.Clone(q.out); q.ChannelsLast {
		n := len(q.seen)
		q.seen[n-3], q.seen[n-2], q.seen[n-1] = q.seen[n-2], q.seen[n-1], q.seen[n-3]
	}
	return q, q.normalize()
}

// repeatTo settles how one channel becomes several; they are left as they are where
// there are as many already.
func (q *preprocessor) repeatTo() error {
	axis, frame := strings.Index(q.layout, "C"), len(q.out)-2
	switch {
	case q.Channels == 0 || axis >= 0 && q.out[axis] == q.Channels:
		q.Channels = 0
		return nil
	case q.Channels < 0:
		return fmt.Errorf("%d channels, want 1 or more", q.Channels)
	case frame < 0 || q.layout != "" && !strings.HasSuffix(q.layout, "HW"):
		return fmt.Errorf("repeating to %d channels: states of shape %v have no frames", q.Channels, q.in)
	case axis >= 0 && q.out[axis] != 1:
		return fmt.Errorf("repeating to %s: states of shape %v have %s (layout %s), want 1",
			countOf(q.Channels, "channel"), q.in, countOf(q.out[axis], "channel"), q.layout)
	case axis >= 0:
		q.out[axis] = q.Channels
		q.block = graph.Count(q.out[axis+1 : frame])
		return nil
	}
	q.out = slices.Insert(q.out, frame, q.Channels)
	if q.layout != "" {
		q.layout = q.layout[:frame] + "C" + q.layout[frame:]
	} else {
		q.layout = strings.Repeat("T", frame) + "CHW" // channels are all that counts
	}
	q.block = 1
	return nil
}

func (q *preprocessor) resizeTo() error {
	if q.Interpolation == "" {
		q.Interpolation = Bilinear
	}
	filter, smooth := strings.CutPrefix(string(q.Interpolation), pillow)
	if !smooth && q.Interpolation != Bilinear && q.Interpolation != Nearest {
		return fmt.Errorf("interpolation %q: want bilinear or nearest", q.Interpolation)
	}
	if q.Height == 0 && q.Width == 0 && q.Crop[2] == 0 {
		return nil
	}
	if q.Height+q.Width != 0 && (q.Height < 1 || q.Width < 1 || q.Height > maxSide || q.Width > maxSide) {
		return fmt.Errorf("resizing to %d×%d: want sides of 1 to %d", q.Height, q.Width, maxSide)
	}
	k := len(q.in) - 2
	if k < 0 || q.Layout != "" && !strings.HasSuffix(q.Layout, "HW") {
		return fmt.Errorf("resizing to %d×%d: states of shape %v have no frames", q.Height, q.Width, q.in)
	}
	if q.in[k] == q.Height && q.in[k+1] == q.Width {
		q.Height, q.Width = 0, 0
	}
	height, width := cmp.Or(q.Height, q.in[k]), cmp.Or(q.Width, q.in[k+1])
	if c := q.Crop; c[2] != 0 && (min(c[0], c[1]) < 0 || min(c[2], c[3]) < 1 || c[0]+c[2] > height || c[1]+c[3] > width) {
		return fmt.Errorf("frames of %d×%d have no part of %d×%d at row %d and column %d",
			height, width, c[2], c[3], c[0], c[1])
	}
	q.out[k], q.out[k+1] = height, width
	switch {
	case q.Crop[2] > 0 && !smooth:
		return fmt.Errorf("interpolation %s of a part of frames: want a filter of Pillow", q.Interpolation)
	case q.Height == 0 && q.Crop[2] == 0:
	case smooth:
		filter, exact := strings.CutSuffix(filter, unrounded)
		return q.smoothTo(resize.Filter(filter), exact)
	default:
		q.resizer = resize.New(q.in[k], q.in[k+1], q.Height, q.Width, q.Interpolation == Nearest)
	}
	return nil
}

// smoothTo resizes with a filter of Pillow and cuts out the part.
func (q *preprocessor) smoothTo(filter resize.Filter, exact bool) error {
	k := len(q.in) - 2
	p, err := resize.NewPillow(filter, q.in[k], q.in[k+1], q.out[k], q.out[k+1])
	if err != nil {
		return err
	}
	if exact {
		p.Unrounded()
	}
	if c := q.Crop; c[2] > 0 {
		p.Cut(c[0], c[1], c[2], c[3])
		q.out[k], q.out[k+1] = c[2], c[3]
	}
	q.resizer = p
	return nil
}

// maxSide bounds the side of a resized frame.
const maxSide = 1 << 14

func (q *preprocessor) normalize() error {
	frame := max(0, strings.Index(q.layout, "HW")) // axes before the axes of a frame
	q.planes = graph.Count(q.out[:frame])
	channels, axis := 1, strings.Index(q.layout, "C")
	if axis >= 0 {
		channels = q.out[axis]
		q.period = channels
		q.inner = graph.Count(q.out[axis+1 : frame])
	}
	set := func(what string, values []float64, otherwise float32) ([]float32, error) {
		if len(values) == 0 {
			values = []float64{float64(otherwise)}
		}
		if len(values) != 1 && len(values) != channels {
			layout := q.layout
			if layout == "" {
				layout = "not known"
			}
			return nil, fmt.Errorf("%d values of the %s for states of shape %v with %s: want one, or one per channel (layout %s)",
				len(values), what, q.in, countOf(channels, "channel"), layout)
		}
		out := make([]float32, channels)
		for i := range out {
			v := values[min(i, len(values)-1)]
			if math.IsNaN(v) || math.IsInf(v, 0) || what == "standard deviation" && !(float32(v) > 0) {
				return nil, fmt.Errorf("%s %g: want a finite number%s",
					what, v, map[bool]string{true: " above 0"}[what == "standard deviation"])
			}
			out[i] = float32(v)
		}
		return out, nil
	}
	if len(q.Mean)+len(q.Std) == 0 {
		return nil
	}
	var err error
	if q.mean, err = set("mean", q.Mean, 0); err != nil {
		return err
	}
	q.std, err = set("standard deviation", q.Std, 1)
	return err
}

func countOf(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// reshapes reports whether states change their shape, so that they cannot be preprocessed in place.
func (q *preprocessor) reshapes() bool { return q.resizer != nil || q.Channels > 0 || q.ChannelsLast }

// apply preprocesses n states. Where they keep their shape, dst and src may be the
// same memory.
func (q *preprocessor) apply(dst, src []float32, n int) {
	if q.ChannelsLast {
		frames := make([]float32, len(dst))
		q.inPlanes(frames, src, n)
		k := len(q.out) - 3
		moveBehind(dst, frames, q.out[k], q.out[k+1]*q.out[k+2])
		return
	}
	q.inPlanes(dst, src, n)
}

// moveBehind moves the channels of frames of this many pixels behind their rows and columns.
func moveBehind(dst, src []float32, channels, pixels int) {
	for ; len(src) > 0; src, dst = src[channels*pixels:], dst[channels*pixels:] {
		for c := range channels {
			for k, v := range src[c*pixels : (c+1)*pixels] {
				dst[k*channels+c] = v
			}
		}
	}
}

// inPlanes is apply except for channels that come last.
func (q *preprocessor) inPlanes(dst, src []float32, n int) {
	switch {
	case q.Channels > 0:
		q.repeat(dst, src)
	case q.resizer != nil:
		q.resize(dst, src)
	case n > 0 && &dst[0] != &src[0]:
		copy(dst, src)
	}
	if q.Scale == ScaleUnit {
		low, span := float32(q.Low), float32(q.High-q.Low)
		for i, v := range dst {
			dst[i] = (v - low) / span
		}
	}
	if q.mean == nil {
		return
	}
	size := len(dst) / (n * q.planes)
	for k := range n * q.planes {
		c := k / q.inner % q.period
		mean, std := q.mean[c], q.std[c]
		plane := dst[k*size : (k+1)*size]
		for i, v := range plane {
			plane[i] = (v - mean) / std
		}
	}
}

// levels are the values that the encoder sees for the bytes 0 … 255 of each channel,
// and the elements of a state that follow each other in one channel. States must keep their shape.
func (q *preprocessor) levels() (values []float32, run int) {
	channels := max(1, len(q.mean))
	one := *q
	one.planes, one.period, one.inner = channels, channels, 1
	values = make([]float32, channels*256)
	for i := range values {
		values[i] = float32(i % 256)
	}
	one.apply(values, values, 1)
	return values, q.run(channels)
}

// run is how many elements of a state follow each other in one channel.
func (q *preprocessor) run(channels int) int {
	if channels == 1 {
		return graph.Count(q.out)
	}
	return graph.Count(q.out) / q.planes * q.inner
}

// scaling is the elementwise part of apply, for GPUs. States must keep their shape.
func (q *preprocessor) scaling() pixels.Scaling {
	if q.Scale != ScaleUnit && q.mean == nil {
		return pixels.Scaling{}
	}
	s := pixels.Scaling{Span: 1, Mean: q.mean, Std: q.std}
	if q.Scale == ScaleUnit {
		s.Low, s.Span = float32(q.Low), float32(q.High-q.Low)
	}
	if q.mean == nil {
		s.Mean, s.Std = []float32{0}, []float32{1}
	}
	s.Plane = q.run(len(s.Mean))
	return s
}

// repeat makes the channels of every block of frames in src, resized if they are to be.
func (q *preprocessor) repeat(dst, src []float32) {
	k := len(q.in) - 2
	from := q.block * q.in[k] * q.in[k+1]
	to := q.block * graph.Count(q.out[len(q.out)-2:])
	for ; len(src) > 0; src, dst = src[from:], dst[q.Channels*to:] {
		if q.resizer != nil {
			q.resize(dst[:to], src[:from])
		} else {
			copy(dst[:to], src[:from])
		}
		for c := 1; c < q.Channels; c++ {
			copy(dst[c*to:(c+1)*to], dst[:to])
		}
	}
}

// resize resizes every frame in src.
func (q *preprocessor) resize(dst, src []float32) {
	k := len(q.in) - 2
	in, out := q.in[k]*q.in[k+1], graph.Count(q.out[len(q.out)-2:])
	for ; len(src) > 0; src, dst = src[in:], dst[out:] {
		q.resizer.Frame(dst[:out], src[:in])
	}
}

// prepared is a source as encoders see it.
type prepared struct {
	Source
	*preprocessor
}

// Prepared returns the states of src as an encoder sees them. It is an error
// when the preprocessing does not fit the states.
func Prepared(src Source, p Preprocessing) (Source, error) {
	q, err := newPreprocessor(p, src.Shape())
	if err != nil {
		return nil, err
	}
	return &prepared{src, q}, nil
}

// Shape is the shape of one preprocessed state.
func (s *prepared) Shape() []int { return slices.Clone(s.seen) }

// Float32 writes preprocessed states; see Source.
func (s *prepared) Float32(dst []float32, lo, hi int) error {
	if !s.reshapes() {
		if err := s.Source.Float32(dst, lo, hi); err != nil {
			return err
		}
		s.apply(dst, dst, hi-lo)
		return nil
	}
	width := graph.Count(s.in)
	src := make([]float32, (hi-lo)*width)
	if err := s.Source.Float32(src, lo, hi); err != nil {
		return err
	}
	s.apply(dst, src, hi-lo)
	return nil
}

// Fingerprint identifies the states and the preprocessing.
func (s *prepared) Fingerprint() (string, error) {
	sum, err := s.Source.Fingerprint()
	if err != nil || sum == "" {
		return "", err
	}
	return hashFloats(sum+" "+s.key(), s.seen, nil), nil
}
