// The flags of captions and embeddings.

package command

import (
	"strings"

	"repscope/analysis/canvas/internal/semantic"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/latent/picture"
)

// semanticFlags are the flags of captions and embeddings.
type semanticFlags struct {
	*semantic.Options
	precompute bool // the scores of the cases are computed first, and kept in a file
}

// Declare lists the options.
func (o *semanticFlags) Declare(l *option.List) {
	l.Path(&o.Captions, "captions", "`table` of captions with the columns case_id, gt_caption and gen_caption").Reads()
	for k, side := range semantic.Sides {
		l.Path(&o.Embeddings[k], "embeddings-"+side, "`array` [N, D] of the embeddings of the captions of the "+side+" designs").Reads()
		l.Path(&o.ImageEmbeddings[k], "image-embeddings-"+side, "`array` [N, D] of the embeddings of the "+side+" screens").Reads()
	}
	l.Path(&o.Rows, "embeddings-ids", "`file` with the case of each row of embeddings: one per line, a JSON "+
		"list, or the column case_id of a table (default: the rows of --captions)").Reads()
	l.Path(&o.Sentence, "sentence-model",
		"`FILE.onnx` that embeds captions: input token ids, output hidden states or an embedding").Reads()
	l.Path(&o.Tokenizer, "tokenizer", "`tokenizer.json` of --sentence-model: WordPiece or byte-pair encoding").Reads()
	o.Pool = latent.SentenceAuto
	l.OneOf((*string)(&o.Pool), "sentence-pool", latent.SentencePools(),
		"pooling of the output of --sentence-model: auto uses the output sentence_embedding if present, otherwise "+
			"the mean over tokens ("+strings.Join(latent.SentencePools(), ", ")+")")
	l.Path(&o.Captioner, "captioner",
		"`folder` with a vision encoder and a text decoder exported by Optimum, to generate captions missing in "+
			"--captions").Reads()
	o.CaptionTokens = latent.CaptionTokens
	l.Int(&o.CaptionTokens, "caption-tokens", "largest number `N` of tokens in a caption").AtLeast(1)
	l.Bool(&o.precompute, "precompute-semantic",
		"first compute the caption scores and write them to precomputed_blip_scores.json in --out, for later runs").
		Alias("precompute-blip")
	declareVision(l, &o.Vision)
}

// declareVision lists the options of a model of screens.
func declareVision(l *option.List, o *semantic.VisionOptions) {
	l.Path(&o.Path, "vision-model", "`FILE.onnx` that embeds screens: input [1, 3, H, W]").Reads()
	l.Path(&o.Processor, "vision-preprocessor",
		"`preprocessor_config.json` of --vision-model, instead of the flags below").Reads()
	l.Int(&o.Size, "vision-size", "side `N` of screens resized for --vision-model; 0: as fixed by its file").AtLeast(0)
	o.Preset = "clip"
	l.OneOf(&o.Preset, "vision-normalize", []string{"clip", "imagenet"},
		"means and standard deviations that --vision-model expects (clip, imagenet)")
	l.Var(&channels{&o.Mean}, "vision-mean",
		"mean `M`, or one per channel, subtracted from pixels of 0..1; replaces --vision-normalize")
	l.Var(&channels{&o.Std}, "vision-std", "divisor `S`, or one per channel, applied after the mean")
	o.Pool = latent.SentenceAuto
	pools := []string{string(latent.SentenceAuto), string(latent.SentenceMean), string(latent.SentenceFirst)}
	l.OneOf((*string)(&o.Pool), "vision-pool", pools,
		"pooling of patch states to an embedding ("+strings.Join(pools, ", ")+")")
}

func (o *semanticFlags) check() error {
	for _, e := range []struct {
		name  string
		files [2]string
	}{{"embeddings", o.Embeddings}, {"image-embeddings", o.ImageEmbeddings}} {
		if (e.files[0] == "") != (e.files[1] == "") {
			return run.Usage("--%s-reference and --%s-generated must be given together", e.name, e.name)
		}
	}
	switch {
	case o.Rows != "" && o.Embeddings[0] == "" && o.ImageEmbeddings[0] == "":
		return run.Usage(
			"--embeddings-ids needs --embeddings-reference and --embeddings-generated, or the --image-embeddings pair")
	case o.Sentence != "" && o.Tokenizer == "":
		return run.Usage("--sentence-model needs --tokenizer, the tokenizer.json next to it")
	case o.Sentence == "" && o.Tokenizer != "":
		return run.Usage("--tokenizer needs --sentence-model")
	case o.Sentence != "" && o.Embeddings[0] != "":
		return run.Usage("give either --sentence-model or --embeddings-reference, not both")
	case o.Captioner != "" && o.Sentence == "":
		return run.Usage("--captioner needs --sentence-model and --tokenizer to compare captions")
	case o.precompute && o.Sentence == "" && o.Embeddings[0] == "":
		return run.Usage("--precompute-semantic needs --sentence-model and --tokenizer, with --captioner or --captions, " +
			"or --embeddings-reference and --embeddings-generated")
	}
	return checkVision(&o.Vision, o.ImageEmbeddings[0] != "")
}

// checkVision finds wrong values; embeddings says that screens have embeddings.
func checkVision(o *semantic.VisionOptions, embeddings bool) error {
	switch {
	case o.Path != "" && embeddings:
		return run.Usage("give either --vision-model or --image-embeddings-reference, not both")
	case o.Path == "" && (o.Processor != "" || o.Size > 0 || o.Mean != nil || o.Std != nil):
		return run.Usage("--vision-preprocessor, -size, -mean and -std need --vision-model")
	case o.Processor != "" && (o.Size > 0 || o.Mean != nil || o.Std != nil):
		return run.Usage("--vision-preprocessor replaces --vision-size, --vision-mean and --vision-std; remove them")
	}
	for _, v := range o.Std {
		if !(v > 0) {
			return run.Usage("--vision-std %v, want numbers above 0", v)
		}
	}
	for _, v := range o.Mean {
		if v > 1 || v < -1 {
			return run.Usage("--vision-mean %v is outside the pixel range 0..1", v)
		}
	}
	if err := (&picture.Processor{Height: o.Size, Width: o.Size}).Check(); err != nil {
		return run.Usage("--vision-size %d: %v", o.Size, err)
	}
	return nil
}
