// Texts of two designs, matched by their content; and the tools that were called.

package canvas

import (
	"repscope/analysis/canvas/internal/source"
	"repscope/analysis/canvas/internal/textblock"
	"repscope/dataset/casefile"
)

// The values of --text-similarity.
const (
	EditSimilarity  = "edit"
	BlockSimilarity = "blocks"
)

// ContentSettings are settings of texts, colors, trees and tools. The zero value has the defaults of the flags.
type ContentSettings struct {
	TextSimilarity string // "edit" or "blocks"
}

// similarity says in words how texts are compared.
func (o *ContentSettings) similarity() string {
	if o.TextSimilarity == BlockSimilarity {
		return "letters in matching blocks (Ratcliff and Obershelp), 2·M/T"
	}
	return "1 − edit distance/letters of the longer"
}

// texts reads the texts of both designs and matches them.
func (p *Pair) texts() (*textblock.Blocks, error) {
	return p.blocks.Get(func() (*textblock.Blocks, error) {
		reference, generated, err := p.Layouts()
		if err != nil {
			return nil, err
		}
		return textblock.Match(p.Context, reference, generated, p.Settings.Content.TextSimilarity == BlockSimilarity)
	})
}

// trace reads the tool calls.
func (p *Pair) traces() (*casefile.Trace, error) {
	return p.trace.Get(func() (*casefile.Trace, error) {
		t, err := p.readTrace("trace", append([]string{p.Case.Trace}, p.Case.StepTraces...)...)
		if n := len(p.Case.StepTraces); err == nil && t.Steps == nil && n > 0 && p.Case.Snapshot < 0 {
			t.Steps = &n
		}
		return t, err
	})
}

// expectedTrace reads what should have been called.
func (p *Pair) expectedTrace() (*casefile.Trace, error) {
	return p.expected.Get(func() (*casefile.Trace, error) {
		t, err := p.readTrace("expected trace", p.Case.ExpectedTrace)
		if err == nil && t.Untold != "" {
			return nil, source.Absentf("the expected trace: %s", t.Untold)
		}
		return t, err
	})
}

// readTrace reads what files tell of one trace; empty paths are passed over.
func (p *Pair) readTrace(what string, paths ...string) (*casefile.Trace, error) {
	var files []casefile.TraceFile
	for _, path := range paths {
		if path == "" {
			continue
		}
		data, err := p.Read(path)
		if err != nil {
			return nil, err
		}
		files = append(files, casefile.TraceFile{Name: path, Data: data})
	}
	if len(files) == 0 {
		return nil, source.Absentf("no %s is given", what)
	}
	return casefile.ParseTraces(files...)
}
