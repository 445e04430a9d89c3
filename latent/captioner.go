// Captioners: a vision encoder and a decoder of text, as Hugging Face's Optimum exports them.

package latent

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/escape"
	"repscope/internal/regular"
	"repscope/internal/tokenizer"
	"repscope/latent/picture"
	"repscope/model"
)

// CaptionerOptions are the options of a captioner. The zero value is valid.
type CaptionerOptions struct {
	// Start and End are the ids of the first and last token of a text; nil: from the configuration.
	Start, End *int
	// Tokens bounds the tokens of a caption; 0: 50.
	Tokens  int
	Threads int
	Backend *model.Backend
}

// CaptionTokens is the default number of tokens of a caption.
const CaptionTokens = 50

// Captioner describes pictures. It may not be used concurrently. A caption is greedy: of every
// token the likeliest, of several of one logit the first, until the one that ends the text. Each
// picture is described alone, so that its caption depends on no other. Nothing is kept between
// tokens (there is no cache of keys and values): a caption of n tokens takes n runs of the
// decoder.
type Captioner struct {
	Dir string
	// SHA256 are the digests of Files, in hexadecimal digits and in the same order.
	SHA256 []string
	Files  []string
	// Notes are facts for the reader about the captions.
	Notes []string

	tokens     *tokenizer.Tokenizer
	vision     *VisionModel
	text       *model.Model
	inputs     []decoderInput
	generation generation
	most       int
	step       int // lengths are multiples of it
	length     int // that the file fixes, else 0
}

// decoderInput is an input of the decoder with its meaning.
type decoderInput struct {
	role string
	port model.Port
}

// The kinds of inputs of a decoder.
const (
	decoderTokens    = "tokens"
	decoderMask      = "mask"
	decoderStates    = "states"
	decoderSeen      = "seen" // which states are no padding
	decoderPositions = "positions"
)

// decoderRoles maps names to kinds of inputs: lower case, letters and digits alone.
var decoderRoles = map[string]string{
	"inputids": decoderTokens, "decoderinputids": decoderTokens, "tokens": decoderTokens, "ids": decoderTokens,
	"attentionmask": decoderMask, "decoderattentionmask": decoderMask,
	"encoderhiddenstates": decoderStates, "encoderoutputs": decoderStates, "imageembeds": decoderStates, "encoderoutput": decoderStates,
	"encoderattentionmask": decoderSeen, "imageattentionmask": decoderSeen,
	"positionids": decoderPositions,
}

// The names of the files of a captioner.
var (
	encoderFiles = []string{"encoder_model.onnx", "vision_model.onnx", "vision_encoder.onnx", "image_encoder.onnx"}
	decoderFiles = []string{"decoder_model.onnx", "text_decoder.onnx", "text_decoder_model.onnx", "decoder.onnx"}
)

// OpenCaptioner opens a folder with a vision encoder (encoder_model.onnx, vision_model.onnx, …) and a decoder of text
// (decoder_model.onnx, text_decoder.onnx, …), there or in its folder onnx, tokenizer.json, preprocessor_config.json,
// and config.json or generation_config.json or both. The encoder maps pixels [B, 3, H, W] to states [B, N, D]. The
// decoder has inputs for tokens [B, L] and states, and may have masks of both and positions, and returns logits [B, L,
// V]. Errors name the file: a missing file, a decoder that needs keys and values of earlier tokens, an unknown input,
// no token by which texts begin or end.
func OpenCaptioner(dir string, o CaptionerOptions) (*Captioner, error) {
	c := &Captioner{Dir: dir, most: o.Tokens}
	if c.most == 0 {
		c.most = CaptionTokens
	}
	if err := c.open(o); err != nil {
		return nil, fmt.Errorf("captioner %s: %w", dir, errors.Join(err, c.Close()))
	}
	return c, nil
}

// CaptionerFiles are the files in a folder that [OpenCaptioner] may read.
func CaptionerFiles(dir string) []string {
	var list []string
	for _, pattern := range []string{"*.json", "*.onnx*", "onnx/*.onnx*"} {
		found, _ := filepath.Glob(filepath.Join(escape.Glob(dir), filepath.FromSlash(pattern)))
		list = append(list, found...)
	}
	return list
}

func (c *Captioner) open(o CaptionerOptions) error {
	configuration := map[string][]byte{}
	for _, name := range []string{"tokenizer.json", "preprocessor_config.json", "config.json", "generation_config.json"} {
		data, err := regular.Read(filepath.Join(c.Dir, name), regular.Listing)
		needed := strings.HasPrefix(name, "tokenizer") || strings.HasPrefix(name, "preprocessor")
		if errors.Is(err, os.ErrNotExist) && !needed {
			continue
		}
		if err != nil {
			return pathless(name, err)
		}
		configuration[name] = data
		c.enter(name, digest(data))
	}
	var err error
	if c.tokens, err = tokenizer.Parse("tokenizer.json", configuration["tokenizer.json"]); err != nil {
		return err
	}
	pictures, err := picture.Parse("preprocessor_config.json", configuration["preprocessor_config.json"])
	if err != nil {
		return err
	}
	if err := c.generation.read(configuration["config.json"], configuration["generation_config.json"]); err != nil {
		return err
	}
	c.generation.override(o)
	if err := c.generation.check(); err != nil {
		return err
	}
	c.Notes = append(c.Notes, c.generation.notes...)
	if err := c.openVision(pictures, o); err != nil {
		return err
	}
	return c.openText(o)
}

// enter keeps a file with its digest.
func (c *Captioner) enter(name, sum string) {
	c.Files, c.SHA256 = append(c.Files, name), append(c.SHA256, sum)
}

// pathless is the error of a file by its name in the folder.
func pathless(name string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// find is the first of the files that is there.
func (c *Captioner) find(names []string) (string, error) {
	for _, dir := range []string{c.Dir, filepath.Join(c.Dir, "onnx")} {
		for _, name := range names {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("found none of %s, here or in the folder onnx", strings.Join(names, ", "))
}

func (c *Captioner) openVision(pictures *picture.Processor, o CaptionerOptions) error {
	path, err := c.find(encoderFiles)
	if err != nil {
		return err
	}
	v, err := OpenVision(path, VisionOptions{Pictures: *pictures, Pool: SentenceMean, Threads: o.Threads, Backend: o.Backend})
	if err != nil {
		return err
	}
	c.vision = v
	c.enter(filepath.Base(path), v.SHA256)
	return nil
}

// openText opens the decoder.
func (c *Captioner) openText(o CaptionerOptions) error {
	path, err := c.find(decoderFiles)
	if err != nil {
		return err
	}
	f, err := readExported(path)
	if err != nil {
		return err
	}
	fail := func(err error) error { return fmt.Errorf("model %s: %w", path, errors.Join(err, f.Close())) }
	sums, err := f.Sums()
	if err != nil {
		return fail(err)
	}
	c.enter(filepath.Base(path), hex.EncodeToString(sums[0]))
	if err := c.bindInputs(f.Inputs()); err != nil {
		return fail(err)
	}
	var names []string
	for _, p := range f.Outputs() {
		names = append(names, p.Name)
	}
	logits := firstNamed(names, []string{"logits", "predictionscores"})
	if logits == "" {
		return fail(fmt.Errorf("has outputs %s, want logits", model.Names(f.Outputs())))
	}
	m, err := f.Model(model.Options{Outputs: []string{logits}, Threads: o.Threads, Backend: o.Backend})
	if err != nil {
		return fail(err)
	}
	c.text = m
	return nil
}

// bindInputs identifies the decoder's inputs.
func (c *Captioner) bindInputs(ports []model.Port) error {
	present := map[string]bool{}
	for _, p := range ports {
		name := plain(p.Name)
		kind := decoderRoles[name]
		switch {
		case strings.Contains(name, "past") || strings.Contains(name, "cache"):
			return fmt.Errorf("input %q wants keys and values of earlier tokens: use the decoder exported without them (decoder_model.onnx)", p.Name)
		case kind == "":
			return fmt.Errorf("the purpose of input %q is unknown; the inputs are %s", p.Name, model.Names(ports))
		case present[kind]:
			return fmt.Errorf("two inputs have the same purpose; the inputs are %s", model.Names(ports))
		}
		present[kind] = true
		c.inputs = append(c.inputs, decoderInput{kind, p})
		if len(p.Dims) == 2 && kind != decoderSeen {
			c.length = max(c.length, p.Dims[1].Size)
		}
		if p.Dims != nil && p.Dims[0].Size > 1 {
			return fmt.Errorf("input %q has shape %v: want a batch of one image, or of any number", p.Name, p.Shape())
		}
	}
	if !present[decoderTokens] || !present[decoderStates] {
		return fmt.Errorf("its inputs are %s, want input_ids and encoder_hidden_states", model.Names(ports))
	}
	// Padding after the tokens and behind a mask changes nothing: few distinct lengths save preparation.
	if c.step = 1; present[decoderMask] {
		c.step = lengthStep
	}
	return nil
}

// Close ends the models and releases their files.
func (c *Captioner) Close() error {
	var all []error
	if c.vision != nil {
		all = append(all, c.vision.Close())
	}
	if c.text != nil {
		all = append(all, c.text.Close())
	}
	c.vision, c.text = nil, nil
	return errors.Join(all...)
}

// Caption describes a picture of red, green and blue [height, width, 3]: the text, without
// special tokens and with single spaces, and its tokens, the one that ends it included.
func (c *Captioner) Caption(ctx context.Context, pixels []uint8, height, width int) (string, []int64, error) {
	ids, err := c.Generate(ctx, pixels, height, width)
	if err != nil {
		return "", nil, err
	}
	text, err := c.tokens.Decode(ids, true)
	if err != nil {
		return "", nil, fmt.Errorf("captioner %s: %w", c.Dir, err)
	}
	return strings.Join(strings.Fields(text), " "), ids, nil
}

// Generate are the tokens of a caption, without the one by which it begins.
func (c *Captioner) Generate(ctx context.Context, pixels []uint8, height, width int) ([]int64, error) {
	states, shape, err := c.vision.States(ctx, pixels, height, width)
	if err != nil {
		return nil, err
	}
	fail := func(err error) ([]int64, error) { return nil, fmt.Errorf("captioner %s: %w", c.Dir, err) }
	if len(shape) != 2 {
		return fail(fmt.Errorf("the encoder returns shape %v for one image, want states [N D]", shape))
	}
	ids := []int64{int64(c.generation.start)}
	for len(ids) <= c.most {
		space := (len(ids) + c.step - 1) / c.step * c.step
		if c.length > 0 {
			space = c.length
		}
		if len(ids) > space {
			break // the file fixes a shorter text
		}
		out, err := c.text.RunInOrder(ctx, c.tensors(ids, space, states, shape)...)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return fail(fmt.Errorf("token %d: %w", len(ids), err))
		}
		next, err := c.likeliest(out[0], len(ids)-1, space)
		if err != nil {
			return fail(fmt.Errorf("token %d: %w", len(ids), err))
		}
		ids = append(ids, next)
		if slices.Contains(c.generation.ends, int(next)) {
			break
		}
	}
	return ids[1:], nil
}

// tensors are the inputs for the tokens so far, filled up to a length.
func (c *Captioner) tensors(ids []int64, space int, states []float32, shape []int) []*model.Tensor {
	list := make([]*model.Tensor, len(c.inputs))
	for i, in := range c.inputs {
		t := &model.Tensor{DType: model.Int64, Shape: []int{1, space}}
		switch in.role {
		case decoderStates:
			list[i] = &model.Tensor{DType: model.Float32, Shape: []int{1, shape[0], shape[1]}, F32: states}
			continue
		case decoderSeen:
			t.Shape[1] = shape[0]
		}
		t.I64 = make([]int64, t.Shape[1])
		for k := range t.I64 {
			switch {
			case in.role == decoderSeen, in.role == decoderMask && k < len(ids):
				t.I64[k] = 1
			case in.role == decoderPositions:
				t.I64[k] = int64(k)
			case in.role == decoderTokens && k < len(ids):
				t.I64[k] = ids[k]
			case in.role == decoderTokens:
				t.I64[k] = int64(c.generation.pad)
			}
		}
		if in.port.DType == model.Float32 {
			t.DType = model.Float32
			for _, v := range t.I64 {
				t.F32 = append(t.F32, float32(v))
			}
			t.I64 = nil
		}
		list[i] = t
	}
	return list
}

// likeliest is the token of the largest logit at a position.
func (c *Captioner) likeliest(out *model.Tensor, position, space int) (int64, error) {
	if len(out.Shape) != 3 || out.Shape[0] != 1 || out.Shape[1] != space || out.DType != model.Float32 {
		return 0, fmt.Errorf("the decoder returns shape %v for %d tokens, want logits [1 %d V]", out.Shape, space, space)
	}
	logits := out.F32[position*out.Shape[2]:][:out.Shape[2]]
	if i, v := firstBad(logits); i >= 0 {
		return 0, fmt.Errorf("the logit of token %d is %g", i, v)
	}
	best := 0
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	return int64(best), nil
}
