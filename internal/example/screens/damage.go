// Damage of adjustable strength: the errors of models.

package screens

import (
	"image/color"
	"math"

	"repscope/stat"
)

// Level is a model of the example: how much of a screen it gets wrong.
type Level struct {
	Model    string
	Strength float64 // 0 for nothing, 1 for nearly everything
}

// Levels are the models, the best first.
func Levels() []Level {
	return []Level{{"copy", 0}, {"slight", 0.13}, {"moderate", 0.3}, {"strong", 0.6}, {"severe", 1}}
}

// The effects on a node at full strength.
const (
	lostShare   = 0.4  // of leaves are missing
	lostGroups  = 0.12 // of containers are missing with all in them
	doubled     = 0.3  // of shapes are there twice
	astray      = 90.0 // pixels, standard deviation, of the second from the first
	flatShare   = 0.5  // of containers lose their children to their own container
	retyped     = 0.35 // of nodes have another type
	swapped     = 0.5  // of children are swapped with the one before
	moved       = 34.0 // pixels, standard deviation
	movedGroup  = 14.0 // pixels, standard deviation, of all in a container
	grown       = 0.35 // standard deviation of the relative size
	recolored   = 0.75 // of the way to another color
	fainter     = 0.9  // of the way from a text's color to its background
	misspelled  = 0.6  // of letters
	forgotText  = 0.25 // of texts are other ones
	fillerTexts = "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do"
)

// fate is the damage of a node. It is drawn once, whatever the strength: a larger strength includes all errors of a
// smaller one, and more.
type fate struct {
	lost, flat, kind, swap, words, twice float64 // happens below a share times the strength
	spared                               float64 // see own
	dx, dy, dw, dh, twinX, twinY         float64
	hue                                  color.NRGBA
	letters                              *stat.Random
}

// own is the strength of the damage of a node itself: it begins earlier for some nodes than for others, so that a
// larger strength damages more nodes, not only the same ones more.
func (f *fate) own(strength float64) float64 {
	return min(1, max(0, (strength-float64(0.8*f.spared))/0.35))
}

func newFate(key stat.Key, number int) fate {
	r := stat.NewRandom(key.Derive(uint64(number)))
	f := fate{lost: r.Float64(), flat: r.Float64(), kind: r.Float64(), swap: r.Float64(), words: r.Float64(), twice: r.Float64(), spared: r.Float64()}
	f.dx, f.dy, f.dw, f.dh, f.twinX, f.twinY = r.Normal(), r.Normal(), r.Normal(), r.Normal(), r.Normal(), r.Normal()
	f.hue = hsl(r.Float64(), 0.3+float64(0.6*r.Float64()), 0.3+float64(0.5*r.Float64()))
	f.letters = r
	return f
}

// damage returns a screen with errors in proportion to the strength; the root and its size stay.
func damage(root *node, strength float64, key stat.Key) *node {
	d := damager{strength: strength, fates: map[*node]fate{}}
	out := root.clone()
	number := 0
	out.each(func(n, _ *node, _ int) {
		d.fates[n] = newFate(key, number)
		number++
	})
	if strength > 0 {
		d.children(out, 0, 0, out.fill.from)
	}
	return out
}

type damager struct {
	strength float64
	fates    map[*node]fate
}

// children damages the children of a container that moved by dx, dy and has a color behind it.
func (d *damager) children(n *node, dx, dy float64, behind color.NRGBA) {
	var kept []*node
	for _, c := range n.children {
		if c.hidden {
			kept = append(kept, c)
			continue
		}
		f := d.fates[c]
		share := lostShare
		if len(c.children) > 0 {
			share = lostGroups
		}
		if f.lost < share*d.strength {
			continue
		}
		flat := d.one(c, f, dx, dy, behind)
		if last := len(kept); last > 0 && f.swap < swapped*d.strength {
			kept = append(kept[:last-1], c, kept[last-1])
		} else {
			kept = append(kept, c)
		}
		kept = append(kept, flat...)
		if len(c.children) == 0 && c.kind != typeText && f.twice < doubled*d.strength {
			twin := *c
			twin.x, twin.y = math.Round(c.x+float64(astray*f.twinX)), math.Round(c.y+float64(astray*f.twinY))
			kept = append(kept, &twin)
		}
	}
	n.children = kept
}

// one damages a node and its descendants, and returns the children that it loses.
func (d *damager) one(c *node, f fate, dx, dy float64, behind color.NRGBA) (flat []*node) {
	s := f.own(d.strength)
	if len(c.children) > 0 {
		dx, dy = dx+float64(s*movedGroup*f.dx), dy+float64(s*movedGroup*f.dy)
		c.x, c.y = math.Round(c.x+dx), math.Round(c.y+dy)
	} else {
		c.x, c.y = math.Round(c.x+dx+float64(s*moved*f.dx)), math.Round(c.y+dy+float64(s*moved*f.dy))
		if c.kind != typeText {
			c.width = max(2, math.Round(c.width*math.Exp(s*grown*f.dw)))
			c.height = max(2, math.Round(c.height*math.Exp(s*grown*f.dh)))
		}
	}
	c.recolor(f, s, behind)
	c.misspell(f, s, d.strength)
	if c.kind != typeText && f.kind < retyped*d.strength {
		c.kind = otherType[c.kind]
	}
	front := behind
	if c.fill != nil {
		front = c.fill.from
	}
	d.children(c, dx, dy, front)
	if f.flat < flatShare*d.strength {
		flat, c.children = c.children, nil
	}
	return flat
}

// otherType is the wrong type that replaces a type.
var otherType = map[string]string{typeFrame: typeGroup, typeGroup: typeFrame, typeRectangle: typeEllipse, typeEllipse: typeRectangle}

// recolor moves the color of a text towards its background, and of anything else to another color.
func (n *node) recolor(f fate, s float64, behind color.NRGBA) {
	if n.fill == nil {
		return
	}
	to := *n.fill
	if n.kind == typeText {
		to.from = mix(to.from, behind, fainter*s)
	} else {
		to.from, to.to = mix(to.from, f.hue, recolored*s), mix(to.to, f.hue, recolored*s)
	}
	if n.kind == typeText || n.fill.kind == fillSolid {
		to.to = to.from
	}
	n.fill = &to
}

// misspell exchanges letters, or the whole text.
func (n *node) misspell(f fate, s, strength float64) {
	if n.kind != typeText {
		return
	}
	letters := []rune(n.text)
	for i := range letters {
		u, other := f.letters.Float64(), rune('a'+f.letters.Intn(26))
		if u < misspelled*s {
			letters[i] = other
		}
	}
	if f.words < forgotText*strength {
		from := f.letters.Intn(len(fillerTexts) - len(n.text) - 1)
		letters = []rune(fillerTexts[from:])[:len(letters)]
	}
	n.text = string(letters)
	n.width = math.Ceil(textWidth(n.text, n.size, n.bold))
}
