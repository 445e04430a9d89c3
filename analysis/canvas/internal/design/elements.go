// Which nodes of a design are elements, and where they are on its canvas.

package design

import (
	"fmt"
	"strings"

	"repscope/analysis/canvas/internal/source"
	"repscope/dataset/casefile"
	"repscope/measure/box"
)

// minCanvas is the least side of a canvas in pixels: with [casefile.MaxDesignPixels] it bounds
// boxes in its units.
const minCanvas = 0.01

// LayoutOptions say which nodes of a design are elements.
type LayoutOptions struct {
	// Node is the id or the name of the node that is the canvas; empty: it is found.
	Node string
	// Whole says that nodes are elements as they are in the file, whatever clips or masks them.
	Whole bool
}

// NewLayout finds the elements of a design; name is the name of its file, for errors. The canvas is
// the root, or, where that has no box, as the document and the page of a file have none, the
// first frame below it, else the largest node: see [Layout.Canvases]. A node is an element if it
// is shown, has a box and some of it is seen: it is no mask, and not outside of a frame that clips
// its content or of a mask, the canvas but not the frames around it. Errors: no node with a box, or none of
// the requested name; a canvas that is hidden or smaller than a hundredth of a pixel.
func NewLayout(name string, d *casefile.Design, o LayoutOptions) (*Layout, error) {
	root, canvases, err := canvasOf(d, o.Node)
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
	l := &Layout{Design: d, Canvases: canvases, Canvas: pixels(b)}
	s := newSight(d, root, o.Whole)
	for i := root; i < s.end; i++ {
		part, seen := s.look(i)
		if !seen {
			continue
		}
		whole := onCanvas(*d.Nodes[i].Bounds, b)
		e := Element{Node: i, Box: whole, Whole: whole}
		if part != *d.Nodes[i].Bounds {
			e.Box = onCanvas(part, b)
		}
		if _, turned := d.Nodes[i].Unturned(); turned && !o.Whole {
			l.Turned++
		}
		l.Elements = append(l.Elements, e)
	}
	l.Unseen = s.unseen()
	l.Elements[0].Box, l.Elements[0].Whole = box.Box{X1: 1, Y1: 1}, box.Box{X1: 1, Y1: 1}
	return l, nil
}

// canvasOf finds the node that is the canvas, below the root or the node of a name or an id, and how many there are to
// choose from.
func canvasOf(d *casefile.Design, name string) (node, canvases int, err error) {
	root := 0
	if name != "" {
		if root, err = nodeNamed(d, name); err != nil {
			return 0, 0, err
		}
	}
	candidates := topmost(d, root)
	if len(candidates) == 0 {
		return 0, 0, fmt.Errorf(
			"neither %s nor a visible node below it has a box for the canvas", nameOf(&d.Nodes[root]))
	}
	largest, size := candidates[0], 0.
	for _, i := range candidates {
		n := &d.Nodes[i]
		area := n.Bounds.Width * n.Bounds.Height
		if n.Type == "FRAME" && n.Bounds.Width >= minCanvas && n.Bounds.Height >= minCanvas {
			return i, len(candidates), nil
		}
		if area > size {
			largest, size = i, area
		}
	}
	return largest, len(candidates), nil
}

// topmost are the nodes from a root down that have a box while none around them does, and are shown; the root itself,
// if it has a box.
func topmost(d *casefile.Design, root int) (out []int) {
	if d.Nodes[root].Bounds != nil {
		return []int{root}
	}
	for i, end := root+1, endOf(d, root); i < end; {
		switch n := &d.Nodes[i]; {
		case !n.Shown:
			i = endOf(d, i)
		case n.Bounds != nil:
			out = append(out, i)
			i = endOf(d, i)
		default:
			i++
		}
	}
	return out
}

// nodeNamed finds a node by its id, as it is written in files or in links (1:2, 1-2), else by its name.
func nodeNamed(d *casefile.Design, name string) (int, error) {
	id := strings.ReplaceAll(name, "-", ":")
	named := -1
	for i := range d.Nodes {
		n := &d.Nodes[i]
		if n.ID == name || n.ID == id && n.ID != "" {
			return i, nil
		}
		if n.Name == name && named < 0 {
			named = i
		}
	}
	if named >= 0 {
		return named, nil
	}
	var names []string
	for _, i := range topmost(d, 0) {
		names = append(names, fmt.Sprintf("%s (%s)", d.Nodes[i].ID, d.Nodes[i].Name))
	}
	return 0, fmt.Errorf("no node has the id or the name %q; found %s", name, source.Few(names))
}

// nameOf is a node for messages.
func nameOf(n *casefile.Node) string {
	if n.ID == "" {
		return fmt.Sprintf("the node %q without id", n.Name)
	}
	return fmt.Sprintf("node %q", n.ID)
}
