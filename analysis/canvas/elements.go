// Which nodes of a design are elements, and where they are on its canvas.

package canvas

import (
	"fmt"

	"repscope/dataset"
	"repscope/measure/box"
)

// minCanvas is the least side of a canvas in pixels: with [dataset.MaxDesignPixels] it bounds
// boxes in its units.
const minCanvas = 0.01

// NewLayout finds the elements of a design; name is that of its file, for errors. The canvas
// is the root, or, where that has no box, as the document and the page of a file have none,
// the one node below it that does. Errors: no such node, or several; a canvas that is hidden
// or smaller than a hundredth of a pixel.
func NewLayout(name string, d *dataset.Design) (*Layout, error) {
	root, err := canvasOf(d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	n := &d.Nodes[root]
	b := *n.Bounds
	if b.Width < minCanvas || b.Height < minCanvas {
		return nil, fmt.Errorf("%s: the canvas, %s, is %g×%g pixels, want at least %g", name, nameOf(n), b.Width, b.Height, minCanvas)
	}
	if !n.Shown {
		return nil, fmt.Errorf("%s: the canvas, %s, is not visible", name, nameOf(n))
	}
	l := &Layout{Design: d, Canvas: box.Box{X0: b.X, Y0: b.Y, X1: b.X + b.Width, Y1: b.Y + b.Height}}
	for i := root; i < len(d.Nodes) && (i == root || d.Nodes[i].Depth > n.Depth); i++ {
		if e := &d.Nodes[i]; e.Shown && e.Bounds != nil {
			l.Elements = append(l.Elements, Element{Node: i, Box: onCanvas(*e.Bounds, b)})
		}
	}
	l.Elements[0].Box = box.Box{X1: 1, Y1: 1}
	return l, nil
}

// onCanvas is a box in units of the canvas. What is without width or height stays so.
func onCanvas(b, canvas dataset.Bounds) box.Box {
	x, y := (b.X-canvas.X)/canvas.Width, (b.Y-canvas.Y)/canvas.Height
	to := box.Box{X0: x, Y0: y, X1: (b.X + b.Width - canvas.X) / canvas.Width, Y1: (b.Y + b.Height - canvas.Y) / canvas.Height}
	if b.Width == 0 {
		to.X1 = to.X0
	}
	if b.Height == 0 {
		to.Y1 = to.Y0
	}
	return to
}

// canvasOf finds the root, or the first node below it that has a box while its elders have
// none and are alone.
func canvasOf(d *dataset.Design) (int, error) {
	if d.Nodes[0].Bounds != nil {
		return 0, nil
	}
	children, last := make([]int, len(d.Nodes)), make([]int, len(d.Nodes)) // those that are shown
	for i := 1; i < len(d.Nodes); i++ {
		if n := &d.Nodes[i]; n.Shown {
			children[n.Parent]++
			last[n.Parent] = i
		}
	}
	at := 0
	for d.Nodes[at].Bounds == nil {
		if children[at] != 1 {
			return 0, fmt.Errorf("%s has no box and %d visible children, want one node as the canvas", nameOf(&d.Nodes[at]), children[at])
		}
		at = last[at]
	}
	return at, nil
}

// nameOf is a node for messages.
func nameOf(n *dataset.Node) string {
	if n.ID == "" {
		return fmt.Sprintf("the node %q without id", n.Name)
	}
	return fmt.Sprintf("node %q", n.ID)
}
