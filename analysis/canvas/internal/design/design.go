// Package design has the elements of designs: which nodes are seen and where, what they paint, and how the elements
// of two designs are matched.
package design

import (
	"repscope/dataset/casefile"
	"repscope/measure/box"
)

// Layout is a design with its elements.
type Layout struct {
	*casefile.Design
	Canvas box.Box // the box of the root, in pixels
	// Canvases is how many nodes there are that could be the canvas: frames of a page, or of several.
	Canvases int
	// Elements are the visible nodes, depth first; the canvas is the first.
	Elements []Element
	// Turned is how many of them are turned by no multiple of a right angle: their boxes are those around them.
	Turned int

	Unseen []bool // by node: neither it nor anything below it is seen; nil: all are
}

// Element is a node with a box in units of the canvas, which is {0, 0, 1, 1}.
type Element struct {
	Node int     // index of Design.Nodes
	Box  box.Box // its visible part, also beyond the canvas
	// Whole is the box of the node, also where a frame around it clips it or a mask.
	Whole box.Box
}

// Boxes are the boxes of the elements.
func (l *Layout) Boxes() []box.Box {
	out := make([]box.Box, len(l.Elements))
	for i := range l.Elements {
		out[i] = l.Elements[i].Box
	}
	return out
}

// Parents are the nearest ancestors of the elements that are elements, −1 of the root.
func (l *Layout) Parents() []int {
	nearest := make([]int, len(l.Nodes)) // of nodes: the element that they are, or are in
	element, k := make([]int, len(l.Elements)), 0
	for i := range l.Nodes {
		nearest[i] = -1
		if parent := l.Nodes[i].Parent; parent >= 0 {
			nearest[i] = nearest[parent]
		}
		if k < len(l.Elements) && l.Elements[k].Node == i {
			element[k], nearest[i] = nearest[i], k
			k++
		}
	}
	return element
}
