// Random numbers of the game: a counter-based generator (the output function of
// splitmix64 on key + counter·γ), integer arithmetic only.

package example

const golden = 0x9e3779b97f4a7c15

type stream struct{ key, counter uint64 }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// episodeStream is the stream of one episode of one seed.
func episodeStream(seed, episode uint64) stream {
	return stream{key: mix(mix(seed+golden) ^ (episode+1)*golden)}
}

func (s *stream) next() uint64 {
	s.counter++
	return mix(s.key + s.counter*golden)
}

// below is uniform on 0..n-1 up to a bias of n/2³², which no game notices.
func (s *stream) below(n int) int {
	return int((s.next() >> 32) * uint64(n) >> 32)
}

// between is uniform on low..high, both included.
func (s *stream) between(low, high int) int { return low + s.below(high-low+1) }

// chance is true n times in 256.
func (s *stream) chance(n int) bool { return s.below(256) < n }

// sign is -1 or +1.
func (s *stream) sign() int { return 1 - 2*s.below(2) }
