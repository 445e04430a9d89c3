// The appearance of a node of a design: the case of its text, clipping, masks, rotation, old backgrounds.

package casefile

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// look reads a member of a node that changes how it looks. Values of other types than the format has are passed over.
func (r *designReader) look(node int, kind, key string) {
	n := &r.nodes[node]
	switch {
	case kind == jsonBool && key == "clipsContent":
		n.Clips = r.truth()
	case kind == jsonBool && key == "isMask":
		n.Mask = r.truth()
	case kind == jsonBool && key == "sectionContentsHidden":
		n.shut = r.truth()
	case kind == jsonNumber && key == "rotation":
		n.Rotation = r.finite(node, key)
	case kind == jsonNumber && key == "strokeWeight":
		if r.finite(node, key) == 0 {
			r.thin = put(r.thin, node, true)
		}
	case kind == jsonObject && key == "size":
		n.Size = r.size(node)
	case kind == jsonList && key == "background":
		r.background = put(r.background, node, r.paints(node, kind, key))
	case kind == jsonObject && key == "backgroundColor":
		if _, known := r.background[node]; known { // its newer form
			r.skip()
			return
		}
		r.background = put(r.background, node,
			[]Paint{{Type: "SOLID", Visible: true, Opacity: 1, Color: r.color(node, kind)}})
	case kind == jsonList && key == "characterStyleOverrides":
		for begun := false; r.element(&begun); {
			if v := 0.; r.kind() == jsonNumber {
				v = r.float()
				r.casesOf(node).of = append(r.cases[node].of, int(min(max(v, 0), math.MaxInt32)))
			} else {
				r.skip()
				r.casesOf(node).of = append(r.cases[node].of, 0)
			}
		}
	case kind == jsonObject && key == "styleOverrideTable":
		r.overrides(node)
	default:
		r.skip()
	}
}

// put enters a value into a map that may not be there yet.
func put[V any](m map[int]V, key int, v V) map[int]V {
	if m == nil {
		m = map[int]V{}
	}
	m[key] = v
	return m
}

// size reads the size of a node before its rotation.
func (r *designReader) size(node int) *Size {
	var s Size
	r.each(func(key []byte) {
		switch {
		case string(key) == "x" && r.kind() == jsonNumber:
			s.Width = r.finite(node, "size")
		case string(key) == "y" && r.kind() == jsonNumber:
			s.Height = r.finite(node, "size")
		default:
			r.skip()
		}
	})
	return &s
}

// transparent reads the stops of a gradient and reports whether all are.
func (r *designReader) transparent() bool {
	if r.kind() != jsonList {
		r.skip()
		return false
	}
	stops, clear := 0, 0
	for begun := false; r.element(&begun); stops++ {
		if r.kind() != jsonObject {
			r.skip()
			continue
		}
		r.each(func(key []byte) {
			if string(key) != "color" || r.kind() != jsonObject {
				r.skip()
				return
			}
			r.each(func(key []byte) {
				if string(key) == "a" && r.kind() == jsonNumber {
					if r.float() <= 0 {
						clear++
					}
					return
				}
				r.skip()
			})
		})
	}
	return stops > 0 && clear == stops
}

// textCases are the cases of the parts of a text.
type textCases struct {
	base  string
	of    []int // by the unit of UTF-16: the style, 0 for the style of the node
	style map[int]string
}

// casesOf are the cases of a node.
func (r *designReader) casesOf(node int) *textCases {
	if r.cases[node] == nil {
		r.cases = put(r.cases, node, &textCases{})
	}
	return r.cases[node]
}

// overrides reads the cases of the styles of parts.
func (r *designReader) overrides(node int) {
	r.each(func(key []byte) {
		number := 0
		for _, c := range key {
			if number = 10*number + int(c-'0'); c < '0' || c > '9' || number > math.MaxInt32 {
				number = -1
				break
			}
		}
		if number < 0 || r.kind() != jsonObject {
			r.skip()
			return
		}
		r.each(func(key []byte) {
			if string(key) != "textCase" || r.kind() != jsonString {
				r.skip()
				return
			}
			c := r.casesOf(node)
			c.style = put(c.style, number, r.text())
		})
	})
}

// shut ends a node whose members are all read.
func (r *designReader) shut(f *designFrame) {
	n := &r.nodes[f.node]
	if c := r.cases[f.node]; c != nil {
		n.Characters = c.shown(n.Characters)
		delete(r.cases, f.node)
	}
	if list, ok := r.background[f.node]; ok {
		if f.seen&(1<<slices.Index(designKeys, "fills")) == 0 {
			n.Fills = list
		}
		delete(r.background, f.node)
	}
	if r.thin[f.node] {
		n.Strokes = nil
		delete(r.thin, f.node)
	}
}

// shown is a text in the case in which it is seen.
func (c *textCases) shown(text string) string {
	if len(c.style) == 0 {
		return inCase(text, c.base, true)
	}
	units := utf16.Encode([]rune(text))
	var b strings.Builder
	begins := true // of a word
	for from := 0; from < len(units); {
		style := c.at(from)
		to := from + 1
		for to < len(units) && (c.at(to) == style || utf16.IsSurrogate(rune(units[to])) && units[to] >= 0xdc00) {
			to++
		}
		part := string(utf16.Decode(units[from:to]))
		b.WriteString(inCase(part, style, begins))
		if letters := []rune(part); len(letters) > 0 {
			begins = !inWord(letters[len(letters)-1])
		}
		from = to
	}
	return b.String()
}

// at is the case of a unit of the text.
func (c *textCases) at(unit int) string {
	if unit < len(c.of) && c.of[unit] > 0 {
		if of, ok := c.style[c.of[unit]]; ok {
			return of
		}
	}
	return c.base
}

// inCase is a text in a case of the format; begins says that a word may begin with it. Small capitals are returned
// unchanged.
func inCase(text, style string, begins bool) string {
	switch style {
	case "UPPER":
		return strings.ToUpper(strings.ReplaceAll(text, "ß", "SS"))
	case "LOWER":
		return strings.ToLower(text)
	case "TITLE":
		return strings.Map(func(r rune) rune {
			first := begins && unicode.IsLetter(r)
			if begins = !inWord(r); first {
				return unicode.ToTitle(r)
			}
			return r
		}, text)
	}
	return text
}

// inWord reports whether a letter leaves a word open.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’'
}

// turn makes the rotations of nodes, which files have relative to their parents, in radians or in degrees, absolute and
// in radians. The unit is the same in the whole file: the one that explains the bounds by the sizes. In files without
// sizes it is radians, as Figma writes them, unless a node would be rotated by more than a full turn.
func (d *Design) turn() {
	rotated, large := false, false
	misfit := [2]float64{}
	scale := [2]float64{1, math.Pi / 180}
	absolute := [2][]float64{make([]float64, len(d.Nodes)), make([]float64, len(d.Nodes))}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		rotated, large = rotated || n.Rotation != 0, large || math.Abs(n.Rotation) > 2*math.Pi
		for unit := range scale {
			v := n.Rotation * scale[unit]
			if n.Parent >= 0 {
				v += absolute[unit][n.Parent]
			}
			absolute[unit][i] = v
			if n.Rotation != 0 && n.Size != nil && n.Bounds != nil {
				s, c := math.Sincos(v)
				s, c = math.Abs(s), math.Abs(c)
				misfit[unit] += math.Abs(float64(n.Size.Width*c)+float64(n.Size.Height*s)-n.Bounds.Width) +
					math.Abs(float64(n.Size.Width*s)+float64(n.Size.Height*c)-n.Bounds.Height)
			}
		}
	}
	if !rotated {
		return
	}
	unit := 0
	if misfit[1] < misfit[0] || misfit[0] == misfit[1] && large {
		unit = 1
	}
	for i := range d.Nodes {
		d.Nodes[i].Rotation = absolute[unit][i]
	}
}

// Unturned returns the node's rectangle before the rotation about the center of its bounds, and whether it is rotated
// at all: by no multiple of a right angle. Without a size in the file it is the one rectangle whose rotation has these
// bounds; near 45° no size follows from them, and a square is used.
func (n *Node) Unturned() (Size, bool) {
	if n.Bounds == nil {
		return Size{}, false
	}
	s, c := math.Sincos(n.Rotation)
	s, c = math.Abs(s), math.Abs(c)
	const least = 1e-3
	if s < least || c < least {
		return Size{n.Bounds.Width, n.Bounds.Height}, false
	}
	if n.Size != nil {
		return *n.Size, true
	}
	w, h := n.Bounds.Width, n.Bounds.Height
	if by := float64(c*c) - float64(s*s); math.Abs(by) > 0.1 {
		size := Size{(float64(w*c) - float64(h*s)) / by, (float64(h*c) - float64(w*s)) / by}
		return Size{max(size.Width, 0), max(size.Height, 0)}, true
	}
	side := (w + h) / 2 / (s + c)
	return Size{side, side}, true
}
