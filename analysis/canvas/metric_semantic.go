// How alike two designs are in what they mean: their captions, and their screens as a whole.

package canvas

import "repscope/report"

// semanticMatch is the cosine of the embeddings of both captions, in [−1, 1] and 1 of equal
// ones, from the first of these inputs: matrices of embeddings; a sentence model, run on the
// captions; else the score that was computed earlier and stored, as it is. A case without one of
// its captions has none.
var semanticMatch = Kind{
	Name: "semantic", About: "cosine similarity between the embeddings of both captions",
	Needs:      NeedSemantic,
	Keys:       []Key{{Name: "semantic_match", Direction: report.Higher, Low: -1, High: 1, Compared: true, Improved: true}},
	Definition: func(o *Setting) string { return "1; cosine of captions: " + o.Semantic.MatchSource(o.Images.Alpha) },
	Score:      scoreSemantic,
}

// imageSimilarity is the cosine of the embeddings of both screens, in [−1, 1] and 1 of equal
// ones: of matrices of embeddings, else of a vision encoder.
var imageSimilarity = Kind{
	Name: "image_similarity", About: "cosine similarity between the embeddings of both screens",
	Needs:      NeedSemantic,
	Keys:       []Key{{Name: "image_similarity", Direction: report.Higher, Low: -1, High: 1, Compared: true, Improved: true}},
	Definition: func(o *Setting) string { return "1; cosine of screens: " + o.Semantic.ImageSource(o.Images.Alpha) },
	Score: func(p *Pair, row *Row) error {
		v, err := p.Settings.Semantic.ImageSimilarity(&p.Screens)
		if err != nil {
			return err
		}
		row.Set("image_similarity", v)
		return nil
	},
}

func scoreSemantic(p *Pair, row *Row) error {
	captions, err := p.Settings.Semantic.CaptionsOf(&p.Screens)
	for k, key := range [2]string{"gt_caption", "gen_caption"} {
		if captions[k] != "" {
			row.Details[key] = captions[k]
		}
	}
	if err != nil {
		return err
	}
	v, err := p.Settings.Semantic.Match(&p.Screens, captions)
	if err != nil {
		return err
	}
	row.Set("semantic_match", v)
	return nil
}
