// Package semantic has what two screens mean: captions, and embeddings of captions or of images, from files or from
// models.
package semantic

import (
	"fmt"

	"repscope/analysis/canvas/internal/screenshot"
	"repscope/analysis/canvas/internal/source"
	"repscope/internal/regular"
	"repscope/latent"
	"repscope/latent/picture"
)

// Options are where captions and embeddings come from.
type Options struct {
	// Scores is the file of scores that were computed earlier, which is read where it is there.
	// Empty: none.
	Scores string
	// Captions is a table of captions.
	Captions string
	// Embeddings of the captions, and ImageEmbeddings of the screens, are matrices with a row
	// for each case: of the references and of the generated designs.
	Embeddings, ImageEmbeddings [2]string
	// Rows is the file that names the cases of their rows.
	Rows string
	// Sentence is a model of sentences with its tokenizer.
	Sentence, Tokenizer string
	Pool                latent.SentencePool
	// Captioner is a folder with a model that makes the captions that the table does not have.
	Captioner     string
	CaptionTokens int
	Vision        VisionOptions

	opened *opened
}

// VisionOptions are a model of screens and what they go through before it.
type VisionOptions struct {
	Path, Processor string // the model, and a preprocessor_config.json in place of the rest
	Size            int
	Preset          string // "clip" or "imagenet": means and standard deviations
	Mean, Std       []float64
	Pool            latent.SentencePool
}

// The two designs of a case, as places of lists.
const (
	ofReference = iota
	ofGenerated
)

// Sides name them.
var Sides = [2]string{"reference", "generated"}

// processor is what screens go through.
func (o *VisionOptions) processor(read source.Reader) (picture.Processor, string, error) {
	if o.Processor != "" {
		data, err := read(o.Processor)
		if err != nil {
			return picture.Processor{}, "", fmt.Errorf("--vision-preprocessor: %w", regular.PathError(err))
		}
		p, err := picture.Parse(o.Processor, data)
		if err != nil {
			return picture.Processor{}, "", fmt.Errorf("--vision-preprocessor: %w", err)
		}
		return *p, source.DigestOf(data), nil
	}
	p := picture.CLIP(o.Size)
	if o.Preset == "imagenet" {
		p = picture.ImageNet(o.Size)
	}
	for c := range 3 {
		p.Mean[c], p.Std[c] = screenshot.Channel(o.Mean, c, p.Mean[c]), screenshot.Channel(o.Std, c, p.Std[c])
	}
	return p, "", nil
}

// MatchSource says where semantic_match comes from. Inputs of flags go before files of the tree.
func (o *Options) MatchSource(alpha string) string {
	switch {
	case o.Embeddings[0] != "":
		return "given embeddings of captions"
	case o.Captioner != "":
		return fmt.Sprintf("sentence model, pooling %s, of captions that are given, else made greedily of at most %d tokens of screens, alpha %s",
			o.Pool, o.CaptionTokens, alpha)
	case o.Sentence != "":
		return fmt.Sprintf("sentence model, pooling %s, of captions that are given", o.Pool)
	}
	return "stored scores"
}

// ImageSource says where image_similarity comes from.
func (o *Options) ImageSource(alpha string) string {
	v := &o.Vision
	switch {
	case o.ImageEmbeddings[0] != "":
		return "given embeddings of screens"
	case v.Path != "":
		return fmt.Sprintf("vision model, pooling %s, size %d, normalized as %s, mean %v, std %v, alpha %s", v.Pool, v.Size, v.Preset,
			v.Mean, v.Std, alpha)
	}
	return "none"
}
