// Package textblock has the texts of designs: what they say, where, in which colors, and which texts of two designs
// belong together.
package textblock

import (
	"strings"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/source"
	"repscope/dataset/casefile"
	"repscope/measure/box"
	"repscope/measure/color"
	"repscope/measure/text"
)

// Block is a text of a design, or several siblings that are one text of the other design.
type Block struct {
	Text    string // normalized, without white space at its ends, and with single spaces within
	Letters text.Sequence
	count   letterCounts
	parent  int // node
	Box     box.Box
	Area    float64 // of the canvas
	Inked   Colors
	Large   bool // by the rule of WCAG for large text
}

// Blocks are the texts of both designs and how they are matched.
type Blocks struct {
	Reference, Generated []Block
	Pairs                []BlockPair // by the index of the reference
}

// BlockPair are the indexes of texts that belong together.
type BlockPair struct {
	Reference, Generated int
	Similarity           float64
}

// Find returns the texts of a design that are shown, have a box and any letters, in its order.
func Find(l *design.Layout) ([]Block, error) {
	painting := newPainting(l)
	var blocks []Block
	for _, e := range l.Elements {
		n := &l.Nodes[e.Node]
		if n.Type != "TEXT" {
			continue
		}
		t := strings.Join(strings.Fields(text.Normalize(n.Characters)), " ")
		if t == "" {
			continue
		}
		colors, ok := painting.at(e)
		if !ok {
			return nil, source.Absentf(
				"too many boxes to determine the colors of texts: more than %d comparisons", paintSteps)
		}
		blocks = append(blocks, Block{Text: t, parent: n.Parent, Box: e.Box, Area: e.Box.Area(), Inked: colors,
			Large: large(n)})
	}
	return blocks, nil
}

// large reports whether a text is large by WCAG 2: 18 points (24 pixels), or 14 points (18.66 pixels) and bold. One
// of unknown size is not.
func large(n *casefile.Node) bool {
	return n.FontSize >= 24 || n.FontSize >= 18.66 && n.FontWeight >= 700
}

// Difference is the CIEDE2000 of the colors of two texts; false where one is not known.
func (b *Block) Difference(other *Block) (float64, bool) {
	if !b.Inked.TextKnown || !other.Inked.TextKnown {
		return 0, false
	}
	return color.CIEDE2000(b.Inked.Text.Lab(), other.Inked.Text.Lab()), true
}
