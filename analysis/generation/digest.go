// Digests of inputs, for the identity of the work.

package generation

import (
	"fmt"
	"slices"

	"repscope/points"
	"repscope/shard"
)

// Identity is the digest of the samples and all that belongs to them; empty of nil.
func (s *Samples) Identity() string {
	if s == nil {
		return ""
	}
	rows := s.Digest
	if rows == "" {
		rows = shard.Digest(s.Rows)
	}
	valid := make([]int, len(s.Valid))
	for i, v := range s.Valid {
		if v {
			valid[i] = 1
		}
	}
	text := fmt.Sprintf("%s %v %s", rows, s.Shape, shard.Digest(points.Points{}, s.Labels, s.Groups, valid))
	for _, of := range s.Statistics {
		text += fmt.Sprintf(" %s %v %s", of.Name, of.Published, shard.Digest(points.Float64(of.Values, 1)))
	}
	return text
}

func (p *Pairs) digest() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s %d %v %d %s", p.Digest, p.N, p.Shape, p.Draws,
		shard.Digest(points.Points{}, p.Labels, p.Groups))
}

func (l *Latents) digest() string {
	if l == nil {
		return ""
	}
	return shard.Digest(l.Points, l.Labels, l.Groups)
}

func (p *Predictions) digest() string {
	if p == nil {
		return ""
	}
	var counts []int
	for _, label := range sortedKeys(p.Generated) {
		counts = append(counts, label, p.Generated[label])
	}
	return shard.Digest(points.Points{}, p.Target, p.Predicted, p.Groups, counts)
}

// sortedKeys are the keys of a map, ascending.
func sortedKeys[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
