// Package example is the built-in example: a small deterministic arcade game that plays itself, and two encoders
// trained on its frames.
//
// A gunner at the bottom of a 64×64 grayscale screen shoots at crabs, moths, divers, saucers and boulders, which move
// each in its own way, drop bombs and hide behind clouds and pillars. Score, lives and the time left are drawn on
// screen. A seeded script plays; every episode has its own scenery, wave of enemies, skill of the player and length.
//
// The whole game is integer arithmetic on a counter-based generator, so a seed gives the same bytes on every machine:
//
//	set, err := example.Generate(example.Config{Seed: 1, Episodes: 4})
//	// set.Frames holds set.Len() frames of 64×64 bytes, set.Episode their episode.
package example

import "fmt"

// Height and Width are the size of a frame in pixels.
const (
	Height = 64
	Width  = 64
)

// Actions of the player, as stored in Set.Action.
const (
	ActionNone int32 = iota
	ActionLeft
	ActionRight
	ActionFire
	ActionLeftFire
	ActionRightFire
	// ActionCount is the number of different actions.
	ActionCount = 6
)

// Seeds of the two sets of frames. Episodes of different seeds never share
// their random numbers, so the evaluation set is held out from training.
const (
	TrainSeed   uint64 = 1
	ExampleSeed uint64 = 1_000_003
	// ExampleEpisodes is the number of episodes of the evaluation set.
	ExampleEpisodes = 16
)

// FactorNames names the columns of Set.Factors: the state of the game when it drew a frame. Positions are centers in
// pixels; the target is the enemy that the player aims at (the horizontally nearest one), -1 if there is none.
var FactorNames = []string{"player_x", "target_x", "target_y", "enemies", "bombs", "score", "lives", "time_left"}

// Config selects a game. Exactly one of Episodes and Frames must be positive.
type Config struct {
	// Seed chooses the game; each episode derives its own stream from it.
	Seed uint64
	// Episodes is the number of complete episodes to play.
	Episodes int
	// Frames is the exact number of frames to make; the last episode may be cut
	// short, and its last frame counts as an end of episode all the same.
	Frames int
}

// Set is a run of episodes, frame after frame.
type Set struct {
	// Frames holds the screens, [N,64,64] in row-major order, 0 black, 255 white.
	Frames []uint8
	// Episode is the episode number of each frame, from 0 without gaps.
	Episode []int64
	// Action is the player's action after seeing the frame.
	Action []int32
	// Reward is the score gained by that action, in points.
	Reward []float32
	// Stop is true at the last frame of each episode.
	Stop []bool
	// Factors holds the game's own state, [N,len(FactorNames)].
	Factors []int32
}

// Len is the number of frames N.
func (s *Set) Len() int { return len(s.Episode) }

// usualFrames is about how many frames an episode has.
const usualFrames = 150

// Generate plays the episodes of the configuration.
func Generate(c Config) (*Set, error) {
	if c.Episodes < 0 || c.Frames < 0 || (c.Episodes > 0) == (c.Frames > 0) {
		return nil, fmt.Errorf("arcade: want either a positive number of episodes or of frames, got %d episodes and %d frames", c.Episodes, c.Frames)
	}
	s := &Set{Frames: make([]uint8, 0, min(max(c.Frames, usualFrames*c.Episodes), 1<<13)*Height*Width)}
	for episode := int64(0); ; episode++ {
		if c.Episodes > 0 && episode == int64(c.Episodes) {
			return s, nil
		}
		g := newGame(episodeStream(c.Seed, uint64(episode)))
		for {
			var screen [Height * Width]uint8
			g.draw(&screen)
			s.Frames = append(s.Frames, screen[:]...)
			s.Factors = g.appendFactors(s.Factors)
			s.Episode = append(s.Episode, episode)
			action := g.act()
			points := g.step(action)
			s.Action = append(s.Action, action)
			s.Reward = append(s.Reward, float32(points))
			full := c.Frames > 0 && len(s.Episode) == c.Frames
			s.Stop = append(s.Stop, g.over() || full)
			if full {
				return s, nil
			}
			if g.over() {
				break
			}
		}
	}
}

// Example plays the built-in evaluation set: ExampleEpisodes episodes, about 2,000 frames, none of them in the training
// of the shipped encoders.
func Example() *Set {
	s, err := Generate(Config{Seed: ExampleSeed, Episodes: ExampleEpisodes})
	if err != nil {
		panic(err) // the configuration is a constant and valid
	}
	return s
}
