// Screens as the JSON that Figma writes.

package screens

import (
	"encoding/json"
	"fmt"
	"image/color"
)

type jsonNode struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Type       string      `json:"type"`
	Visible    *bool       `json:"visible,omitempty"`
	Bounds     *jsonBounds `json:"absoluteBoundingBox"`
	Radius     float64     `json:"cornerRadius,omitempty"`
	Fills      []jsonPaint `json:"fills"`
	Strokes    []jsonPaint `json:"strokes,omitempty"`
	Characters string      `json:"characters,omitempty"`
	Style      *jsonStyle  `json:"style,omitempty"`
	Children   []*jsonNode `json:"children,omitempty"`
}

type jsonBounds struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

type jsonPaint struct {
	Type  string     `json:"type"`
	Color *jsonColor `json:"color,omitempty"`
	Stops []jsonStop `json:"gradientStops,omitempty"`
	Image string     `json:"imageRef,omitempty"`
}

type jsonStop struct {
	Position float64   `json:"position"`
	Color    jsonColor `json:"color"`
}

type jsonColor struct {
	R float64 `json:"r"`
	G float64 `json:"g"`
	B float64 `json:"b"`
	A float64 `json:"a"`
}

type jsonStyle struct {
	Family string  `json:"fontFamily"`
	Weight int     `json:"fontWeight"`
	Size   float64 `json:"fontSize"`
}

// The upper left corner of designs: files of Figma hold many, side by side.
const (
	originX = 1200
	originY = -340
)

// encodeDesign writes a design; inFile says that it is written as a node of a file.
func encodeDesign(root *node, inFile bool) []byte {
	document := map[string]any{"document": root.json()}
	if inFile {
		document = map[string]any{"nodes": map[string]any{root.id: document}}
	}
	out, err := json.Marshal(document)
	if err != nil {
		panic(err) // numbers are finite
	}
	return append(out, '\n')
}

func (n *node) json() *jsonNode {
	out := &jsonNode{ID: n.id, Name: n.name, Type: n.kind, Radius: n.radius, Characters: n.text, Fills: []jsonPaint{},
		Bounds: &jsonBounds{originX + n.x, originY + n.y, n.width, n.height}}
	if n.hidden {
		out.Visible = new(bool)
	}
	if n.fill != nil {
		out.Fills = append(out.Fills, n.fill.json())
	}
	if n.stroke != nil {
		out.Strokes = append(out.Strokes, solid(*n.stroke).json())
	}
	if n.kind == typeText {
		out.Style = &jsonStyle{"Liberation Sans", 400, n.size}
		if n.bold {
			out.Style.Weight = 700
		}
	}
	for _, c := range n.children {
		out.Children = append(out.Children, c.json())
	}
	return out
}

func (f *fill) json() jsonPaint {
	p := jsonPaint{Type: f.kind}
	switch f.kind {
	case fillSolid:
		c := jsonOf(f.from)
		p.Color = &c
	case fillGradient:
		p.Stops = []jsonStop{{0, jsonOf(f.from)}, {1, jsonOf(f.to)}}
	case fillImage:
		p.Image = fmt.Sprintf("%016x", f.scene)
	}
	return p
}

func jsonOf(c color.NRGBA) jsonColor {
	return jsonColor{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255, float64(c.A) / 255}
}
