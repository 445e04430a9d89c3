// Data of people: attention, fixations, captions and ratings.

package screens

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"path"
	"strings"

	"repscope/stat"
)

// attention is how much of it falls on each pixel of an image, in [0, 1].
type attention struct {
	width, height int
	at            []float64
}

// attend makes a map of attention: elements attract it by the contrast with their background, and texts more; the
// middle and the top get most.
func attend(root *node, scale float64) *attention {
	a := &attention{width: int(math.Round(root.width * scale)), height: int(math.Round(root.height * scale))}
	a.at = make([]float64, a.width*a.height)
	a.node(root, root.fill.from, scale)
	for range 3 { // which is nearly a Gaussian
		a.blur(int(math.Round(6 * scale)))
	}
	highest := 0.0
	for y := range a.height {
		for x := range a.width {
			u, v := (float64(x)+0.5)/float64(a.width)-0.5, (float64(y)+0.5)/float64(a.height)-0.42
			w := math.Exp(-(float64(u*u)/0.3 + float64(v*v)/0.18))
			i := y*a.width + x
			a.at[i] = float64((a.at[i] + 0.03) * w)
			highest = max(highest, a.at[i])
		}
	}
	for i := range a.at {
		a.at[i] /= highest
	}
	return a
}

// node draws the attention of a node and its descendants over the attention of its background.
func (a *attention) node(n *node, behind color.NRGBA, scale float64) {
	if n.hidden {
		return
	}
	front := behind
	if n.fill != nil {
		front = n.fill.from
		weight := min(1, (contrast(front, behind)-1)/8)
		switch {
		case n.kind == typeText:
			weight = float64(0.5*weight) + 0.5*min(1, n.size/24)
		case n.fill.kind == fillImage:
			weight = 0.8
		}
		if n.kind != typeText || front != behind {
			a.lay(n, weight, scale)
		}
	}
	for _, c := range n.children {
		a.node(c, front, scale)
	}
}

// lay fills a box.
func (a *attention) lay(n *node, weight, scale float64) {
	clip := func(v float64, most int) int { return min(max(int(math.Round(v*scale)), 0), most) }
	for y := clip(n.y, a.height); y < clip(n.y+n.height, a.height); y++ {
		for x := clip(n.x, a.width); x < clip(n.x+n.width, a.width); x++ {
			a.at[y*a.width+x] = weight
		}
	}
}

// blur takes means over rows, then over columns, of radius pixels to both sides.
func (a *attention) blur(radius int) {
	line := make([]float64, max(a.width, a.height))
	for y := range a.height {
		mean(a.at[y*a.width:], line[:a.width], 1, radius)
	}
	for x := range a.width {
		mean(a.at[x:], line[:a.height], a.width, radius)
	}
}

// mean replaces values by the means of their neighbors; line is as long as there are values.
func mean(values, line []float64, stride, radius int) {
	sum, count := 0.0, 0
	for i := range line {
		line[i] = values[i*stride]
		if i < radius {
			sum += line[i]
			count++
		}
	}
	for i := range line {
		if i+radius < len(line) {
			sum += line[i+radius]
			count++
		}
		if i > radius {
			sum -= line[i-radius-1]
			count--
		}
		values[i*stride] = sum / float64(count)
	}
}

// encode writes the map as a PNG of gray.
func (a *attention) encode() []byte {
	m := image.NewGray(image.Rect(0, 0, a.width, a.height))
	for i, v := range a.at {
		m.Pix[i] = uint8(math.Round(255 * v))
	}
	return encodePNG(m)
}

// fixationCount is how many fixations a screen has.
const fixationCount = 150

// fixations draws pixels by the square of their attention, as a table with columns x and y.
func (a *attention) fixations(r *stat.Random) []byte {
	sums := make([]float64, len(a.at))
	sum := 0.0
	for i, v := range a.at {
		sum += float64(v * v)
		sums[i] = sum
	}
	var b bytes.Buffer
	b.WriteString("x,y\n")
	for range fixationCount {
		u := r.Float64() * sum
		i := 0
		for step := 1 << 30; step > 0; step >>= 1 {
			if i+step < len(sums) && sums[i+step-1] <= u {
				i += step
			}
		}
		fmt.Fprintf(&b, "%d,%d\n", i%a.width, i/a.width)
	}
	return b.Bytes()
}

// caption describes a screen.
func (s *screen) caption() string {
	pictures, texts, buttons := 0, 0, 0
	s.root.each(func(n, _ *node, _ int) {
		switch {
		case n.fill != nil && n.fill.kind == fillImage:
			pictures++
		case n.kind == typeText:
			texts++
		case n.name == "Buy" || n.name == "Submit":
			buttons++
		}
	})
	parts := []string{fmt.Sprintf("%d lines of text", texts)}
	if pictures > 0 {
		parts = append(parts, fmt.Sprintf("%d pictures", pictures))
	}
	if buttons > 0 {
		parts = append(parts, fmt.Sprintf("%d large buttons", buttons))
	}
	return fmt.Sprintf("a mobile %s screen called %s that shows %s above a bar with four icons",
		s.kind, strings.ToLower(s.title), strings.Join(parts, " and "))
}

// otherWords replace others in captions of damaged screens.
var otherWords = strings.Fields("blurry gray boxes overlapping shapes random letters unclear page empty area colored stripes broken layout")

// reword exchanges words of a caption.
func reword(caption string, strength float64, key stat.Key) string {
	words := strings.Fields(caption)
	for i := range words {
		r := stat.NewRandom(key.Derive(uint64(i)))
		if r.Float64() < 0.8*strength {
			words[i] = one(r, otherWords)
		}
	}
	return strings.Join(words, " ")
}

// similarity is the cosine of the counts of words of two captions.
func similarity(a, b string) float64 {
	x, y := map[string]int{}, map[string]int{}
	for _, w := range strings.Fields(a) {
		x[w]++
	}
	for _, w := range strings.Fields(b) {
		y[w]++
	}
	both, words, other := 0, 0, 0
	for w, n := range x {
		both += n * y[w]
		words += n * n
	}
	for _, n := range y {
		other += n * n
	}
	return float64(both) / math.Sqrt(float64(words*other))
}

// eachCase visits the cases of Task.
func (s *Set) eachCase(visit func(item *sample, level int, id string)) {
	for i := range s.samples {
		for l, level := range Levels() {
			visit(&s.samples[i], l, s.Case(s.samples[i].gid, level.Model))
		}
	}
}

// scored is a row of the scores of captions.
type scored struct {
	ID        string  `json:"case_id"`
	Score     float64 `json:"blip_score"`
	Reference string  `json:"gt_caption"`
	Generated string  `json:"gen_caption"`
}

// describe enters captions and their scores.
func (s *Set) describe() {
	var rows []scored
	s.eachCase(func(item *sample, level int, id string) {
		reference := item.screen.caption()
		generated := reword(reference, Levels()[level].Strength, s.key.Derive(uint64(item.index)).Derive(5))
		rows = append(rows, scored{id, similarity(reference, generated), reference, generated})
	})
	s.put(path.Join("eval_outputs", Task, Variant, "precomputed_blip_scores.json"),
		func() []byte { return encodeJSON(rows) })
	s.put(Captions, func() []byte {
		var b bytes.Buffer
		b.WriteString("case_id,gt_caption,gen_caption\n")
		for _, row := range rows {
			fmt.Fprintf(&b, "%s,%s,%s\n", row.ID, row.Reference, row.Generated)
		}
		return b.Bytes()
	})
}

// raters rate every case.
var raters = []string{"ana", "ben", "chi"}

// rate enters ratings from 1 to 7, lower for more damage, with noise of samples and of people.
func (s *Set) rate() {
	s.put(Ratings, func() []byte {
		var b bytes.Buffer
		b.WriteString("case_id,rater,rating\n")
		s.eachCase(func(item *sample, level int, id string) {
			key := s.key.Derive(uint64(item.index)).Derive(6)
			taste := 0.3 * stat.NewRandom(key).Normal()
			for i, who := range raters {
				noise := 0.5 * stat.NewRandom(key.Derive(uint64(level)).Derive(uint64(i))).Normal()
				rating := 6.6 + taste + noise - float64(5.2*math.Pow(Levels()[level].Strength, 0.7))
				fmt.Fprintf(&b, "%s,%s,%d\n", id, who, int(min(max(math.Round(rating), 1), 7)))
			}
		})
		return b.Bytes()
	})
}
