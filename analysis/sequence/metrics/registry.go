// Package metrics has the metrics of masked language models of sequences. A metric is a [sequence.Kind] in a file of
// its own, and a line of [All].
package metrics

import (
	"repscope/analysis/sequence"
)

// All are the metrics, in the order of the result.
func All() sequence.Registry {
	return sequence.Registry{
		maskedAccuracy,
		crossEntropy,
		perplexity,
		contactPrecision,
		chainProbe,
		positionProbe,
		cdrProbe,
		cdrClassProbe,
		regionAccuracy,
		regionLoss,
		regionPerplexity,
		crossChain,
		pseudoPerplexity,
		onePassPerplexity,
		regionGermline,
		perPosition,
		perResidue,
		confusion,
		topK,
		unigram,
		calibration,
		substitutions,
	}
}
