// Which metrics there are.

package sequence

// All are the metrics, in the order of the result.
func All() Registry {
	return Registry{
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
