// Package text compares texts and other sequences: edit distance, longest common subsequence, the
// longest matching blocks of Ratcliff and Obershelp, error rates of characters and overlap of words.
//
//	like := text.Similarity("Sign in", "Sign up")    // 1 − 2/7
//	errors := text.CER("Sign in", "Sing in")         // 2/7
//	words := text.WordF1("Sign in now", "sign in")   // 0.8
//
// Letters are Unicode code points, as Go ranges over strings: a byte that is no UTF-8 counts as
// U+FFFD. What a reader sees as one letter may be several of them, such as an e with a combining
// accent, a flag or a family of emoji. [CER] and [WordF1] compare texts as [Normalize] has them, which
// writes alike what looks alike; all others compare code points as they are.
//
// Sequences of anything that can be compared, or many texts against many, go through a [Comparer].
package text
