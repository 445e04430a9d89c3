// Orders of a null in which every state occurs once.

package stat

// Permutation is order number p with each state once, for measures that distances of equal states would change, such
// as nearest neighbors. Where all orders are permutations ([EpisodeNull.Permutes]) it is [EpisodeNull.Order]. Else an
// episode that is longer than the episode it is given keeps its last states for the last states of episodes that are
// longer than their partner, run by run in the order of the exchange.
func (e *EpisodeNull) Permutation(p int) (order []int, near bool) {
	if e.Permutes() {
		return e.Order(p)
	}
	order = make([]int, e.n)
	r := NewRandom(StreamNullEpisodes.Key(e.seed, uint64(p)))
	var open, over []int // states of the first and of the second sequence without a partner
	for k, from := range r.Perm(len(e.episodes)) {
		to, episode := e.episodes[k], e.episodes[from]
		common := min(len(to), len(episode))
		for i := range common {
			order[to[i]] = episode[i]
		}
		open, over = append(open, to[common:]...), append(over, episode[common:]...)
	}
	for i, state := range open {
		order[state] = over[i]
	}
	return order, false
}
