// Vision models: a picture in, one embedding or the states of its patches out.

package latent

import (
	"context"
	"fmt"

	"repscope/latent/picture"
	"repscope/model"
	"repscope/points"
)

// VisionOptions are the options of a vision model.
type VisionOptions struct {
	// Pictures is the preprocessing. If it has no size, pictures are resized to the size that the file fixes, if any.
	Pictures picture.Processor
	// Pool of the states of patches: SentenceMean, or SentenceFirst for the first token, which is the class of a
	// transformer. SentenceAuto takes an output of one vector per picture, else the mean.
	Pool    SentencePool
	Threads int
	Backend *model.Backend
}

// VisionModel maps pictures to embeddings. It may not be used concurrently. A picture is always
// run alone.
type VisionModel struct {
	*Head
	Pictures picture.Processor
	Pool     SentencePool
	input    string
}

// The outputs that are taken, in this order.
var (
	pictureOutputs = []string{"image_embeds", "image_embeddings", "image_embedding", "embedding", "embeddings", "pooler_output", "image_features", "output"}
	patchOutputs   = []string{"last_hidden_state", "hidden_states", "encoder_hidden_states", "image_embeds", "features", "output"}
)

// OpenVision opens an ONNX file whose only input is a picture [B, 3, H, W] of float32 and which has an output [B, D],
// [B, L, D] or [B, C, H, W]. Errors name the file.
func OpenVision(path string, o VisionOptions) (*VisionModel, error) {
	prefer := pictureOutputs
	if o.Pool == SentenceMean || o.Pool == SentenceFirst {
		prefer = patchOutputs
	}
	f, err := readExported(path)
	if err != nil {
		return nil, err
	}
	ports := f.Inputs()
	if err := f.Close(); err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) error { return fmt.Errorf("model "+path+": "+format, args...) }
	if len(ports) != 1 {
		return nil, fail("has %d inputs (%s), want one, the image: export the vision encoder alone",
			len(ports), model.Names(ports))
	}
	dims := ports[0].Dims
	if ports[0].DType != model.Float32 || dims != nil && (len(dims) != 4 || dims[1].Size >= 0 && dims[1].Size != 3) {
		return nil, fail("input %q has shape %v of %v, want images [B, 3, H, W] of float32",
			ports[0].Name, ports[0].Shape(), ports[0].DType)
	}
	h, err := OpenHead(path, OpenOptions{Prefer: prefer, Threads: o.Threads, Backend: o.Backend})
	if err != nil {
		return nil, err
	}
	v := &VisionModel{Head: h, Pictures: o.Pictures, Pool: o.Pool, input: ports[0].Name}
	if v.Pool == "" {
		v.Pool = SentenceAuto
	}
	p := &v.Pictures
	if p.Height == 0 && p.Shortest == 0 && p.CropHeight == 0 && dims != nil && dims[2].Size > 0 && dims[3].Size > 0 {
		p.Height, p.Width = dims[2].Size, dims[3].Size
	}
	return v, nil
}

// States is the model's output for a picture [height, width, 3], and its shape.
func (v *VisionModel) States(ctx context.Context, pixels []uint8, height, width int) ([]float32, []int, error) {
	values, h, w, err := v.Pictures.Apply(pixels, height, width)
	if err != nil {
		return nil, nil, err
	}
	in := HeadInput{Name: v.input, Rows: points.Points{N: 1, Dim: len(values), F32: values}, Shape: []int{3, h, w}}
	return v.Run(ctx, []HeadInput{in}, nil, EncodeOptions{})
}

// Embed is the embedding of a picture [height, width, 3]: the model's output, pooled if it has several axes.
func (v *VisionModel) Embed(ctx context.Context, pixels []uint8, height, width int) ([]float32, error) {
	out, shape, err := v.States(ctx, pixels, height, width)
	if err != nil {
		return nil, err
	}
	switch {
	case len(shape) < 2:
		return out, nil
	case len(shape) == 2 && v.Pool == SentenceFirst:
		return out[:shape[1]], nil
	case len(shape) == 2:
		return meanOf(out, shape[0], shape[1], false), nil
	case len(shape) == 3 && v.Pool != SentenceFirst:
		return meanOf(out, shape[1]*shape[2], shape[0], true), nil
	}
	return nil, fmt.Errorf("model %s: its output has shape %v for one image, want [D], [L D] or [C H W], without a class token for [C H W]", v.Path, shape)

}

// meanOf is the mean over n positions of d numbers, stored position by position or number by number.
func meanOf(values []float32, n, d int, byNumber bool) []float32 {
	out := make([]float32, d)
	for i := range d {
		sum := 0.0
		for k := range n {
			index := k*d + i
			if byNumber {
				index = i*n + k
			}
			sum += float64(values[index])
		}
		out[i] = float32(sum / float64(max(n, 1)))
	}
	return out
}
