// The screen: scenery, sprites, foreground that hides them, score panel.

package example

type screen = [Height * Width]uint8

func (g *game) draw(out *screen) {
	g.drawScenery(out)
	for _, b := range g.bombs {
		for dy := range 3 {
			set(out, b.x/unit, b.y/unit+dy, uint8(215-40*((g.time+dy)&1)))
		}
	}
	for _, s := range g.shots {
		for dy := range 4 {
			set(out, s.x/unit, s.y/unit+dy, uint8(255-25*dy))
		}
	}
	for _, e := range g.enemies {
		turn := g.time >> 2 & 1
		if e.kind == boulder {
			turn = 2 - e.hits
		}
		blit(out, &enemyArt[e.kind][turn], e.x>>4, e.y>>4, &enemyTone[e.kind])
	}
	if g.blink&2 == 0 {
		blit(out, &playerArt, g.player/unit, playerRow, &playerTone)
	}
	for _, b := range g.bursts {
		blit(out, &burstArt[b.age/3], b.x>>4, b.y>>4, &burstTone)
	}
	for _, p := range g.pillars {
		p.draw(out)
	}
	for _, c := range g.clouds {
		c.draw(out)
	}
	g.drawPanel(out)
}

func set(out *screen, x, y int, value uint8) {
	if x >= 0 && x < Width && y >= 0 && y < Height {
		out[y*Width+x] = value
	}
}

func blit(out *screen, s *sprite, x, y int, tone *[4]uint8) {
	for i, shade := range s.pixels {
		if shade != 0 {
			set(out, x+i%s.width, y+i/s.width, tone[shade])
		}
	}
}

// paintScenery makes the wide picture behind everything: a sky of some
// brightness with stars, two ranges of hills and the ground.
func (g *game) paintScenery() {
	r := &g.random
	base := r.between(14, 44)
	far := hills(r, 34, 46)
	near := hills(r, 44, 55)
	for y := range Height {
		for x := range scenery {
			value := base + y/4 + r.below(5)
			switch {
			case y >= groundRow:
				value = 96 - 8*(y-groundRow) + 12*((x/3+y)&1) + r.below(6)
			case y >= near[x]:
				value = base + 40 + r.below(8) + 6*((x+y)&1)
			case y >= far[x]:
				value = base + 24 + r.below(6)
			case r.below(110) == 0:
				value = r.between(90, 140)
			}
			g.background[y*scenery+x] = uint8(value)
		}
	}
}

// hills is the first row of a range of hills per column: a closed random walk, because the scenery scrolls round.
func hills(r *stream, top, bottom int) []int {
	const step = 8
	rows := make([]int, scenery)
	var knots [scenery / step]int
	for i := range knots {
		knots[i] = r.between(top, bottom)
	}
	for x := range rows {
		a, b := knots[x/step], knots[(x/step+1)%len(knots)]
		rows[x] = (a*(step-x%step) + b*(x%step)) / step
	}
	return rows
}

func (g *game) drawScenery(out *screen) {
	offset := g.scroll >> 4
	for y := range Height {
		for x := range Width {
			// The ground keeps still; the sky and the hills scroll.
			column := x
			if y < groundRow {
				column = (x + offset) & (scenery - 1)
			}
			out[y*Width+x] = g.background[y*scenery+column]
		}
	}
}

func (p pillar) draw(out *screen) {
	for y := p.top; y < groundRow+2; y++ {
		for x := range p.width {
			value := 120 - 14*abs(2*x-p.width+1)/2
			if (y-p.top)%6 == 5 {
				value -= 30
			}
			if y < p.top+2 {
				value += 25
			}
			set(out, p.x+x, y, uint8(value))
		}
	}
	for x := -1; x <= p.width; x++ {
		set(out, p.x+x, p.top, 150)
	}
}

// draw fills an ellipse, lighter above than below, with a ragged rim.
func (c cloud) draw(out *screen) {
	x0 := c.x >> 4
	for y := range c.height {
		for x := range c.width {
			dx, dy := 2*x-c.width+1, 2*y-c.height+1
			inside := dx*dx*c.height*c.height + dy*dy*c.width*c.width
			area := c.width * c.width * c.height * c.height
			if inside > area || (inside > area*3/4 && (x+y)&1 == 0) {
				continue
			}
			set(out, x0+x, c.y+y, uint8(200-6*y-4*((x*5+y*3)%4)))
		}
	}
}

// drawPanel draws score, lives and the bar of time left.
func (g *game) drawPanel(out *screen) {
	for i := range hudHeight * Width {
		out[i] = 8
	}
	rest := g.score
	for i := 3; i >= 0; i-- {
		blit(out, &digits[rest%10], 2+4*i, 1, &digitTone)
		rest /= 10
	}
	for i := range g.lives {
		blit(out, &lifeArt, 58-5*i, 2, &playerTone)
	}
	// Two rows, the lower one counts the single steps of the upper one's last pixel.
	remaining := g.limit - g.time
	for x := range Width {
		value := uint8(30)
		if 4*x < remaining {
			value = 150
		}
		if 4*x < remaining && remaining < 4*x+4 {
			value = uint8(60 + 24*(remaining-4*x))
		}
		out[7*Width+x] = value
	}
}
