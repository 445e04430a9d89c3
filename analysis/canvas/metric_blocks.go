// Texts of the generated design beside those of the reference: what they say, where they are and in what color.

package canvas

import (
	"math"
	"strings"

	"repscope/measure/text"
	"repscope/report"
)

// blocks are what Design2Code measures of text blocks (Si et al. 2024), and how many letters and words are right.
var blocks = Kind{
	Name:  "blocks",
	About: "texts that are matched by what they say: their area, wording, place and color",
	Needs: NeedDesigns,
	Keys: []Key{
		{Name: "block_match", Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "text_similarity", Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "text_f1", Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "text_cer", Direction: report.Lower, High: unbounded, Compared: true, Improved: true},
		{Name: "position_similarity", Direction: report.Higher, High: 1, Compared: true, Improved: true},
		{Name: "color_difference", Unit: "CIEDE2000", Direction: report.Lower, High: unbounded, Compared: true, Improved: true},
		{Name: "color_similarity", Direction: report.Higher, High: 1, Compared: true, Improved: true},
	},
	Definition: func(o *Settings) string {
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
	row.Details["text_blocks"] = []int{len(t.reference), len(t.generated)}
	row.Details["text_blocks_matched"] = len(t.pairs)
	if len(t.reference)+len(t.generated) == 0 {
		return absent("neither design has a text")
	}
	scoreWords(t, row)
	scoreArea(t, row)
	if len(t.pairs) == 0 {
		return absent("no text of the generated design is like one of the reference")
	}
	var similarity, position float64
	for _, pair := range t.pairs {
		a, b := t.reference[pair.reference].box, t.generated[pair.generated].box
		dx, dy := math.Abs(a.X0+a.X1-b.X0-b.X1)/2, math.Abs(a.Y0+a.Y1-b.Y0-b.Y1)/2
		similarity += pair.similarity
		position += max(0, 1-max(dx, dy))
	}
	n := float64(len(t.pairs))
	row.Set("text_similarity", similarity/n)
	row.Set("position_similarity", position/n)
	scoreColors(t, row)
	return nil
}

// scoreArea enters the area of matched texts of both designs over that of all texts of both.
func scoreArea(t *textBlocks, row *Row) {
	matched, all := 0., 0.
	inPair := [2][]bool{make([]bool, len(t.reference)), make([]bool, len(t.generated))}
	for _, pair := range t.pairs {
		inPair[0][pair.reference], inPair[1][pair.generated] = true, true
	}
	for side, blocks := range [][]textBlock{t.reference, t.generated} {
		for i := range blocks {
			all += blocks[i].area
			if inPair[side][i] {
				matched += blocks[i].area
			}
		}
	}
	if all == 0 {
		row.Undefined("block_match", "no text has an area")
		return
	}
	row.Set("block_match", matched/all)
}

// scoreWords enters the overlap of words, and the errors of letters: those of pairs, and all letters of the other texts,
// over the letters of the reference.
func scoreWords(t *textBlocks, row *Row) {
	row.Set("text_f1", text.WordF1(joinTexts(t.reference), joinTexts(t.generated)))
	errors, letters := 0, 0
	for i := range t.reference {
		letters += len(t.reference[i].letters)
	}
	errors = letters
	for i := range t.generated {
		errors += len(t.generated[i].letters)
	}
	var c text.Comparer[rune]
	for _, pair := range t.pairs {
		a, b := c.Encode([]rune(t.reference[pair.reference].text)), c.Encode([]rune(t.generated[pair.generated].text))
		errors += c.Distance(a, b) - len(a) - len(b)
	}
	if letters == 0 {
		row.Undefined("text_cer", "the reference has no text")
		return
	}
	row.Set("text_cer", float64(errors)/float64(letters))
}

// joinTexts puts all texts one below the other.
func joinTexts(blocks []textBlock) string {
	var all strings.Builder
	for i := range blocks {
		all.WriteString(blocks[i].text)
		all.WriteByte('\n')
	}
	return all.String()
}

// scoreColors enters the differences of the colors of pairs, where both are known.
func scoreColors(t *textBlocks, row *Row) {
	var difference, similarity float64
	n := 0
	for _, pair := range t.pairs {
		d, known := t.reference[pair.reference].difference(&t.generated[pair.generated])
		if !known {
			continue
		}
		n++
		difference += d
		similarity += max(0, 1-d/100)
	}
	row.Details["text_colors_unknown"] = len(t.pairs) - n
	if n == 0 {
		const reason = "no matched text has a color: fills are missing, gradients or images"
		row.Undefined("color_difference", reason)
		row.Undefined("color_similarity", reason)
		return
	}
	row.Set("color_difference", difference/float64(n))
	row.Set("color_similarity", similarity/float64(n))
}
