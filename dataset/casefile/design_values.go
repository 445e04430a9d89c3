// The values of a node of a design, and their effect on the nodes below it.

package casefile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// minOpacity is the greatest opacity of a node that is not shown.
const minOpacity = 0.01

// want reports whether a value is of the kind that it must be.
func (r *designReader) want(node int, key, kind, want string) bool {
	if kind != want {
		r.fail("%s: %q is %s, want %s", r.who(node), key, r.found(kind), want)
	}
	return r.err == nil
}

// found is the next value for a message: short texts and numbers as they are written.
func (r *designReader) found(kind string) string {
	const limit = 32
	if kind == jsonString || kind == jsonNumber || kind == jsonBool {
		t := &jsonText{data: r.data, at: r.at}
		if t.skip(); t.err == nil && t.at-r.at <= limit {
			return kind + ", " + string(r.data[r.at:t.at])
		}
	}
	return kind
}

// word reads a text.
func (r *designReader) word(node int, kind, key string, to *string) {
	if r.want(node, key, kind, jsonString) {
		*to = r.text()
	}
}

// intern returns a text that many nodes have, once.
func (r *designReader) intern(s string) string {
	if kept, ok := r.words[s]; ok {
		return kept
	}
	if len(r.words) < 1<<10 {
		r.words[s] = s
	}
	return s
}

// finite reads a number.
func (r *designReader) finite(node int, key string) float64 {
	kind := r.kind()
	if !r.want(node, key, kind, jsonNumber) {
		return 0
	}
	begin := r.at
	v := r.float()
	if r.err == nil && !(math.Abs(v) <= MaxDesignPixels) {
		r.at = begin
		r.fail("%s: %q is %s, want a finite number of at most %g", r.who(node), key, r.found(kind), MaxDesignPixels)
	}
	return v
}

// share reads a number in [0, 1]; values beyond only by rounding are clamped.
func (r *designReader) share(node int, key string) float64 {
	const rounding = 1e-3
	begin := r.at
	v := r.finite(node, key)
	if r.err == nil && (v < -rounding || v > 1+rounding) {
		r.at = begin
		r.fail("%s: %q is %g, want a number from 0 to 1", r.who(node), key, v)
	}
	return min(max(v, 0), 1)
}

// each reads an object and calls read with the key of each of its values; read must consume or skip the value. Null
// values are skipped.
func (r *designReader) each(read func(key []byte)) {
	for begun := false; ; {
		key, more := r.member(&begun)
		if !more {
			return
		}
		if r.kind() == jsonNull {
			r.null()
			continue
		}
		read(key)
	}
}

// bounds reads a box.
func (r *designReader) bounds(node int, kind string) *Bounds {
	const key = "absoluteBoundingBox"
	if !r.want(node, key, kind, jsonObject) {
		return nil
	}
	begin := r.at
	var sides [4]float64
	names := [4]string{"x", "y", "width", "height"}
	var seen [4]bool
	r.each(func(key []byte) {
		for i, name := range names {
			if string(key) == name {
				from := r.at
				if sides[i], seen[i] = r.finite(node, name), true; r.err == nil && i >= 2 && sides[i] < 0 {
					r.at = from
					r.fail("%s: the %s of its box is %g, want at least 0", r.who(node), name, sides[i])
				}
				return
			}
		}
		r.skip()
	})
	for i, name := range names {
		if r.err == nil && !seen[i] {
			r.at = begin
			r.fail("%s: its box has no %s, want x, y, width and height, or null for no box", r.who(node), name)
		}
	}
	return &Bounds{sides[0], sides[1], sides[2], sides[3]}
}

// style reads the size and the weight of a font, and the case of a text.
func (r *designReader) style(node int, kind string) {
	if kind == jsonString { // "MIXED"
		r.skip()
		return
	}
	if !r.want(node, "style", kind, jsonObject) {
		return
	}
	r.each(func(written []byte) {
		key := string(written)
		if key == "textCase" && r.kind() == jsonString {
			r.casesOf(node).base = r.text()
			return
		}
		if key != "fontSize" && key != "fontWeight" || r.kind() == jsonString { // "MIXED"
			r.skip()
			return
		}
		begin, what := r.at, "size"
		target := &r.nodes[node].FontSize
		if key == "fontWeight" {
			what, target = "weight", &r.nodes[node].FontWeight
		}
		v := r.finite(node, key)
		if r.err == nil && v < 0 {
			r.at = begin
			r.fail("%s: the %s of its font is %g, want at least 0", r.who(node), what, v)
		}
		*target = v
	})
}

// paints reads fills or strokes.
func (r *designReader) paints(node int, kind, key string) (list []Paint) {
	if kind == jsonString { // "MIXED"
		r.skip()
		return nil
	}
	if !r.want(node, key, kind, jsonList) {
		return nil
	}
	for begun := false; r.element(&begun); {
		if len(list) == maxDesignPaints {
			r.fail("%s: more than %d %s; that is the limit", r.who(node), maxDesignPaints, key)
			return nil
		}
		if kind := r.kind(); r.want(node, key, kind, jsonObject) {
			list = append(list, r.paint(node))
		}
	}
	return list
}

// paint reads a fill or a stroke.
func (r *designReader) paint(node int) Paint {
	p, clear := Paint{Visible: true, Opacity: 1}, false
	r.each(func(key []byte) {
		switch kind := r.kind(); string(key) {
		case "type":
			r.word(node, kind, "type", &p.Type)
			p.Type = r.intern(p.Type)
		case "visible":
			if r.want(node, "visible", kind, jsonBool) {
				p.Visible = r.truth()
			}
		case "opacity":
			p.Opacity = r.share(node, "opacity")
		case "color":
			p.Color = r.color(node, kind)
		case "gradientStops":
			clear = r.transparent()
		default:
			r.skip()
		}
	})
	p.Visible = p.Visible && !(clear && strings.HasPrefix(p.Type, "GRADIENT"))
	return p
}

// color reads red, green, blue and alpha, 1 by default.
func (r *designReader) color(node int, kind string) [4]float64 {
	const channels = "rgba"
	c := [4]float64{3: 1}
	if kind == jsonString {
		begin := r.at
		written := r.text()
		c, ok := hexColor(written)
		if r.err == nil && !ok {
			r.at = begin
			r.fail(`%s: its color is %s, want {"r", "g", "b", "a"} or "#rrggbb"`, r.who(node), r.found(kind))
		}
		return c
	}
	if !r.want(node, "color", kind, jsonObject) {
		return c
	}
	r.each(func(key []byte) {
		if i := strings.Index(channels, string(key)); i >= 0 && len(key) == 1 {
			c[i] = r.share(node, channels[i:i+1])
			return
		}
		r.skip()
	})
	return c
}

// hexColor reads #rgb, #rrggbb and #rrggbbaa.
func hexColor(s string) (c [4]float64, ok bool) {
	s, ok = strings.CutPrefix(s, "#")
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	if len(s) == 6 {
		s += "ff"
	}
	v, err := strconv.ParseUint(s, 16, 32)
	if !ok || len(s) != 8 || err != nil {
		return c, false
	}
	for i := range c {
		c[i] = float64(v>>(24-8*i)&0xff) / 255
	}
	return c, true
}

// inherit hides all nodes below a hidden node. Until then Shown is the node's own flag.
func (d *Design) inherit() {
	for i := range d.Nodes {
		n := &d.Nodes[i]
		n.Shown = n.Shown && n.Opacity > minOpacity && n.Type != "SLICE" &&
			(n.Parent < 0 || d.Nodes[n.Parent].Shown && !d.Nodes[n.Parent].shut)
	}
}

// circle is the error for an id that comes again among the descendants of its node.
func (d *Design) circle() error {
	around := map[string]bool{}
	var way []int // the node and its ancestors
	for i := range d.Nodes {
		n := &d.Nodes[i]
		for len(way) > n.Depth {
			delete(around, d.Nodes[way[len(way)-1]].ID)
			way = way[:len(way)-1]
		}
		if n.ID != "" {
			if around[n.ID] {
				return fmt.Errorf("node %q is one of its own descendants, %d levels below the root: the ids form a cycle",
					n.ID, n.Depth)
			}
			around[n.ID] = true
		}
		way = append(way, i)
	}
	return nil
}
