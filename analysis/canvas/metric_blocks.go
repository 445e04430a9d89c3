// Texts of the generated design compared with the texts of the reference: words, positions and colors.

package canvas

import (
	"math"
	"strings"

	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/textblock"
	"repscope/measure/text"
	"repscope/report"
)

// blocks are what Design2Code measures of text blocks (Si et al. 2024), and how many letters and words are right.
var blocks = Kind{
	Name:  "blocks",
	About: "texts matched by content: their area, wording, position and color",
	Needs: NeedDesigns,
	Keys: []Key{
		{Name: "block_match", About: "area of texts matched by content over the area of all texts of both designs",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "text_similarity", About: "mean over matched texts of 1 − edit distance over letters",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "text_f1", About: "F1 of the words of both designs, as multisets",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "text_cer",
			About:     "character error rate: wrong, missing and additional letters over the letters of the reference",
			Direction: report.Lower, High: unbounded, Compared: true, Improved: true},
		{Name: "position_similarity",
			About:     "mean over matched texts of 1 − the larger distance of the centers, across or down, in canvas sizes",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "color_difference", About: "mean color difference of matched texts",
			Unit: "CIEDE2000", Direction: report.Lower, High: unbounded, Compared: true, Improved: true},
		{Name: "color_similarity", About: "1 − color difference/100 of matched texts",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
	},
	Definition: func(o *Setting) string {
		return "2; texts as they are shown, in NFKC; similarity: " + o.Content.similarity() + "; pairs of the largest sum of similarities of at least 0.5; " +
			"siblings that gain 0.05 by it are one text"
	},
	Score: scoreBlocks,
}

func scoreBlocks(p *Pair, row *Row) error {
	t, err := p.texts()
	if err != nil {
		return err
	}
	row.Details["text_blocks"] = []int{len(t.Reference), len(t.Generated)}
	row.Details["text_blocks_matched"] = len(t.Pairs)
	if len(t.Reference)+len(t.Generated) == 0 {
		return source.Absentf("neither design has a text")
	}
	scoreWords(t, row)
	scoreArea(t, row)
	if len(t.Pairs) == 0 {
		return source.Absentf("no text of the generated design matches a text of the reference")
	}
	var similarity, position float64
	for _, pair := range t.Pairs {
		a, b := t.Reference[pair.Reference].Box, t.Generated[pair.Generated].Box
		dx, dy := math.Abs(a.X0+a.X1-b.X0-b.X1)/2, math.Abs(a.Y0+a.Y1-b.Y0-b.Y1)/2
		similarity += pair.Similarity
		position += max(0, 1-max(dx, dy))
	}
	n := float64(len(t.Pairs))
	row.Set("text_similarity", similarity/n)
	row.Set("position_similarity", position/n)
	scoreColors(t, row)
	return nil
}

// scoreArea enters the area of matched texts over the area of all texts, of both designs.
func scoreArea(t *textblock.Blocks, row *Row) {
	matched, all := 0., 0.
	inPair := [2][]bool{make([]bool, len(t.Reference)), make([]bool, len(t.Generated))}
	for _, pair := range t.Pairs {
		inPair[0][pair.Reference], inPair[1][pair.Generated] = true, true
	}
	for side, blocks := range [][]textblock.Block{t.Reference, t.Generated} {
		for i := range blocks {
			all += blocks[i].Area
			if inPair[side][i] {
				matched += blocks[i].Area
			}
		}
	}
	if all == 0 {
		row.Undefined("block_match", "no text has an area")
		return
	}
	row.Set("block_match", matched/all)
}

// scoreWords enters the overlap of words, and the errors of letters: of pairs, and all letters of unmatched
// texts, over the letters of the reference.
func scoreWords(t *textblock.Blocks, row *Row) {
	row.Set("text_f1", text.WordF1(joinTexts(t.Reference), joinTexts(t.Generated)))
	errors, letters := 0, 0
	for i := range t.Reference {
		letters += len(t.Reference[i].Letters)
	}
	errors = letters
	for i := range t.Generated {
		errors += len(t.Generated[i].Letters)
	}
	var c text.Comparer[rune]
	for _, pair := range t.Pairs {
		a, b := c.Encode([]rune(t.Reference[pair.Reference].Text)), c.Encode([]rune(t.Generated[pair.Generated].Text))
		errors += c.Distance(a, b) - len(a) - len(b)
	}
	if letters == 0 {
		row.Undefined("text_cer", "the reference has no text")
		return
	}
	row.Set("text_cer", float64(errors)/float64(letters))
}

// joinTexts puts all texts one below the other.
func joinTexts(blocks []textblock.Block) string {
	var all strings.Builder
	for i := range blocks {
		all.WriteString(blocks[i].Text)
		all.WriteByte('\n')
	}
	return all.String()
}

// scoreColors enters the differences of the colors of pairs, where both are known.
func scoreColors(t *textblock.Blocks, row *Row) {
	var difference, similarity float64
	n := 0
	for _, pair := range t.Pairs {
		d, ok := t.Reference[pair.Reference].Difference(&t.Generated[pair.Generated])
		if !ok {
			continue
		}
		n++
		difference += d
		similarity += max(0, 1-d/100)
	}
	row.Details["text_colors_unknown"] = len(t.Pairs) - n
	if n == 0 {
		const reason = "no matched text has a color (fills are missing, gradients or images)"
		row.Undefined("color_difference", reason)
		row.Undefined("color_similarity", reason)
		return
	}
	row.Set("color_difference", difference/float64(n))
	row.Set("color_similarity", similarity/float64(n))
}
