// Package picture prepares pictures of 8 bits for vision models, as the libraries that publish the models do:
//
//	pixels := make([]uint8, 3*480*640)
//	p, file, err := picture.Folder("dinov2") // "preprocessor_config.json"
//	if err != nil || p == nil {
//		return err
//	}
//	values, height, width, err := p.Apply(pixels, 480, 640) // 3×height×width numbers
package picture

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"repscope/internal/resize"
	"repscope/internal/text"
)

// Processor is the preprocessing of a picture of red, green and blue for a vision model, in this order: resize
// with antialiasing, crop the center, scale the values, subtract the mean of each channel and divide by its standard
// deviation. The zero value only converts the type.
type Processor struct {
	// Height and Width are the size to which the picture is resized as a whole; or Shortest is
	// the length of its shorter side then, the longer one in proportion and rounded down. All 0:
	// it keeps its size.
	Height, Width, Shortest int
	// Filter is the filter; empty means bicubic. Unrounded weighs pixels without rounding them to bytes.
	Filter    resize.Filter
	Unrounded bool
	// CropHeight and CropWidth are the size of the middle; 0: nothing is cut off. It begins at half of the rest,
	// rounded down, or with RoundCrop to the nearest even number as in torchvision.
	CropHeight, CropWidth int
	RoundCrop             bool
	// Scale is the factor of pixels of 0 to 255; 0 means 1.
	Scale float64
	// Mean and Std are values of each channel, in the units of scaled pixels; a Std of 0 means 1.
	Mean, Std [3]float64
}

// CLIP and ImageNet are the preprocessing of encoders with these trainings, for screens resized as a whole to size×size,
// without a crop.
func CLIP(size int) Processor {
	return Processor{Height: size, Width: size, Scale: 1. / 255, Mean: [3]float64{0.48145466, 0.4578275, 0.40821073},
		Std: [3]float64{0.26862954, 0.26130258, 0.27577711}}
}

// ImageNet is described with [CLIP].
func ImageNet(size int) Processor {
	return Processor{Height: size, Width: size, Scale: 1. / 255, Mean: [3]float64{0.485, 0.456, 0.406},
		Std: [3]float64{0.229, 0.224, 0.225}}
}

// processorFile is a preprocessor_config.json.
type processorFile struct {
	Type        string          `json:"image_processor_type"`
	Video       string          `json:"video_processor_type"`
	Extractor   string          `json:"feature_extractor_type"`
	DoResize    *bool           `json:"do_resize"`
	Size        json.RawMessage `json:"size"`
	Resample    *int            `json:"resample"`
	DoCrop      bool            `json:"do_center_crop"`
	Crop        json.RawMessage `json:"crop_size"`
	DoRescale   *bool           `json:"do_rescale"`
	Rescale     *float64        `json:"rescale_factor"`
	DoNormalize *bool           `json:"do_normalize"`
	Mean        []float64       `json:"image_mean"`
	Std         []float64       `json:"image_std"`
	Share       *float64        `json:"crop_pct"`
}

// sizeFile is a size as Hugging Face writes it.
type sizeFile struct {
	Height, Width int
	Shortest      int `json:"shortest_edge"`
}

// Parse reads a preprocessor_config.json of Hugging Face; name is the name of the file. Missing keys
// have the defaults of its image processors: pictures are resized (bilinearly unless the file names another filter),
// divided by 255, and normalized if there is a mean. Errors name the file and key: padding, another size than height
// and width or shortest_edge, a filter that Pillow has not, means that are not three, other steps such as do_pad.
func Parse(name string, data []byte) (*Processor, error) {
	p, err := parseProcessor(data)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

func parseProcessor(data []byte) (*Processor, error) {
	var f processorFile
	if err := text.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("it is not the configuration of a preprocessor: %w", err)
	}
	kind := cmp.Or(f.Type, f.Video, f.Extractor)
	p := &Processor{Scale: 1. / 255, Unrounded: strings.HasPrefix(kind, "DINOv3")}
	if err := otherSteps(data, kind); err != nil {
		return nil, err
	}
	yes := func(b *bool) bool { return b == nil || *b }
	if yes(f.DoResize) && len(f.Size) > 0 {
		size, err := parseSizeOf("size", f.Size, strings.Contains(kind, "CLIP") || strings.HasPrefix(kind, "ConvNe"))
		if err != nil {
			return nil, err
		}
		p.Height, p.Width, p.Shortest = size.Height, size.Width, size.Shortest
		switch {
		case f.Resample == nil:
			p.Filter = resize.FilterBilinear
		case *f.Resample < 0 || *f.Resample >= len(resize.Filters()):
			return nil, fmt.Errorf("resample is %d, want a filter of Pillow, 0 to 5", *f.Resample)
		default:
			p.Filter = resize.Filters()[*f.Resample]
		}
	}
	if strings.HasPrefix(kind, "ConvNe") && p.Shortest > 0 {
		p.cutShare(f.Share)
	}
	if f.DoCrop && len(f.Crop) > 0 {
		size, err := parseSizeOf("crop_size", f.Crop, false)
		if err != nil {
			return nil, err
		}
		p.CropHeight, p.CropWidth = size.Height, size.Width
	}
	if f.Rescale != nil {
		p.Scale = *f.Rescale
	}
	if !yes(f.DoRescale) {
		p.Scale = 1
	}
	if yes(f.DoNormalize) && len(f.Mean)+len(f.Std) > 0 {
		if len(f.Mean) != 3 || len(f.Std) != 3 {
			return nil, fmt.Errorf("image_mean and image_std have %d and %d numbers, want 3", len(f.Mean), len(f.Std))
		}
		p.Mean, p.Std = [3]float64(f.Mean), [3]float64(f.Std)
		if slices.Contains(f.Std, 0) {
			return nil, errors.New("image_std is 0")
		}
	}
	return p, nil
}

// cutShare is the resizing of ConvNeXt: frames smaller than 384 are the middle of larger ones.
func (p *Processor) cutShare(share *float64) {
	side := p.Shortest
	if side >= 384 {
		p.Height, p.Width, p.Shortest = side, side, 0
		return
	}
	kept := 224. / 256
	if share != nil && *share > 0 && *share <= 1 {
		kept = *share
	}
	p.Shortest = int(math.Min(float64(side)/kept, maxSide+1))
	p.CropHeight, p.CropWidth = side, side
}

// parseSizeOf reads a number, a height and width, or the length of the shorter side; with shorter, a number is that
// length.
func parseSizeOf(key string, raw json.RawMessage, shorter bool) (sizeFile, error) {
	var n int
	if json.Unmarshal(raw, &n) == nil {
		if shorter {
			return sizeFile{Shortest: n}, nil
		}
		return sizeFile{Height: n, Width: n}, nil
	}
	var s sizeFile
	if err := json.Unmarshal(raw, &s); err != nil || s.Shortest == 0 && (s.Height == 0 || s.Width == 0) {
		return s, fmt.Errorf("%s is %.60s, want height and width, or shortest_edge", key, raw)
	}
	return s, nil
}

// Check finds sizes and numbers that cannot be.
func (p *Processor) Check() error {
	for _, n := range []int{p.Height, p.Width, p.Shortest, p.CropHeight, p.CropWidth} {
		if n < 0 || n > maxSide {
			return fmt.Errorf("an image side of %d, want 1 to %d", n, maxSide)
		}
	}
	if (p.Height == 0) != (p.Width == 0) || (p.CropHeight == 0) != (p.CropWidth == 0) {
		return errors.New("a height without a width")
	}
	for _, v := range append([]float64{p.Scale}, append(p.Mean[:], p.Std[:]...)...) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the scale, a mean or a standard deviation is %g", v)
		}
	}
	return nil
}

// String describes the processing in words: the text of equal processors is equal.
func (p *Processor) String() string {
	filter := cmp.Or(p.Filter, resize.FilterBicubic)
	var parts []string
	switch {
	case p.Shortest > 0:
		parts = append(parts, fmt.Sprintf("shorter side %d (%s)", p.Shortest, filter))
	case p.Height > 0:
		parts = append(parts, fmt.Sprintf("%d × %d (%s)", p.Height, p.Width, filter))
	}
	if p.CropHeight > 0 {
		parts = append(parts, fmt.Sprintf("center crop %d × %d", p.CropHeight, p.CropWidth))
	}
	return strings.Join(append(parts, fmt.Sprintf("times %.6g, mean %.6g, standard deviation %.6g", p.Scale, p.Mean, p.Std)), ", ")
}

// Size is the size after resizing, before anything is cut off.
func (p *Processor) Size(height, width int) (int, int) {
	switch {
	case p.Shortest > 0 && height <= width:
		return p.Shortest, max(int(int64(p.Shortest)*int64(width)/int64(height)), 1)
	case p.Shortest > 0:
		return max(int(int64(p.Shortest)*int64(height)/int64(width)), 1), p.Shortest
	case p.Height > 0:
		return p.Height, p.Width
	}
	return height, width
}

// Middle is the part of a resized picture that is left.
func (p *Processor) Middle(height, width int) (top, left, toHeight, toWidth int, err error) {
	if p.CropHeight == 0 {
		return 0, 0, height, width, nil
	}
	if p.CropHeight > height || p.CropWidth > width {
		return 0, 0, 0, 0, fmt.Errorf("an image of %d × %d has no center crop of %d × %d",
			height, width, p.CropHeight, p.CropWidth)
	}
	half := func(surplus int) int {
		if p.RoundCrop {
			return int(math.RoundToEven(float64(surplus) / 2))
		}
		return surplus / 2
	}
	return half(height - p.CropHeight), half(width - p.CropWidth), p.CropHeight, p.CropWidth, nil
}

// maxSide bounds the side of a resized picture.
const maxSide = 1 << 14

// maxPicture bounds the pixels of a picture on its way.
const maxPicture = 1 << 26

// Apply makes values [3, H, W] of pixels [height, width, 3]. Errors: a picture without pixels,
// one that is smaller than its middle, or too long to be resized in proportion.
func (p *Processor) Apply(pixels []uint8, height, width int) ([]float32, int, int, error) {
	if height < 1 || width < 1 || len(pixels) != 3*height*width {
		return nil, 0, 0, fmt.Errorf("an image of %d × %d has %d values", height, width, len(pixels))
	}
	h, w := p.Size(height, width)
	if int64(h)*int64(w) > maxPicture {
		return nil, 0, 0, fmt.Errorf("an image of %d × %d becomes %d × %d, more than %d pixels", height, width, h, w, maxPicture)
	}
	if h != height || w != width {
		out := make([]uint8, 3*h*w)
		r, err := resize.NewPillow(cmp.Or(p.Filter, resize.FilterBicubic), height, width, h, w)
		if err != nil {
			return nil, 0, 0, err
		}
		r.Bytes(out, pixels, 3)
		pixels = out
	}
	top, x0, toH, toW, err := p.Middle(h, w)
	if err != nil {
		return nil, 0, 0, err
	}
	values := make([]float32, 3*toH*toW)
	for c := range 3 {
		level := p.levels(c)
		to := values[c*toH*toW:]
		for y := range toH {
			row := pixels[3*((top+y)*w+x0):]
			for x := range toW {
				to[y*toW+x] = level[row[3*x+c]]
			}
		}
	}
	return values, toH, toW, nil
}

// levels are the values of the bytes of a channel.
func (p *Processor) levels(c int) (table [256]float32) {
	scale, std := p.Scale, p.Std[c]
	if scale == 0 {
		scale = 1
	}
	if std == 0 {
		std = 1
	}
	for b := range table {
		table[b] = float32((float64(float64(b)*scale) - p.Mean[c]) / std)
	}
	return table
}
