// What the numbers of a case follow from: its files, and definitions.

package canvas

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/canvas/internal/source"
)

// files are the paths of what a metric reads of a case.
func (n Needs) files(c *Case) []string {
	var out []string
	for _, part := range []struct {
		need  Needs
		paths []string
	}{
		{NeedDesigns, []string{c.Reference.Design, c.Generated.Design}},
		{NeedGenerated, []string{c.Generated.Design}},
		{NeedImages, []string{c.Reference.Image, c.Generated.Image}},
		{NeedTrace, append([]string{c.Trace}, c.StepTraces...)},
		{NeedExpectedTrace, []string{c.ExpectedTrace}},
		{NeedSemantic, []string{c.Reference.Image, c.Generated.Image}},
		{NeedSaliency, []string{c.Reference.Image, c.Generated.Image, c.ReferenceSaliency, c.GeneratedSaliency}},
		{NeedFixations, []string{c.Fixations}},
	} {
		if n&part.need != 0 {
			out = append(out, part.paths...)
		}
	}
	return out
}

// DefinitionOf says what the numbers of a metric mean.
func (o *Setting) DefinitionOf(k *Kind) string {
	if k.Definition == nil {
		return ""
	}
	text := k.Definition(o)
	if k.Needs&(NeedDesigns|NeedGenerated) != 0 {
		for _, node := range [2][2]string{{"references", o.Layout.ReferenceNode}, {"generated designs", o.Layout.GeneratedNode}} {
			if node[1] != "" {
				text += fmt.Sprintf("; the canvas of %s is the node %q", node[0], node[1])
			}
		}
	}
	return text
}

// FilesOf are the paths of what metrics read of cases, each once, in order.
func FilesOf(kinds []Kind, cases []Case) []string {
	var needs Needs
	for _, k := range kinds {
		needs |= k.Needs
	}
	var paths []string
	for i := range cases {
		paths = append(paths, needs.files(&cases[i])...)
		if cases[i].Base != (Side{}) {
			base := cases[i].BaseCase()
			paths = append(paths, needs.files(&base)...)
		}
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(path string) bool { return path == "" })
}

// HasReports reports whether a metric writes reports.
func (o *Setting) HasReports(k *Kind) bool {
	return o.Reports || o.Picture != nil && k.Name == saliencyKind.Name
}

// Inputs is the digest of the files of a case that the metric reads.
func (k *Kind) Inputs(d *source.Digests, c *Case) string {
	content := sha256.New()
	for _, path := range k.Needs.files(c) {
		fmt.Fprintf(content, "%s\n", d.Of(path))
	}
	if k.Needs&NeedSemantic != 0 { // captions of a case go by its name
		fmt.Fprintf(content, "%q\n", c.FileName())
	}
	return hex.EncodeToString(content.Sum(nil))
}

// SharedInputs is the digest of the files that a metric reads of all cases; empty if it reads none.
func (o *Setting) SharedInputs(k *Kind) string {
	var shared []string
	if k.Needs&NeedPerceptual != 0 {
		shared = append(shared, o.Images.Perceptual.Identity()...)
	}
	if k.Needs&(NeedSaliency|NeedFixations) != 0 {
		shared = append(shared, o.Saliency.Identity()...)
	}
	if k.Needs&NeedSemantic != 0 {
		shared = append(shared, o.Semantic.Identity()...)
	}
	if len(shared) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(shared, "\n")))
	return hex.EncodeToString(sum[:])
}
