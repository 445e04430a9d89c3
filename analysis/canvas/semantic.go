// What two screens mean: captions, and embeddings of captions or of images.

package canvas

import (
	"context"
	"fmt"
	"strings"

	"repscope/internal/run"
	"repscope/latent"
)

// SemanticSettings are where captions and embeddings come from.
type SemanticSettings struct {
	// Scores is the file of scores that were computed earlier, which is read where it is there.
	// Empty: none.
	Scores string
	// Captions is a table of captions.
	Captions string
	// Embeddings of the captions, and ImageEmbeddings of the screens, are matrices with a row
	// for each case: those of the references and those of the generated designs.
	Embeddings, ImageEmbeddings [2]string
	// Rows is the file that names the cases of their rows.
	Rows string
	// Sentence is a model of sentences with its tokenizer.
	Sentence, Tokenizer string
	Pool                latent.SentencePool
	// Captioner is a folder with a model that makes the captions that the table does not have.
	Captioner     string
	CaptionTokens int
	Vision        VisionSettings
	// Precompute says that the scores of the cases are computed first, and kept in a file.
	Precompute bool

	pool   string
	opened *semantics
}

// VisionSettings are a model of screens and what they go through before it.
type VisionSettings struct {
	Path, Processor string // the model, and a preprocessor_config.json in place of the rest
	Size            int
	Preset          string // "clip" or "imagenet": means and standard deviations
	Mean, Std       []float64
	Pool            latent.SentencePool

	pool string
}

// The two designs of a case, as places of lists.
const (
	ofReference = iota
	ofGenerated
)

// sides name them.
var sides = [2]string{"reference", "generated"}

func (o *SemanticSettings) register(flags *run.Flags) {
	flags.PathVar(&o.Captions, "captions", "`table` of captions with the columns case_id, gt_caption and gen_caption")
	for k, side := range sides {
		flags.PathVar(&o.Embeddings[k], "embeddings-"+side, "`array` [N, D] of the embeddings of the captions of the "+side+" designs")
		flags.PathVar(&o.ImageEmbeddings[k], "image-embeddings-"+side, "`array` [N, D] of the embeddings of the "+side+" screens")
	}
	flags.PathVar(&o.Rows, "embeddings-ids", "`file` that names the cases of the rows of embeddings: one per line, or a list in JSON, "+
		"or the column case_id of a table; without it the rows are those of --captions")
	flags.PathVar(&o.Sentence, "sentence-model",
		"`FILE.onnx` that makes embeddings of captions: ids of tokens in, hidden states or an embedding out")
	flags.PathVar(&o.Tokenizer, "tokenizer", "`tokenizer.json` of --sentence-model: WordPiece or byte-pair encoding")
	o.pool = string(latent.SentenceAuto)
	flags.CheckedVar(&o.pool, "sentence-pool", run.OneOf(latent.SentencePools()...), "how an embedding follows from the output of "+
		"--sentence-model: auto is the output sentence_embedding where there is one, else the mean of the tokens ("+
		strings.Join(latent.SentencePools(), ", ")+")")
	flags.PathVar(&o.Captioner, "captioner",
		"`folder` with a vision encoder and a decoder of text as Optimum exports them, which makes the captions that --captions lacks")
	o.CaptionTokens = latent.CaptionTokens
	flags.CountVar(&o.CaptionTokens, "caption-tokens", 1, "`N` tokens of a caption at most")
	flags.BoolVar(&o.Precompute, "precompute-semantic", false,
		"compute the scores of captions first and keep them in precomputed_blip_scores.json of --out, where later runs find them")
	flags.Alias("precompute-blip", "precompute-semantic")
	flags.Answer("precompute-blip", func(_ string, args []string) string {
		return "precompute_blip is --precompute-semantic here: canvas --precompute-semantic " +
			run.Without(args, "precompute_blip")
	})
	o.Vision.register(flags)
}

func (o *VisionSettings) register(flags *run.Flags) {
	flags.PathVar(&o.Path, "vision-model", "`FILE.onnx` that makes embeddings of screens: [1, 3, H, W] in")
	flags.PathVar(&o.Processor, "vision-preprocessor", "`preprocessor_config.json` of --vision-model, in place of the flags below")
	flags.CountVar(&o.Size, "vision-size", 0, "`N` to which both sides of a screen are resized for --vision-model; 0: as its file fixes them")
	o.Preset = "clip"
	flags.CheckedVar(&o.Preset, "vision-normalize", run.OneOf("clip", "imagenet"),
		"means and standard deviations that --vision-model expects (clip, imagenet)")
	numbers := func(name, usage string, into *[]float64) {
		flags.Func(name, usage, func(text string) (err error) {
			*into, err = parseChannels(text)
			return err
		})
	}
	numbers("vision-mean", "`M` or one per channel, subtracted from pixels of 0..1, in place of those of --vision-normalize", &o.Mean)
	numbers("vision-std", "`S` or one per channel, by which pixels are divided after that", &o.Std)
	o.pool = string(latent.SentenceAuto)
	pools := []string{string(latent.SentenceAuto), string(latent.SentenceMean), string(latent.SentenceFirst)}
	flags.CheckedVar(&o.pool, "vision-pool", run.OneOf(pools...),
		"how an embedding follows from the states of patches ("+strings.Join(pools, ", ")+")")
}

func (o *SemanticSettings) check() error {
	o.Pool, o.Vision.Pool = latent.SentencePool(o.pool), latent.SentencePool(o.Vision.pool)
	for _, e := range []struct {
		name  string
		files [2]string
	}{{"embeddings", o.Embeddings}, {"image-embeddings", o.ImageEmbeddings}} {
		if (e.files[0] == "") != (e.files[1] == "") {
			return run.Usage("--%s-reference and --%s-generated go together", e.name, e.name)
		}
	}
	switch {
	case o.Rows != "" && o.Embeddings[0] == "" && o.ImageEmbeddings[0] == "":
		return run.Usage("--embeddings-ids needs --embeddings-reference and --embeddings-generated, or the same of --image-embeddings")
	case o.Sentence != "" && o.Tokenizer == "":
		return run.Usage("--sentence-model needs --tokenizer, the tokenizer.json beside it")
	case o.Sentence == "" && o.Tokenizer != "":
		return run.Usage("--tokenizer is that of --sentence-model, which is not given")
	case o.Sentence != "" && o.Embeddings[0] != "":
		return run.Usage("--sentence-model and --embeddings-reference: want one or the other")
	case o.Captioner != "" && o.Sentence == "":
		return run.Usage("--captioner needs --sentence-model and --tokenizer, by which captions are compared")
	case o.Precompute && o.Sentence == "" && o.Embeddings[0] == "":
		return run.Usage("--precompute-semantic needs --sentence-model and --tokenizer, with --captioner or --captions, " +
			"or --embeddings-reference and --embeddings-generated")
	}
	return o.Vision.check(o.ImageEmbeddings[0] != "")
}

// check finds wrong values; embeddings says that there are those of screens.
func (o *VisionSettings) check(embeddings bool) error {
	switch {
	case o.Path != "" && embeddings:
		return run.Usage("--vision-model and --image-embeddings-reference: want one or the other")
	case o.Path == "" && (o.Processor != "" || o.Size > 0 || o.Mean != nil || o.Std != nil):
		return run.Usage("--vision-preprocessor, -size, -mean and -std are those of --vision-model, which is not given")
	case o.Processor != "" && (o.Size > 0 || o.Mean != nil || o.Std != nil):
		return run.Usage("--vision-preprocessor stands in place of --vision-size, --vision-mean and --vision-std")
	}
	for _, v := range o.Std {
		if !(v > 0) {
			return run.Usage("--vision-std %v, want numbers above 0", v)
		}
	}
	for _, v := range o.Mean {
		if v > 1 || v < -1 {
			return run.Usage("--vision-mean %v is beyond pixels of 0..1", v)
		}
	}
	if err := (&latent.PictureProcessor{Height: o.Size, Width: o.Size}).Check(); err != nil {
		return run.Usage("--vision-size %d: %v", o.Size, err)
	}
	return nil
}

// processor is what screens go through.
func (o *VisionSettings) processor(read Reader) (latent.PictureProcessor, string, error) {
	if o.Processor != "" {
		data, err := read(o.Processor)
		if err != nil {
			return latent.PictureProcessor{}, "", fmt.Errorf("--vision-preprocessor: %w", run.PathError(err))
		}
		p, err := latent.ParsePictureProcessor(o.Processor, data)
		if err != nil {
			return latent.PictureProcessor{}, "", fmt.Errorf("--vision-preprocessor: %w", err)
		}
		return *p, digestOf(data), nil
	}
	p := latent.CLIPPictures(o.Size)
	if o.Preset == "imagenet" {
		p = latent.ImageNetPictures(o.Size)
	}
	for c := range 3 {
		p.Mean[c], p.Std[c] = channel(o.Mean, c, p.Mean[c]), channel(o.Std, c, p.Std[c])
	}
	return p, "", nil
}

// matchSource says where semantic_match comes from. What is given goes before what is found.
func (o *SemanticSettings) matchSource(s *Settings) string {
	switch {
	case o.Embeddings[0] != "":
		return "given embeddings of captions"
	case o.Captioner != "":
		return fmt.Sprintf("sentence model, pooling %s, of captions that are given, else made greedily of at most %d tokens of screens, alpha %s",
			o.Pool, o.CaptionTokens, s.Images.Alpha)
	case o.Sentence != "":
		return fmt.Sprintf("sentence model, pooling %s, of captions that are given", o.Pool)
	}
	return "stored scores"
}

// imageSource says where image_similarity comes from.
func (o *SemanticSettings) imageSource(s *Settings) string {
	v := &o.Vision
	switch {
	case o.ImageEmbeddings[0] != "":
		return "given embeddings of screens"
	case v.Path != "":
		return fmt.Sprintf("vision model, pooling %s, size %d, normalized as %s, mean %v, std %v, alpha %s", v.Pool, v.Size, v.Preset,
			v.Mean, v.Std, s.Images.Alpha)
	}
	return "none"
}

// open loads what all cases share, such as a model, before any case is scored. Errors name the
// file: it cannot be read, its rows do not tell their cases.
func (o *SemanticSettings) open(_ context.Context, env *run.Env, cases []Case, read Reader) error {
	s := &semantics{o: o}
	if err := s.load(env, cases, read); err != nil {
		s.close()
		return err
	}
	o.opened = s
	if env != nil {
		env.CloseLater(closer(s.close))
		env.Result.Inputs = append(env.Result.Inputs, s.files...)
		for _, w := range s.warnings {
			env.Warn("%s", w)
		}
		for _, n := range s.notes {
			env.Note("%s", n)
		}
	}
	return nil
}

// closer is a function as an io.Closer.
type closer func()

// Close calls the function.
func (c closer) Close() error {
	c()
	return nil
}

// identity are the files that all cases share, as path and digest.
func (o *SemanticSettings) identity() []string {
	if o.opened == nil {
		return nil
	}
	var out []string
	for _, f := range o.opened.files {
		out = append(out, f.Path+" "+f.SHA256)
	}
	return out
}
