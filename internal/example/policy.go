// The player: a script that dodges bombs, follows the nearest enemy and fires,
// with a skill and lapses drawn per episode.

package example

func (g *game) act() int32 {
	r := &g.random
	if g.keep > 0 {
		g.keep--
		return g.action
	}
	g.keep = r.below(4)
	if !r.chance(g.skill) {
		g.action = int32(r.below(ActionCount))
		return g.action
	}
	middle := g.player + 4*unit
	if direction := g.danger(middle); direction != 0 {
		g.action = ActionLeft
		if direction > 0 {
			g.action = ActionRight
		}
		g.keep = 1
		return g.action
	}
	g.action = ActionNone
	e := g.target()
	if e == nil {
		return g.action
	}
	// Aim where the enemy will be when a shot arrives.
	flight := max(playerRow*unit-e.y, 0) / shotSpeed
	distance := center(e) + e.vx*flight - middle
	fire := abs(distance) < 6*unit
	switch {
	case distance < -2*unit && fire:
		g.action = ActionLeftFire
	case distance > 2*unit && fire:
		g.action = ActionRightFire
	case fire:
		g.action = ActionFire
	case distance < 0:
		g.action = ActionLeft
	default:
		g.action = ActionRight
	}
	return g.action
}

// danger is the direction in which to flee from a falling bomb or a low enemy, 0 if none is near.
func (g *game) danger(middle int) int {
	flee := func(x int) int {
		switch {
		case middle < 8*unit:
			return 1
		case middle > (Width-8)*unit:
			return -1
		case x > middle:
			return -1
		}
		return 1
	}
	for _, b := range g.bombs {
		if b.y > 36*unit && abs(b.x-middle) < 6*unit {
			return flee(b.x)
		}
	}
	for i := range g.enemies {
		e := &g.enemies[i]
		if e.y > 40*unit && abs(center(e)-middle) < 9*unit {
			return flee(center(e))
		}
	}
	return 0
}
