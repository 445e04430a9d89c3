// The pictures of the game as text: '#' bright, 'o' middle, 'x' dark, '.' clear.

package example

type sprite struct {
	width, height int
	pixels        []uint8 // shade 0 (clear) to 3 (bright)
}

func art(rows ...string) sprite {
	s := sprite{width: len(rows[0]), height: len(rows)}
	for _, row := range rows {
		for _, c := range []byte(row) {
			var shade uint8
			switch c {
			case 'x':
				shade = 1
			case 'o':
				shade = 2
			case '#':
				shade = 3
			}
			s.pixels = append(s.pixels, shade)
		}
	}
	return s
}

var playerArt = art(
	"....#....",
	"....#....",
	"...o#o...",
	".oo###oo.",
	"o#######o",
	"o#x#x#x#o",
)

// enemyArt holds two pictures of each kind, shown in turn.
var enemyArt = [kinds][2]sprite{
	crab: {
		art("o..#..o", "oo###oo", "##x#x##", ".#####.", "o.o.o.o"),
		art("...#...", ".o###o.", "##x#x##", "o#####o", ".o...o."),
	},
	moth: {
		art("#.....#", "##.o.##", ".##o##.", "..#x#..", ".#.o.#."),
		art(".......", "...o...", "###o###", "###x###", "#..o..#"),
	},
	diver: {
		art("oo#oo", "o###o", ".#x#.", ".###.", "..#..", "..#.."),
		art("o.#.o", "o###o", "o#x#o", ".###.", ".###.", "..#.."),
	},
	saucer: {
		art("...ooo...", "..o###o..", "#########", "x#x#x#x#x", "..xxxxx.."),
		art("...ooo...", "..o###o..", "#########", "#x#x#x#x#", "..xxxxx.."),
	},
	boulder: {
		art("..ooo..", ".o##oo.", "o##oooo", "o#ooxoo", "oooooxo", ".oxooo.", "..ooo.."),
		art("..o.o..", ".ox#xo.", "o#xoxo.", "o#ox.oo", ".ooxoxo", ".oxoxo.", "..o.o.."),
	},
}

// enemyTone is the brightness of the three shades of each kind.
var enemyTone = [kinds][4]uint8{
	crab:    {0, 70, 150, 205},
	moth:    {0, 90, 190, 235},
	diver:   {0, 60, 140, 180},
	saucer:  {0, 80, 170, 250},
	boulder: {0, 75, 115, 160},
}

var playerTone = [4]uint8{0, 90, 175, 245}

var burstArt = [3]sprite{
	art(".......", "...o...", "..o#o..", ".o###o.", "..o#o..", "...o...", "......."),
	art("...o...", ".o.#.o.", "..o#o..", "o##.##o", "..o#o..", ".o.#.o.", "...o..."),
	art("o..o..o", ".x...x.", "..x.x..", "o..x..o", "..x.x..", ".x...x.", "o..o..o"),
}

var burstTone = [4]uint8{0, 110, 180, 255}

var lifeArt = art(".#.", "###", "#x#")

var digits = [10]sprite{
	art("###", "#.#", "#.#", "#.#", "###"),
	art(".#.", "##.", ".#.", ".#.", "###"),
	art("###", "..#", "###", "#..", "###"),
	art("###", "..#", ".##", "..#", "###"),
	art("#.#", "#.#", "###", "..#", "..#"),
	art("###", "#..", "###", "..#", "###"),
	art("###", "#..", "###", "#.#", "###"),
	art("###", "..#", ".#.", ".#.", ".#."),
	art("###", "#.#", "###", "#.#", "###"),
	art("###", "#.#", "###", "..#", "###"),
}

var digitTone = [4]uint8{0, 120, 160, 230}
