// How alike two designs are in what they mean: their captions, and their screens as a whole.

package canvas

import (
	"math"

	"repscope/report"
)

// semanticMatch is the cosine of the embeddings of both captions, in [−1, 1] and 1 of equal
// ones, from what was given, in this order: matrices of embeddings; a sentence model, run on the
// captions; else the score that was computed earlier and stored, as it is. A case without one of
// its captions has none.
var semanticMatch = Kind{
	Name: "semantic", About: "cosine of the embeddings of both captions",
	Needs:      NeedSemantic,
	Keys:       []Key{{Name: "semantic_match", Direction: report.Higher, Low: -1, High: 1, Compared: true, Improved: true}},
	Definition: func(o *Settings) string { return "1; cosine of captions: " + o.Semantic.matchSource(o) },
	Score:      scoreSemantic,
}

// imageSimilarity is the cosine of the embeddings of both screens, in [−1, 1] and 1 of equal
// ones: of matrices of embeddings, else of a vision encoder.
var imageSimilarity = Kind{
	Name: "image_similarity", About: "cosine of the embeddings of both screens",
	Needs:      NeedSemantic,
	Keys:       []Key{{Name: "image_similarity", Direction: report.Higher, Low: -1, High: 1, Compared: true, Improved: true}},
	Definition: func(o *Settings) string { return "1; cosine of screens: " + o.Semantic.imageSource(o) },
	Score: func(p *Pair, row *Row) error {
		v, err := p.imageSimilarity()
		if err != nil {
			return err
		}
		row.Set("image_similarity", v)
		return nil
	},
}

func scoreSemantic(p *Pair, row *Row) error {
	captions, err := p.captions()
	for k, key := range [2]string{"gt_caption", "gen_caption"} {
		if captions[k] != "" {
			row.Details[key] = captions[k]
		}
	}
	if err != nil {
		return err
	}
	v, err := p.semanticMatch(captions)
	if err != nil {
		return err
	}
	row.Set("semantic_match", v)
	return nil
}

// captions are those of the reference and the generated design; empty where there is none. The
// table goes first; then, where a model compares them, the captioner; then what was stored.
func (p *Pair) captions() (out [2]string, err error) {
	s := p.Settings.Semantic.opened
	if s == nil {
		return out, nil
	}
	id := caseName(p.Case)
	if c := s.captions[id]; c != nil {
		out = [2]string{c.Reference, c.Generated}
	}
	for k, view := range [2]*View{p.Reference, p.Generated} {
		if out[k] == "" && s.captioner != nil {
			if out[k], err = s.captionOf(p, view); err != nil {
				return out, err
			}
		}
	}
	if c := s.scores[id]; c != nil && s.captioner == nil && s.captions[id] == nil {
		out = [2]string{c.Reference, c.Generated}
	}
	return out, nil
}

// semanticMatch is the score of a case whose captions are known.
func (p *Pair) semanticMatch(captions [2]string) (float64, error) {
	const nothing = "neither stored scores nor embeddings of captions are given, nor a sentence model"
	s := p.Settings.Semantic.opened
	if s == nil {
		return 0, absent(nothing)
	}
	id := caseName(p.Case)
	switch {
	case s.texts != nil:
		return s.texts.similarity(id, "captions")
	case s.sentence != nil:
		return s.compare(p.ctx, id, captions)
	case s.scores[id] != nil:
		if v := s.scores[id].Score; !math.IsNaN(v) {
			return v, nil
		}
		return 0, absent("the stored score of %s is null", id)
	case s.scores != nil:
		return 0, absent("%s has no score of %s", s.o.Scores, id)
	case captions[ofReference] != "" && captions[ofGenerated] != "":
		return 0, absent("there are captions, but neither a sentence model nor embeddings of them")
	}
	return 0, absent(nothing)
}

// imageSimilarity is the cosine of the embeddings of both screens.
func (p *Pair) imageSimilarity() (float64, error) {
	s := p.Settings.Semantic.opened
	switch {
	case s != nil && s.images != nil:
		return s.images.similarity(caseName(p.Case), "screens")
	case s == nil || s.vision == nil:
		return 0, absent("neither a vision model nor embeddings of screens are given")
	}
	reference, err := s.embedScreen(p, p.Reference)
	if err != nil {
		return 0, err
	}
	generated, err := s.embedScreen(p, p.Generated)
	if err != nil {
		return 0, err
	}
	return cosine(reference, generated)
}
