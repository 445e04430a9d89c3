// Operators of tokens.

package operator

import (
	"slices"

	"repscope/model/graph"
)

var textRows = []tableRow{
	{Name: "TfIdfVectorizer", Since: 9, Types: "i", Note: "of integers", Inputs: exactly(1), Outputs: 1,
		Attributes: []string{"max_gram_length", "max_skip_count", "min_gram_length", "mode", "ngram_counts", "ngram_indexes", "pool_int64s",
			"pool_strings", "weights"}, infer: inferGrams},
}

// inferGrams counts, in each row of tokens, the n-grams of a pool: n-grams of adjacent tokens, or of tokens with the
// same number of others between them.
func inferGrams(c *context) {
	c.want(0, graph.Int64)
	s := c.shape(0)
	if len(s) < 1 || len(s) > 2 {
		c.failf("input %v, want [tokens] or [N, tokens]", s)
	}
	rows, tokens := graph.Count(s[:len(s)-1]), s[len(s)-1]
	pool, columns, byLength := c.pool()
	width := slices.Max(columns) + 1
	l := c.unroll((c.integer("max_skip_count", 0)+1)*len(byLength), 12*(c.integer("max_gram_length", 1)+2))
	x := l.reshape(l.int64Of(c.Node.Inputs[0]), []int{rows, 1, tokens})
	counts := l.expand(l.number(0), rows, len(columns))
	first := 0
	var sums []string
	for n := 1; n <= len(byLength); n++ {
		grams := byLength[n-1]
		if n >= c.integer("min_gram_length", 1) && n <= c.integer("max_gram_length", 1) && grams > 0 {
			sums = append(sums, l.countGrams(x, pool[first:][:n*grams], n, tokens, c.integer("max_skip_count", 0)))
		} else if grams > 0 {
			sums = append(sums, l.slice(counts, 1, 0, grams))
		}
		first += n * grams
	}
	y := l.concat(1, sums...)
	y = l.weigh(c, y)
	// Their columns in the output; columns of no n-gram are 0.
	index := slices.Repeat([]int{len(columns)}, width)
	for i, column := range columns {
		if index[column] != len(columns) {
			c.failf("ngram_indexes has %d twice", column)
		}
		index[column] = i
	}
	y = l.pad(y, 2, 1, 0, 1, 0)
	y = l.add("Gather", map[string]graph.Attribute{"axis": graph.IntAttribute(1)}, y, l.constant(integerVector(index...)))
	l.finish(l.reshape(y, append(slices.Clone(s[:len(s)-1]), width)))
}

// pool is the n-grams one after the other, the column of each, and how many there are of each length from 1 on.
func (c *context) pool() (tokens []int64, columns, byLength []int) {
	a, ok := c.attribute("pool_int64s", graph.AttributeInts)
	if !ok {
		c.unsupported("n-grams of strings")
	}
	starts, _ := c.integers("ngram_counts")
	columns, _ = c.integers("ngram_indexes")
	tokens = a.Ints
	total := 0
	for i, start := range starts {
		end := len(tokens)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		if start < 0 || end < start || end > len(tokens) || (end-start)%(i+1) != 0 {
			c.failf("ngram_counts %v for a pool of %d", starts, len(tokens))
		}
		byLength = append(byLength, (end-start)/(i+1))
		total += byLength[i]
	}
	if total == 0 || total != len(columns) || starts[0] != 0 || slices.Min(columns) < 0 || slices.Max(columns) > graph.FoldLimit {
		c.failf("%d n-grams and %d indices", total, len(columns))
	}
	if skips := c.integer("max_skip_count", 0); skips < 0 || c.integer("max_gram_length", 1) < 1 {
		c.failf("max_skip_count %d and max_gram_length %d", skips, c.integer("max_gram_length", 1))
	}
	return tokens, columns, byLength
}

// countGrams is how often each of the n-grams is found in the rows of x, [rows, 1, tokens].
func (l *lowering) countGrams(x string, grams []int64, n, tokens, skips int) string {
	each := make([]string, n) // the kth tokens of all n-grams, as a column
	for k := range each {
		column := graph.Ints()
		for i := k; i < len(grams); i += n {
			column.I64 = append(column.I64, grams[i])
		}
		column.Shape = []int{len(column.I64), 1}
		each[k] = l.constant(column)
	}
	if n == 1 {
		skips = 0
	}
	sum := ""
	for apart := 1; apart <= skips+1; apart++ {
		positions := max(tokens-(n-1)*apart, 0)
		matched := ""
		for k, column := range each {
			same := l.add("Equal", nil, l.slice(x, 2, min(k*apart, tokens), min(k*apart+positions, tokens)), column)
			if matched != "" {
				same = l.add("And", nil, matched, same)
			}
			matched = same
		}
		count := l.add("ReduceSum", map[string]graph.Attribute{"axes": graph.IntsAttribute(2), "keepdims": graph.IntAttribute(0)},
			l.add("Cast", map[string]graph.Attribute{"to": graph.IntAttribute(graph.ElementFloat)}, matched))
		if sum != "" {
			count = l.add("Add", nil, sum, count)
		}
		sum = count
	}
	return sum
}

// weigh weights counts of n-grams by the mode.
func (l *lowering) weigh(c *context, counts string) string {
	weights := ""
	if a, ok := c.attribute("weights", graph.AttributeFloats); ok {
		if columns, _ := c.integers("ngram_indexes"); len(a.Floats) != len(columns) {
			c.failf("%d weights for %d n-grams", len(a.Floats), len(columns))
		}
		weights = l.constant(graph.Floats(a.Floats, len(a.Floats)))
	}
	switch mode := c.text("mode", ""); mode {
	case "TF":
		return counts
	case "IDF":
		counts = l.clip(counts, 0, 1)
	case "TFIDF":
	default:
		c.failf("mode is %q, want TF, IDF or TFIDF", mode)
	}
	if weights == "" {
		return counts
	}
	return l.add("Mul", nil, counts, weights)
}
