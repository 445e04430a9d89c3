// The flags of captions and embeddings.

package command

import (
	"strings"

	"repscope/analysis/canvas/internal/semantic"
	"repscope/internal/run"
	"repscope/latent"
)

// semanticFlags are those of captions and embeddings.
type semanticFlags struct {
	*semantic.Options
	precompute bool // the scores of the cases are computed first, and kept in a file
}

func (o *semanticFlags) register(flags *run.Flags) {
	flags.PathVar(&o.Captions, "captions", "`table` of captions with the columns case_id, gt_caption and gen_caption")
	for k, side := range semantic.Sides {
		flags.PathVar(&o.Embeddings[k], "embeddings-"+side, "`array` [N, D] of the embeddings of the captions of the "+side+" designs")
		flags.PathVar(&o.ImageEmbeddings[k], "image-embeddings-"+side, "`array` [N, D] of the embeddings of the "+side+" screens")
	}
	flags.PathVar(&o.Rows, "embeddings-ids", "`file` that names the cases of the rows of embeddings: one per line, or a list in JSON, "+
		"or the column case_id of a table; without it the rows are those of --captions")
	flags.PathVar(&o.Sentence, "sentence-model",
		"`FILE.onnx` that makes embeddings of captions: ids of tokens in, hidden states or an embedding out")
	flags.PathVar(&o.Tokenizer, "tokenizer", "`tokenizer.json` of --sentence-model: WordPiece or byte-pair encoding")
	o.Pool = latent.SentenceAuto
	flags.CheckedVar((*string)(&o.Pool), "sentence-pool", run.OneOf(latent.SentencePools()...),
		"how an embedding follows from the output of --sentence-model: auto is the output sentence_embedding "+
			"where there is one, else the mean of the tokens ("+strings.Join(latent.SentencePools(), ", ")+")")
	flags.PathVar(&o.Captioner, "captioner",
		"`folder` with a vision encoder and a decoder of text as Optimum exports them, which makes the captions that --captions lacks")
	o.CaptionTokens = latent.CaptionTokens
	flags.CountVar(&o.CaptionTokens, "caption-tokens", 1, "`N` tokens of a caption at most")
	flags.BoolVar(&o.precompute, "precompute-semantic", false,
		"compute the scores of captions first and keep them in precomputed_blip_scores.json of --out, where later runs find them")
	flags.Alias("precompute-blip", "precompute-semantic")
	flags.Answer("precompute-blip", func(_ string, args []string) string {
		return "precompute_blip is --precompute-semantic here: canvas --precompute-semantic " +
			run.Without(args, "precompute_blip")
	})
	registerVision(flags, &o.Vision)
}

// registerVision adds those of a model of screens.
func registerVision(flags *run.Flags, o *semantic.VisionOptions) {
	flags.PathVar(&o.Path, "vision-model", "`FILE.onnx` that makes embeddings of screens: [1, 3, H, W] in")
	flags.PathVar(&o.Processor, "vision-preprocessor", "`preprocessor_config.json` of --vision-model, in place of the flags below")
	flags.CountVar(&o.Size, "vision-size", 0, "`N` to which both sides of a screen are resized for --vision-model; 0: as its file fixes them")
	o.Preset = "clip"
	flags.CheckedVar(&o.Preset, "vision-normalize", run.OneOf("clip", "imagenet"),
		"means and standard deviations that --vision-model expects (clip, imagenet)")
	channelsFlag(flags, &o.Mean, "vision-mean",
		"`M` or one per channel, subtracted from pixels of 0..1, in place of those of --vision-normalize")
	channelsFlag(flags, &o.Std, "vision-std", "`S` or one per channel, by which pixels are divided after that")
	o.Pool = latent.SentenceAuto
	pools := []string{string(latent.SentenceAuto), string(latent.SentenceMean), string(latent.SentenceFirst)}
	flags.CheckedVar((*string)(&o.Pool), "vision-pool", run.OneOf(pools...),
		"how an embedding follows from the states of patches ("+strings.Join(pools, ", ")+")")
}

func (o *semanticFlags) check() error {
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
	case o.precompute && o.Sentence == "" && o.Embeddings[0] == "":
		return run.Usage("--precompute-semantic needs --sentence-model and --tokenizer, with --captioner or --captions, " +
			"or --embeddings-reference and --embeddings-generated")
	}
	return checkVision(&o.Vision, o.ImageEmbeddings[0] != "")
}

// checkVision finds wrong values; embeddings says that there are those of screens.
func checkVision(o *semantic.VisionOptions, embeddings bool) error {
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
