// Package casetest makes the files of cases for tests: designs, pictures, arrays and models.
package casetest

import (
	"fmt"
	"strings"

	"repscope/dataset/casefile"
)

// DrawDesign is a design of up to 12 nodes that are nested, translucent and painted anyhow, as pick chooses: a number
// below n.
func DrawDesign(pick func(n int) int) *casefile.Design {
	d := &casefile.Design{}
	for i := range 2 + pick(11) {
		node := casefile.Node{Type: oneOf(pick, "FRAME", "RECTANGLE", "TEXT"), Parent: i - 1, Depth: i, Shown: true,
			Characters: oneOf(pick, "OK", "Sign in", "Sign up", ""),
			Opacity:    oneOf(pick, 1, 1, 0.5, 0.3), Bounds: &casefile.Bounds{Width: 100, Height: 100}}
		if i > 0 {
			// Depth first: the parent is the node before or one of its ancestors.
			for up := pick(i); up > 0 && node.Parent > 0; up-- {
				node.Parent = d.Nodes[node.Parent].Parent
			}
			node.Depth = d.Nodes[node.Parent].Depth + 1
			x, y := pick(91), pick(91)
			node.Bounds = &casefile.Bounds{X: float64(x), Y: float64(y), Width: float64(1 + pick(100-x)),
				Height: float64(1 + pick(100-y))}
		}
		for range pick(3) {
			f := casefile.Paint{Type: oneOf(pick, "SOLID", "SOLID", "SOLID", "IMAGE"), Visible: pick(2) == 1,
				Opacity: oneOf(pick, 1, 1, 0.6, 0)}
			for c := range 3 {
				f.Color[c] = float64(pick(5)) / 4
			}
			f.Color[3] = oneOf(pick, 1, 1, 0.4)
			node.Fills = append(node.Fills, f)
		}
		d.Nodes = append(d.Nodes, node)
	}
	return d
}

// oneOf is one of the values.
func oneOf[T any](pick func(n int) int, values ...T) T { return values[pick(len(values))] }

// Design is the file of a design of 100 × 100 pixels on white.
func Design(children ...string) string {
	return fmt.Sprintf(`{"document": %s}`, Frame(0, 0, 100, 100, "#ffffff", children...))
}

// Frame is a frame with nodes in it.
func Frame(x, y, width, height float64, fill string, children ...string) string {
	return Node("FRAME", x, y, width, height, fill, `"children": [`+strings.Join(children, ",")+"]")
}

// Text is a text.
func Text(words string, x, y, width, height float64, fill string, more ...string) string {
	return Node("TEXT", x, y, width, height, fill, append(more, fmt.Sprintf(`"characters": %q`, words))...)
}

// Node is a node; fill is a color "#rrggbb", the type of another paint, or nothing.
func Node(kind string, x, y, width, height float64, fill string, more ...string) string {
	fills := ""
	switch {
	case strings.HasPrefix(fill, "#"):
		var r, g, b uint8
		_, _ = fmt.Sscanf(fill, "#%02x%02x%02x", &r, &g, &b)
		fills = fmt.Sprintf(`{"type": "SOLID", "color": {"r": %v, "g": %v, "b": %v, "a": 1}}`,
			float64(r)/255, float64(g)/255, float64(b)/255)
	case fill != "":
		fills = fmt.Sprintf(`{"type": %q}`, fill)
	}
	box := fmt.Sprintf(`{"x": %v, "y": %v, "width": %v, "height": %v}`, x, y, width, height)
	more = append([]string{fmt.Sprintf(`"type": %q, "absoluteBoundingBox": %s, "fills": [%s]`, kind, box, fills)}, more...)
	return "{" + strings.Join(more, ", ") + "}"
}

// Form is a small design with texts that repeat.
var Form = Design(
	Text("Sign in", 10, 5, 40, 10, "#111111"),
	Frame(10, 20, 80, 15, "#eeeeee", Text("User name", 12, 22, 40, 8, "#555555")),
	Frame(10, 40, 80, 15, "#eeeeee", Text("Password", 12, 42, 40, 8, "#555555")),
	Frame(10, 60, 30, 10, "#0044cc", Text("OK", 20, 62, 10, 6, "#ffffff")),
	Frame(50, 60, 30, 10, "#0044cc", Text("OK", 60, 62, 10, 6, "#ffee00")),
	Text("", 0, 90, 10, 10, "#000000"),
	Text(" \n ", 0, 90, 10, 10, "#000000"),
)
