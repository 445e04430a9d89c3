// Tests of the game: the same frames everywhere, and what they show.

package example

// Tests of the game: the same bytes everywhere, whole episodes, frames that
// differ little from one to the next and hardly ever repeat.

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
)

// digest hashes everything in a set in little-endian order.
func digest(t *testing.T, s *Set) string {
	t.Helper()
	h := sha256.New()
	for _, part := range []any{s.Frames, s.Episode, s.Action, s.Reward, s.Stop, s.Factors} {
		if err := binary.Write(h, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// The shipped encoders were trained on frames of TrainSeed; these are the first 20,000. If these hashes change, the
// game has changed and the encoders must be retrained.
func TestBytes(t *testing.T) {
	train, err := Generate(Config{Seed: TrainSeed, Frames: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		set        *Set
	}{
		{"training", "f07f3794aa47f410a99c402f34ac24013f0689cfbc24ae1a6f137d3f8fed616a", train},
		{"evaluation", "0577d3cb2cef6a640e3056bc19c9ec4f698481aa7acd5688abf047a93e20b775", Example()},
	} {
		if got := digest(t, c.set); got != c.want {
			t.Errorf("%s set: sha256 %s, want %s", c.name, got, c.want)
		}
	}
}

func TestExampleIsWhole(t *testing.T) {
	s := Example()
	n := s.Len()
	if n < 1_800 || n > 2_200 {
		t.Errorf("%d frames, want about 2,000", n)
	}
	if len(s.Frames) != n*Height*Width || len(s.Action) != n || len(s.Reward) != n ||
		len(s.Stop) != n || len(s.Factors) != n*len(FactorNames) {
		t.Fatalf("lengths do not agree with %d frames", n)
	}
	if last := s.Episode[n-1]; last != ExampleEpisodes-1 {
		t.Errorf("last episode %d, want %d", last, ExampleEpisodes-1)
	}
	length := 0
	for i := range n {
		length++
		end := i == n-1 || s.Episode[i+1] != s.Episode[i]
		if end && i < n-1 && s.Episode[i+1] != s.Episode[i]+1 {
			t.Errorf("episode %d follows episode %d", s.Episode[i+1], s.Episode[i])
		}
		if s.Stop[i] != end {
			t.Errorf("frame %d: stop is %v, want %v", i, s.Stop[i], end)
		}
		if end {
			if length < 40 || length > 250 {
				t.Errorf("episode %d has %d frames, want 40 to 250", s.Episode[i], length)
			}
			length = 0
		} else if gained := factor(s, i+1, "score") - factor(s, i, "score"); float32(gained) != s.Reward[i] {
			t.Errorf("frame %d: reward %g, but the score grows by %d", i, s.Reward[i], gained)
		}
	}
}

func factor(s *Set, i int, name string) int {
	return int(s.Factors[i*len(FactorNames)+slices.Index(FactorNames, name)])
}

func TestFramesMoveALittle(t *testing.T) {
	s := Example()
	seen := map[[sha256.Size]byte]bool{}
	repeats, near, far, pairs := 0, 0, 0, 0
	for i := range s.Len() {
		key := sha256.Sum256(s.Frame(i))
		if seen[key] {
			repeats++
		}
		seen[key] = true
		if !s.Stop[i] {
			pairs++
			near += difference(s.Frame(i), s.Frame(i+1))
			far += difference(s.Frame(i), s.Frame((i+s.Len()/2)%s.Len()))
		}
	}
	if repeats > s.Len()/200 {
		t.Errorf("%d of %d frames repeat an earlier one", repeats, s.Len())
	}
	pixels := float64(pairs * Height * Width)
	t.Logf("mean absolute difference: consecutive %.2f, far apart %.2f", float64(near)/pixels, float64(far)/pixels)
	if near == 0 || 3*near > far {
		t.Errorf("consecutive frames differ by %.2f on average, frames far apart by %.2f: want less than a third",
			float64(near)/pixels, float64(far)/pixels)
	}
}

func difference(a, b []uint8) int {
	sum := 0
	for i := range a {
		sum += abs(int(a[i]) - int(b[i]))
	}
	return sum
}

// Everything that the game has must happen in the evaluation set.
func TestEverythingHappens(t *testing.T) {
	s := Example()
	actions := map[int32]int{}
	hits, deaths, bombs := 0, 0, 0
	low, high := Width, 0
	for i := range s.Len() {
		actions[s.Action[i]]++
		if s.Reward[i] > 0 {
			hits++
		}
		if !s.Stop[i] && factor(s, i+1, "lives") < factor(s, i, "lives") {
			deaths++
		}
		bombs += factor(s, i, "bombs")
		low, high = min(low, factor(s, i, "player_x")), max(high, factor(s, i, "player_x"))
	}
	t.Logf("actions %v, %d hits, %d lives lost, player from %d to %d", actions, hits, deaths, low, high)
	if len(actions) != ActionCount || hits < 50 || deaths < 5 || bombs == 0 || high-low < 40 {
		t.Error("something of the game does not happen")
	}
	kindsSeen := map[kind]bool{}
	for episode := range uint64(ExampleEpisodes) {
		for g := newGame(episodeStream(ExampleSeed, episode)); !g.over(); g.step(g.act()) {
			for _, e := range g.enemies {
				kindsSeen[e.kind] = true
			}
		}
	}
	if len(kindsSeen) != int(kinds) {
		t.Errorf("only %d kinds of enemies appear", len(kindsSeen))
	}
}

// A longer run only adds to a shorter one, and seeds share nothing.
func TestPrefixAndSeeds(t *testing.T) {
	generate := func(c Config) *Set {
		s, err := Generate(c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	short, long := generate(Config{Seed: 9, Frames: 300}), generate(Config{Seed: 9, Episodes: 8})
	if short.Len() != 300 || !short.Stop[299] {
		t.Errorf("%d frames, the last one an end: %v; want 300, true", short.Len(), short.Stop[short.Len()-1])
	}
	if !bytes.Equal(short.Frames, long.Frames[:len(short.Frames)]) {
		t.Error("300 frames are not the beginning of 8 episodes")
	}
	if bytes.Equal(short.Frame(0), generate(Config{Seed: 10, Frames: 1}).Frame(0)) {
		t.Error("two seeds begin with the same frame")
	}
}

func TestGenerateRejects(t *testing.T) {
	for _, c := range []Config{{}, {Episodes: 1, Frames: 1}, {Episodes: -1}, {Frames: -5}, {Episodes: -1, Frames: 3}} {
		if s, err := Generate(c); err == nil || s != nil {
			t.Errorf("%+v: want an error, got none", c)
		}
	}
}

func ExampleGenerate() {
	set, err := Generate(Config{Seed: 5, Episodes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Len(), "frames of", Height, "by", Width)
	// Output: 372 frames of 64 by 64
}

func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		if _, err := Generate(Config{Seed: 1, Frames: 1000}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

// Frame is the i-th screen, 64×64 bytes; it aliases s.Frames.
func (s *Set) Frame(i int) []uint8 {
	const size = Height * Width
	return s.Frames[i*size : (i+1)*size : (i+1)*size]
}
