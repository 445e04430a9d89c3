// How long the metrics of elements take.

package canvas

import (
	"fmt"
	"testing"
)

// feed is a screen of cards in two columns, each of a frame, an icon, texts and a button with a label; shift moves
// them.
func feed(cards int, shift float64) string {
	root := page{id: "0", kind: "FRAME", w: 375, h: float64(100*cards/2 + 100)}
	for i := range cards {
		x, y := 8+184*float64(i%2), 8+100*float64(i/2)+shift*float64(i%3)
		button := page{x: x + 100, y: y + 60, w: 70, h: 24, kind: "FRAME", below: []page{{kind: "TEXT", text: "open", x: x + 110, y: y + 64, w: 40, h: 16}}}
		root.below = append(root.below, page{id: fmt.Sprint(i + 1), kind: "FRAME", x: x, y: y, w: 176, h: 92, below: []page{
			{x: x + 8, y: y + 8, w: 40, h: 40}, {kind: "TEXT", text: "title", x: x + 56, y: y + 8, w: 110 + shift, h: 20},
			{kind: "TEXT", text: "words", x: x + 56, y: y + 30, w: 100, h: 14}, {x: x, y: y + 52, w: 176}, button}})
	}
	return jsonOf(root)
}

// BenchmarkElements scores designs of about 1,000 and 100,000 nodes, reading included, with the metrics of elements.
func BenchmarkElements(b *testing.B) {
	for _, cards := range []int{143, 14_286} {
		reference, generated := feed(cards, 0), feed(cards, 3)
		b.Run(fmt.Sprintf("%dnodes", 7*cards), func(b *testing.B) {
			for b.Loop() {
				if row := scoreDesigns(b, &Setting{}, reference, generated, layoutKinds...); row.Failures != nil {
					b.Fatal(row.Failures)
				}
			}
		})
	}
	reference, generated := drawn(1, 1000), drawn(2, 1000)
	b.Run("random", func(b *testing.B) {
		for b.Loop() {
			scoreDesigns(b, &Setting{}, reference, generated, layoutKinds...)
		}
	})
}
