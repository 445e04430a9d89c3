// What a case has: captions, and how alike captions and screens are.

package semantic

import (
	"math"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
)

// CaptionsOf are the captions of the reference and the generated design; empty if there is none. The
// table goes first; then, if a model compares them, the captioner; then stored captions.
func (o *Options) CaptionsOf(p *design.Screens) (out [2]string, err error) {
	s := o.opened
	if s == nil {
		return out, nil
	}
	id := p.Case.FileName()
	if c := s.captions[id]; c != nil {
		out = [2]string{c.Reference, c.Generated}
	}
	for k, view := range [2]*design.View{p.Reference, p.Generated} {
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

// Match is the score of a case whose captions are known.
func (o *Options) Match(p *design.Screens, captions [2]string) (float64, error) {
	const nothing = "needs stored scores, caption embeddings or a sentence model"
	s := o.opened
	if s == nil {
		return 0, source.Absentf(nothing)
	}
	id := p.Case.FileName()
	switch {
	case s.texts != nil:
		return s.texts.similarity(id, "captions")
	case s.sentence != nil:
		return s.compare(p.Context, id, captions)
	case s.scores[id] != nil:
		if v := s.scores[id].Score; !math.IsNaN(v) {
			return v, nil
		}
		return 0, source.Absentf("the stored score of %s is null", id)
	case s.scores != nil:
		return 0, source.Absentf("%s has no score of %s", s.o.Scores, id)
	case captions[ofReference] != "" && captions[ofGenerated] != "":
		return 0, source.Absentf("captions need a sentence model or caption embeddings")
	}
	return 0, source.Absentf(nothing)
}

// ImageSimilarity is the cosine of the embeddings of both screens.
func (o *Options) ImageSimilarity(p *design.Screens) (float64, error) {
	s := o.opened
	switch {
	case s != nil && s.images != nil:
		return s.images.similarity(p.Case.FileName(), "screens")
	case s == nil || s.vision == nil:
		return 0, source.Absentf("needs a vision model or screen embeddings")
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
