// Texts of two designs.

package canvas

import (
	"context"
	"strings"

	"repscope/dataset"
	"repscope/measure/box"
	"repscope/measure/color"
	"repscope/measure/text"
)

// textBlock is a text of a design, or several siblings that are one text of the other design.
type textBlock struct {
	text    string // normalized, without white space at its ends, and with single spaces within
	letters text.Sequence
	count   letterCounts
	parent  int // node
	box     box.Box
	area    float64 // of the canvas
	inked   inked
	large   bool // by the rule of WCAG for large text
}

// textBlocks are the texts of both designs and how they are matched.
type textBlocks struct {
	reference, generated []textBlock
	pairs                []textPair // by the index of the reference
}

// textPair are the indexes of texts that belong together.
type textPair struct {
	reference, generated int
	similarity           float64
}

// matchTexts finds the texts of two designs and which of them belong together; byBlocks compares them by matching blocks,
// else by edit distance.
func matchTexts(ctx context.Context, reference, generated *Layout, byBlocks bool) (*textBlocks, error) {
	var t textBlocks
	var err error
	if t.reference, err = newTextBlocks(reference); err != nil {
		return nil, err
	}
	if t.generated, err = newTextBlocks(generated); err != nil {
		return nil, err
	}
	return &t, t.match(ctx, byBlocks)
}

// newTextBlocks returns the texts of a design that are shown, have a box and any letters, in its order.
func newTextBlocks(l *Layout) ([]textBlock, error) {
	painting := newPainting(l)
	var blocks []textBlock
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
			return nil, absent("the colors of the texts are too many to be found: more than %d boxes would be held against them", paintSteps)
		}
		blocks = append(blocks, textBlock{text: t, parent: n.Parent, box: e.Box, area: e.Box.Area(), inked: colors, large: large(n)})
	}
	return blocks, nil
}

// large reports whether a text is large by WCAG 2: 18 points (24 pixels), or 14 points (18.66 pixels) and bold. One
// of unknown size is not.
func large(n *dataset.Node) bool {
	return n.FontSize >= 24 || n.FontSize >= 18.66 && n.FontWeight >= 700
}

// difference is the CIEDE2000 of the colors of two texts; false where one is not known.
func (b *textBlock) difference(other *textBlock) (float64, bool) {
	if !b.inked.textKnown || !other.inked.textKnown {
		return 0, false
	}
	return color.CIEDE2000(b.inked.text.Lab(), other.inked.text.Lab()), true
}
