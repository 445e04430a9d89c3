// Bounds that leave out pairs without aligning them.

package identity

import (
	"math/bits"
)

const (
	gram     = 3  // letters
	words    = 16 // of a signature
	mostRows = 4 * 64
)

// signature has a bit for each gram of a sequence, by a hash.
type signature [words]uint64

// sign returns the signature of a sequence and the number of its bits.
func sign(s []byte) (out signature, ones int) {
	for i := gram; i <= len(s); i++ {
		h := (uint32(s[i-3]) | uint32(s[i-2])<<8 | uint32(s[i-1])<<16) * 0x9E3779B1 >> 22
		out[h>>6] |= 1 << (h & 63)
	}
	for _, w := range out {
		ones += bits.OnesCount64(w)
	}
	return out, ones
}

// shared is the number of bits that two signatures share.
func (s *signature) shared(other *signature) int {
	n := 0
	for i, w := range s {
		n += bits.OnesCount64(w & other[i])
	}
	return n
}

// lost is the most grams of a sequence that the other one need not have, when unmatched letters of the sequence and
// inserted letters of the other have no partner: a letter without a partner is in up to 3 grams, and a gap between
// neighboring letters in up to 2. This is the lemma of q-grams (Ukkonen 1992) with letters and gaps apart.
func lost(unmatched, inserted int) int { return gram*unmatched + (gram-1)*inserted }

// query is a sequence as it is compared with many. It serves one goroutine at a time.
type query struct {
	letters []byte
	sign    signature
	ones    int
	masks   [256][4]uint64 // by letter, its places in the first 256 letters
	aligner *aligner
}

func newQuery() *query { return &query{aligner: newAligner()} }

// set makes s the sequence that is compared.
func (q *query) set(s []byte) {
	for _, letter := range q.letters[:min(len(q.letters), mostRows)] {
		q.masks[letter] = [4]uint64{}
	}
	q.letters = s
	for i, letter := range s[:min(len(s), mostRows)] {
		q.masks[letter][i>>6] |= 1 << (i & 63)
	}
	q.sign, q.ones = sign(s)
}

// alike is whether the query and a sequence of m letters may have at least need equal pairs: ones is the number of bits
// of its signature, and shared the number of these that the query's signature has too.
func (q *query) alike(m, ones, shared, need int) bool {
	unmatched, inserted := len(q.letters)-need, m-need
	return q.ones-shared <= lost(unmatched, inserted) && ones-shared <= lost(inserted, unmatched)
}

// subsequence is whether the query and s have a common subsequence of at least need letters.
//
// A path of the table that loses k letters of the shorter sequence has at most k less than all pairs in the square
// of the first letters: LCS(a[:i], b[:j]) ≥ min(i, j) − k for all i − j = |a| − |b|. For sequences that have little in
// common a small square decides.
func (q *query) subsequence(s []byte, need int) bool {
	n, m := len(q.letters), len(s)
	spare := min(n, m) - need
	i := min(n, width(min(n, 8+spare*13/8+max(0, n-m))))
	if j := i - n + m; j > 0 && q.prefix(s[:j], i) < min(i, j)-spare {
		return false
	}
	if i == n {
		return true
	}
	if n <= mostRows {
		return q.prefix(s, n) >= need
	}
	return q.aligner.common(q.letters, s) >= need
}

// width is the number of rows that [query.prefix] computes to get at least rows of them.
func width(rows int) int {
	switch {
	case rows <= 64:
		return 64
	case rows <= 128:
		return 128
	}
	return mostRows
}

// prefix returns the length of the longest common subsequence of the query's first i letters, at most 256, and s, by
// bit vectors (Hyyrö 2004): a bit is 0 where the subsequence grows.
func (q *query) prefix(s []byte, i int) int {
	v0, v1, v2, v3 := ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)
	switch width(i) {
	case 64:
		for _, letter := range s {
			x := v0 & q.masks[letter][0]
			v0 = (v0 + x) | (v0 ^ x)
		}
	case 128:
		for _, letter := range s {
			equal := &q.masks[letter]
			x0, x1 := v0&equal[0], v1&equal[1]
			s0, c := bits.Add64(v0, x0, 0)
			s1, _ := bits.Add64(v1, x1, c)
			v0, v1 = s0|(v0^x0), s1|(v1^x1)
		}
	default:
		for _, letter := range s {
			equal := &q.masks[letter]
			x0, x1, x2, x3 := v0&equal[0], v1&equal[1], v2&equal[2], v3&equal[3]
			s0, c := bits.Add64(v0, x0, 0)
			s1, c := bits.Add64(v1, x1, c)
			s2, c := bits.Add64(v2, x2, c)
			s3, _ := bits.Add64(v3, x3, c)
			v0, v1, v2, v3 = s0|(v0^x0), s1|(v1^x1), s2|(v2^x2), s3|(v3^x3)
		}
	}
	length := 0
	for k, v := range [...]uint64{v0, v1, v2, v3} {
		if k*64 < i {
			length += bits.OnesCount64(^v << max(0, 64*(k+1)-i))
		}
	}
	return length
}

// align returns the equal pairs of the query and s, and the edits, if the equal pairs are at least need.
func (q *query) align(s []byte, need int) (matches, edits int, enough bool) {
	n, m := len(q.letters), len(s)
	edits, enough = q.aligner.within(q.letters, s, n+m-2*need) // equal pairs = (n + m − edits − substitutions)/2
	if !enough {
		return 0, edits, false
	}
	matches = q.aligner.matches(q.letters, s, edits)
	return matches, edits, matches >= need
}

// reach is whether the equal pairs of the query and s are at least need.
func (q *query) reach(s []byte, need int) bool {
	n, m := len(q.letters), len(s)
	edits, enough := q.aligner.within(q.letters, s, n+m-2*need)
	if !enough || max(n, m)-edits >= need { // as substitutions ≤ edits − |n − m|
		return enough
	}
	return q.aligner.matches(q.letters, s, edits) >= need
}
