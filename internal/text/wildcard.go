// Patterns of names.

package text

// Wildcard reports whether a pattern with * (any text) and ? (any letter) is a name.
func Wildcard(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, star, from := 0, -1, 0
	for k := 0; k < len(n); {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, k
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[k]):
			i++
			k++
		case star >= 0:
			from++
			i, k = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
