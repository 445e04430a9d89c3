// Texts of two designs, matched by their content; and the tools that were called.

package canvas

import (
	"strings"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/measure/box"
	"repscope/measure/color"
	"repscope/measure/text"
)

// The values of --text-similarity.
const (
	editSimilarity  = "edit"
	blockSimilarity = "blocks"
)

// ContentSettings are those of texts, colors, trees and tools. The zero value is that of the flags'
// defaults.
type ContentSettings struct {
	TextSimilarity string // "edit" or "blocks"
}

func (o *ContentSettings) register(flags *run.Flags) {
	o.TextSimilarity = editSimilarity
	flags.CheckedVar(&o.TextSimilarity, "text-similarity", run.OneOf(editSimilarity, blockSimilarity),
		"how texts are compared: by edit distance, or by matching blocks as Python's difflib finds them, which Design2Code uses (edit, blocks)")
}

func (o *ContentSettings) check() error { return nil }

// similarity says in words how texts are compared.
func (o *ContentSettings) similarity() string {
	if o.TextSimilarity == blockSimilarity {
		return "letters in matching blocks (Ratcliff and Obershelp), 2·M/T"
	}
	return "1 − edit distance/letters of the longer"
}

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

// texts reads the texts of both designs and matches them.
func (p *Pair) texts() (*textBlocks, error) {
	return p.blocks.get(func() (*textBlocks, error) {
		reference, generated, err := p.Layouts()
		if err != nil {
			return nil, err
		}
		var t textBlocks
		if t.reference, err = newTextBlocks(reference); err != nil {
			return nil, err
		}
		if t.generated, err = newTextBlocks(generated); err != nil {
			return nil, err
		}
		return &t, t.match(p.ctx, p.Settings.Content.TextSimilarity == blockSimilarity)
	})
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

// trace reads what was called.
func (p *Pair) traces() (*dataset.Trace, error) {
	return p.trace.get(func() (*dataset.Trace, error) {
		t, err := p.readTrace("trace", append([]string{p.Case.Trace}, p.Case.StepTraces...)...)
		if n := len(p.Case.StepTraces); err == nil && t.Steps == nil && n > 0 && p.Case.Snapshot < 0 {
			t.Steps = &n
		}
		return t, err
	})
}

// expectedTrace reads what should have been called.
func (p *Pair) expectedTrace() (*dataset.Trace, error) {
	return p.expected.get(func() (*dataset.Trace, error) {
		t, err := p.readTrace("expected trace", p.Case.ExpectedTrace)
		if err == nil && t.Untold != "" {
			return nil, absent("the expected trace: %s", t.Untold)
		}
		return t, err
	})
}

// readTrace reads what files tell of one trace; empty paths are passed over.
func (p *Pair) readTrace(what string, paths ...string) (*dataset.Trace, error) {
	var files []dataset.TraceFile
	for _, path := range paths {
		if path == "" {
			continue
		}
		data, err := p.read(path)
		if err != nil {
			return nil, err
		}
		files = append(files, dataset.TraceFile{Name: path, Data: data})
	}
	if len(files) == 0 {
		return nil, absent("no %s is given", what)
	}
	return dataset.ParseTraces(files...)
}
