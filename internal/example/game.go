// The rules: the objects of the game and how one step changes them. Positions and speeds are in sixteenths of a pixel;
// a position is an object's upper left corner.

package example

const unit = 16

const (
	hudHeight   = 9  // rows of the score panel
	groundRow   = 60 // first row of the ground
	playerRow   = 54
	playerSpeed = 24
	shotSpeed   = 44
	maxEnemies  = 6
	maxShots    = 3
	maxBombs    = 4
	startLives  = 3
	scenery     = 128 // width of the scrolling background in pixels
)

type kind int

const (
	crab    kind = iota // patrols and steps down at the walls
	moth                // flutters across in waves
	diver               // hovers, then dives at the player
	saucer              // crosses fast at the top and aims its bombs
	boulder             // bounces over the ground; needs two hits
	kinds   = 5
)

var kindPoints = [kinds]int{crab: 10, moth: 20, diver: 30, saucer: 50, boulder: 15}

type enemy struct {
	kind   kind
	x, y   int
	vx, vy int
	base   int // height around which a moth flutters
	phase  int
	hits   int
	diving bool
}

type missile struct{ x, y, vx, vy int }

type burst struct{ x, y, age int }

type cloud struct{ x, y, vx, width, height int }

type pillar struct{ x, width, top int }

type game struct {
	random stream

	time, limit   int
	player        int
	cooldown      int
	blink         int // frames for which the player cannot be hit
	lives, score  int
	spawnIn       int
	skill         int // of 256: how often the script reacts
	action        int32
	keep          int // frames for which the action is kept
	weights       [kinds]int
	enemies       []enemy
	shots, bombs  []missile
	bursts        []burst
	clouds        []cloud
	pillars       []pillar
	background    [Height * scenery]uint8
	scroll, drift int
}

func newGame(random stream) *game {
	g := &game{random: random, lives: startLives}
	r := &g.random
	g.limit = r.between(60, 200)
	if r.chance(64) {
		g.limit = r.between(150, 250)
	}
	g.player = r.between(4, 51) * unit
	g.skill = r.between(90, 240)
	g.score = 5 * r.between(0, 60)
	g.drift = r.sign() * r.between(2, 5)
	for k := range g.weights {
		g.weights[k] = r.between(1, 8)
	}
	g.paintScenery()
	for range r.between(2, 3) {
		c := cloud{y: r.between(14, 34), width: r.between(11, 17), height: r.between(5, 8)}
		c.x, c.vx = r.between(0, Width-1)*unit, r.sign()*r.between(3, 8)
		g.clouds = append(g.clouds, c)
	}
	for i := range 2 {
		g.pillars = append(g.pillars, pillar{x: r.between(6+28*i, 24+28*i), width: r.between(4, 6), top: r.between(28, 44)})
	}
	for range r.between(2, 4) {
		g.spawn()
		e := &g.enemies[len(g.enemies)-1]
		e.x = r.between(4, 52) * unit // the first wave is already on screen
	}
	g.spawnIn = r.between(5, 20)
	return g
}

// over reports the end of the episode: time is up or no life is left.
func (g *game) over() bool { return g.time >= g.limit || g.lives == 0 }

func (g *game) pickKind() kind {
	total := 0
	for _, w := range g.weights {
		total += w
	}
	n := g.random.below(total)
	for k, w := range g.weights {
		if n < w {
			return kind(k)
		}
		n -= w
	}
	return crab
}

// spawn lets one enemy in from a side (a diver from above).
func (g *game) spawn() {
	r := &g.random
	e := enemy{kind: g.pickKind(), phase: r.below(64), hits: 1}
	direction := r.sign()
	e.x = -8 * unit
	if direction < 0 {
		e.x = Width * unit
	}
	switch e.kind {
	case crab:
		e.y, e.vx = r.between(12, 26)*unit, direction*r.between(8, 16)
	case moth:
		e.base, e.vx = r.between(16, 30)*unit, direction*r.between(10, 18)
		e.y = e.base
	case diver:
		e.x, e.y = r.between(4, 55)*unit, (hudHeight-6)*unit
		e.vx, e.phase = direction*r.between(6, 12), r.between(0, 30)
	case saucer:
		e.y, e.vx = r.between(10, 15)*unit, direction*r.between(20, 30)
	case boulder:
		e.y, e.vx, e.hits = r.between(18, 34)*unit, direction*r.between(9, 16), 2
	}
	g.enemies = append(g.enemies, e)
}

// step applies the action, moves everything by one frame and returns the points gained.
func (g *game) step(action int32) int {
	g.time++
	g.scroll += g.drift
	g.movePlayer(action)
	g.moveEnemies()
	for i := range g.clouds {
		c := &g.clouds[i]
		c.x += c.vx
		if c.x < -24*unit {
			c.x = Width * unit
		} else if c.x > Width*unit {
			c.x = -24 * unit
		}
	}
	g.shots = move(g.shots)
	g.bombs = move(g.bombs)
	kept := g.bursts[:0]
	for _, b := range g.bursts {
		if b.age++; b.age < 9 {
			kept = append(kept, b)
		}
	}
	g.bursts = kept
	points := g.hitEnemies()
	g.hitPlayer()
	g.score = (g.score + points) % 10000
	if g.spawnIn--; g.spawnIn <= 0 {
		if len(g.enemies) < maxEnemies {
			g.spawn()
		}
		g.spawnIn = g.random.between(8, 26)
	}
	return points
}

func (g *game) movePlayer(action int32) {
	if g.blink > 0 {
		g.blink--
	}
	if g.cooldown > 0 {
		g.cooldown--
	}
	switch action {
	case ActionLeft, ActionLeftFire:
		g.player -= playerSpeed
	case ActionRight, ActionRightFire:
		g.player += playerSpeed
	}
	g.player = min(max(g.player, 0), (Width-playerArt.width)*unit)
	if action >= ActionFire && g.cooldown == 0 && len(g.shots) < maxShots {
		g.shots = append(g.shots, missile{x: g.player + 4*unit, y: (playerRow - 2) * unit, vy: -shotSpeed})
		g.cooldown = 7
	}
}

func (g *game) moveEnemies() {
	r := &g.random
	kept := g.enemies[:0]
	for _, e := range g.enemies {
		picture := enemyArt[e.kind][0]
		bomb := g.moveEnemy(&e, picture)
		middle := e.x + picture.width*unit/2
		if middle > 0 && middle < Width*unit && len(g.bombs) < maxBombs && r.chance(bomb) {
			m := missile{x: middle, y: e.y + picture.height*unit, vy: r.between(14, 22)}
			if e.kind == saucer {
				m.vx = min(max((g.player+4*unit-middle)/40, -10), 10)
			}
			g.bombs = append(g.bombs, m)
		}
		// Whatever left the screen for good is gone.
		gone := e.x < -10*unit || e.x > (Width+2)*unit || e.y >= groundRow*unit
		if e.kind == crab && e.y > 46*unit {
			e.y = 12 * unit
		}
		if !gone {
			kept = append(kept, e)
		}
	}
	g.enemies = kept
}

// moveEnemy moves one enemy by a step of its kind and returns its chance of dropping
// a bomb, in 256ths.
func (g *game) moveEnemy(e *enemy, picture sprite) (bomb int) {
	right := (Width - picture.width) * unit
	e.phase++
	e.x += e.vx
	switch e.kind {
	case crab:
		if (e.x < 0 && e.vx < 0) || (e.x > right && e.vx > 0) {
			e.vx = -e.vx
			e.y += 3 * unit
		}
		bomb = 5
	case moth:
		// A parabola per half period approximates the sine.
		p := e.phase & 31
		wave := p * (32 - p) * 7 / 16
		if e.phase&32 != 0 {
			wave = -wave
		}
		e.y = e.base + wave
		if (e.x < 0 && e.vx < 0) || (e.x > right && e.vx > 0) {
			e.vx = -e.vx
		}
		bomb = 3
	case diver:
		switch {
		case e.diving:
			e.vy = min(e.vy+2, 40)
			e.y += e.vy
		case e.phase > 34:
			e.diving, e.vy = true, 4
			distance := g.player + 2*unit - e.x
			e.vx = min(max(distance/28, -24), 24)
		default:
			e.y = min(e.y+8, 13*unit)
			if (e.x < 0 && e.vx < 0) || (e.x > right && e.vx > 0) {
				e.vx = -e.vx
			}
		}
	case saucer:
		bomb = 10
	case boulder:
		e.vy++
		e.y += e.vy
		if floor := (groundRow - picture.height) * unit; e.y > floor {
			e.y, e.vy = floor, -g.random.between(26, 32)
		}
	}
	return bomb
}

// move advances missiles and drops the ones that left the playfield.
func move(missiles []missile) []missile {
	kept := missiles[:0]
	for _, m := range missiles {
		m.x += m.vx
		m.y += m.vy
		if m.y > hudHeight*unit && m.y < (groundRow-1)*unit && m.x >= 0 && m.x < Width*unit {
			kept = append(kept, m)
		}
	}
	return kept
}

func (g *game) burst(x, y int) {
	if len(g.bursts) < 6 {
		g.bursts = append(g.bursts, burst{x: x - 3*unit, y: y - 3*unit})
	}
}

// hitEnemies lets shots strike and returns the points they earn.
func (g *game) hitEnemies() int {
	points := 0
	shots := g.shots[:0]
	for _, s := range g.shots {
		struck := false
		for i := range g.enemies {
			e := &g.enemies[i]
			picture := enemyArt[e.kind][0]
			if e.hits > 0 && s.x >= e.x-unit && s.x <= e.x+picture.width*unit &&
				s.y+3*unit >= e.y && s.y <= e.y+picture.height*unit {
				struck = true
				if e.hits--; e.hits == 0 {
					points += kindPoints[e.kind]
					g.burst(e.x+picture.width*unit/2, e.y+picture.height*unit/2)
				}
				break
			}
		}
		if !struck {
			shots = append(shots, s)
		}
	}
	g.shots = shots
	g.dropDead()
	return points
}

// hitPlayer takes a life when an enemy or a bomb touches the player.
func (g *game) hitPlayer() {
	if g.blink > 0 {
		return
	}
	left, right := g.player+unit, g.player+(playerArt.width-1)*unit
	top := (playerRow + 1) * unit
	struck := false
	for i := range g.enemies {
		e := &g.enemies[i]
		picture := enemyArt[e.kind][0]
		if e.x < right && e.x+picture.width*unit > left && e.y+picture.height*unit > top {
			struck = true
			e.hits = 0
		}
	}
	bombs := g.bombs[:0]
	for _, b := range g.bombs {
		if b.x >= left && b.x <= right && b.y+2*unit > top {
			struck = true
			continue
		}
		bombs = append(bombs, b)
	}
	g.bombs = bombs
	g.dropDead()
	if struck {
		g.burst(g.player+4*unit, (playerRow+3)*unit)
		g.lives--
		g.blink = 22
	}
}

func (g *game) dropDead() {
	kept := g.enemies[:0]
	for _, e := range g.enemies {
		if e.hits > 0 {
			kept = append(kept, e)
		}
	}
	g.enemies = kept
}

// target is the enemy horizontally nearest to the player, or nil.
func (g *game) target() *enemy {
	var nearest *enemy
	best := 0
	for i := range g.enemies {
		e := &g.enemies[i]
		distance := abs(center(e) - (g.player + 4*unit))
		if nearest == nil || distance < best {
			nearest, best = e, distance
		}
	}
	return nearest
}

func center(e *enemy) int { return e.x + enemyArt[e.kind][0].width*unit/2 }

func abs(x int) int { return max(x, -x) }

// appendFactors appends one row of FactorNames.
func (g *game) appendFactors(rows []int32) []int32 {
	tx, ty := int32(-1), int32(-1)
	if e := g.target(); e != nil {
		tx = int32(center(e) / unit)
		ty = int32((e.y + enemyArt[e.kind][0].height*unit/2) / unit)
	}
	return append(rows, int32(g.player/unit+4), tx, ty, int32(len(g.enemies)), int32(len(g.bombs)),
		int32(g.score), int32(g.lives), int32(g.limit-g.time))
}
