// Package identity measures how alike sequences of letters are, such as proteins, DNA or tokens of one byte, and finds
// near copies among many: sequence identity, the nearest reference of each query, and single-linkage clusters.
//
//	x, y := []byte("EVQLVESGG"), []byte("EVQLLESG")
//	same, err := identity.Identity(x, y) // 7 of 8 letters
//	nearest, err := identity.Nearest(ctx, [][]byte{x}, [][]byte{y}, identity.Options{Least: 0.7})
//	fmt.Println(same, nearest[0].Reference, err)
//
// The identity of two sequences is the number of equal pairs of a global alignment over the length of the shorter
// sequence. The alignment has the fewest edits (substitutions, insertions and deletions, each 1), and among all with
// the fewest edits it has the most equal pairs. Letters are bytes and are compared as they are: "a" differs from "A".
//
// A short sequence has a high identity with every much longer sequence, because its letters occur there in the same
// order. Compare sequences of similar lengths, or check the lengths of a match.
//
// Searches are exact. Pairs are left out only when a bound shows that they cannot reach the identity that is asked for:
// by their common trigrams, then by the longest common subsequence of a part and of the whole, then by the edit
// distance. What remains is aligned.
package identity
