// The registry of random streams: every use of a seed in the whole program, by
// number, so that no two draws from one seed are the same numbers.

package stat

// Stream is one use of a seed. All of them stand in this file; a test of this
// package fails where two are equal, and where another package makes keys without
// naming one of them. The numbers never change: a new number is another result.
type Stream uint64

const (
	// StreamSample draws the states that are analyzed (internal/input); it spells
	// "sample".
	StreamSample Stream = 0x73616d706c65
	// StreamPairs draws pairs of states at a horizon (internal/input): "pairs".
	StreamPairs Stream = 0x7061697273

	// StreamBootstrap draws blocks for a resample (this package): "stat".
	StreamBootstrap Stream = 0x73746174
	// StreamSignFlip draws signs of blocks for a comparison (this package).
	StreamSignFlip Stream = 0x73746175
	// StreamSelection draws the slopes that bound Theil–Sen's (this package).
	StreamSelection Stream = 0x73746176
	// StreamHalves draws which blocks are halved together (this package).
	StreamHalves Stream = 0x73746177

	// StreamRandomEncoder draws the weights of the random encoder (latent).
	StreamRandomEncoder Stream = 0x6c61_0001
	// StreamSubspace draws the first directions of the encoder by principal
	// components (latent).
	StreamSubspace Stream = 0x6c61_0002
	// StreamSeparate draws states that tell the outputs of layers apart (latent).
	StreamSeparate Stream = 0x6c61_0003

	// StreamReferences draws the reference points of an approximate pass
	// (neighbors): "refe".
	StreamReferences Stream = 0x72656665
	// StreamQueries draws the points whose recall is measured (neighbors): "quer".
	StreamQueries Stream = 0x71756572
	// StreamCells draws the points that cells are trained on (neighbors): "cell".
	StreamCells Stream = 0x63656c6c
	// StreamPilot draws the points that choose how many cells are searched
	// (neighbors): "pilo".
	StreamPilot Stream = 0x70696c6f
	// StreamTies orders points at equal distances (neighbors): "ties".
	StreamTies Stream = 0x74696573

	// StreamCorruption draws the corruption of a state (measure/corruption): "robu".
	StreamCorruption Stream = 0x726f6275
	// StreamKMeans draws the starts of k-means (measure/cluster): "kmeans".
	StreamKMeans Stream = 0x6b6d65616e73
	// StreamRSA draws the pairs whose distances are ranked (measure/similarity):
	// "rsa".
	StreamRSA Stream = 0x727361
	// StreamDecimation splits points into subsets (measure/dimension): "deci".
	StreamDecimation Stream = 0x64656369

	// StreamTriples draws three states that do not follow each other (analysis/geometry):
	// "trip".
	StreamTriples Stream = 0x74726970
	// StreamPermutation permutes states for the null of independent ones
	// (analysis/neighborhood): "null".
	StreamPermutation Stream = 0x6e756c6c
	// StreamDesign draws the simulated states of the calibration (internal/calibration):
	// "cali".
	StreamDesign Stream = 0x63616c69
	// StreamScatter draws the pairs that a scatter plot shows (analysis/smoothness):
	// "smoo".
	StreamScatter Stream = 0x736d6f6f
	// StreamMLP draws the first weights, the validation episodes and the batches of a network
	// (measure/probe): "mlp".
	StreamMLP Stream = 0x6d6c70
	// StreamFractions orders the episodes of a label-efficiency curve (measure/probe): "frac".
	StreamFractions Stream = 0x66726163
	// StreamControl draws the labels of a control task (measure/probe): "ctrl".
	StreamControl Stream = 0x6374726c
	// StreamSheet draws the samples of a contact sheet (analysis/reconstruction):
	// "shee".
	StreamSheet Stream = 0x73686565
	// StreamStudyRuns draws runs inside tasks (measure/study): "stud".
	StreamStudyRuns Stream = 0x73747564
	// StreamStudyTasks draws tasks (measure/study).
	StreamStudyTasks Stream = 0x73747565
	// StreamStudyExample draws the made study of the example (tool/compare).
	StreamStudyExample Stream = 0x73747566
	// StreamBoards makes the toy boards of the example (internal/example/boards): "boar".
	StreamBoards Stream = 0x626f6172
	// StreamTemporalPairs draws pairs of states of an episode (analysis/reward): "temp".
	StreamTemporalPairs Stream = 0x74656d70
	// StreamTwoSample divides two samples at random, and draws the points of a median
	// distance (measure/twosample): "twos".
	StreamTwoSample Stream = 0x74776f73
	// StreamSubsets draws subsets of growing size (measure/twosample): "subs".
	StreamSubsets Stream = 0x73756273
	// StreamJoint draws the samples whose statistics are tested at once (analysis/generation):
	// "join".
	StreamJoint Stream = 0x6a6f696e
	// StreamSplits splits a sample into two parts (measure/twosample): "spli".
	StreamSplits Stream = 0x73706c69
	// StreamEdges draws pairs of neighboring cells (measure/ensemble): "edge".
	StreamEdges Stream = 0x65646765
	// StreamLabels shuffles labels among latents (analysis/generation): "labl".
	StreamLabels Stream = 0x6c61626c
	// StreamDraws draws the latents that generators decode (analysis/generation): "draw".
	StreamDraws Stream = 0x64726177
	// StreamForecast draws the noise of members that models make (analysis/forecast):
	// "fore".
	StreamForecast Stream = 0x666f7265
	// StreamRealHalves halves real samples, to be held against each other (analysis/generation):
	// "rhal".
	StreamRealHalves Stream = 0x7268616c
	// StreamSequences makes the sequences of the example (internal/example/sequences): "sequ".
	StreamSequences Stream = 0x73657175
	// StreamProbe draws what probes of hidden states are fitted on (analysis/sequence): "prob".
	StreamProbe Stream = 0x70726f62
	// StreamMask draws the positions of a sequence that are hidden (measure/token): "mask".
	StreamMask Stream = 0x6d61736b
	// StreamContacts draws the sequences that regressions of contacts are fitted on
	// (analysis/sequence): "cont".
	StreamContacts Stream = 0x636f6e74
	// StreamScreens makes the screens of the example (internal/example/screens): "scre".
	StreamScreens Stream = 0x73637265
	// StreamFixations draws pixels that are taken for fixations (measure/saliency): "fixa".
	StreamFixations Stream = 0x66697861
	// StreamNullEpisodes exchanges and rotates whole episodes for the null of similarities (this
	// package): "nule".
	StreamNullEpisodes Stream = 0x6e756c65
	// StreamViolation draws moments and violations of episodes (measure/violation, analysis/surprise): "viol".
	StreamViolation Stream = 0x76696f6c
	// StreamAuditReferences draws the training episodes that say which states are too near (analysis/audit): "auri".
	StreamAuditReferences Stream = 0x61757269
	// StreamValidateNull permutes and shifts outcomes (measure/selection): "valn".
	StreamValidateNull Stream = 0x76616c6e
	// StreamValidateThinning draws halves of outcomes with known errors (measure/selection): "valt".
	StreamValidateThinning Stream = 0x76616c74
	// StreamValidateExample draws the synthetic table of the example (tool/validate): "vale".
	StreamValidateExample Stream = 0x76616c65
	// StreamSlices draws the directions of sliced statistics (measure/normality): "slic".
	StreamSlices Stream = 0x736c6963
	// StreamGaussianNull draws Gaussian points whose statistics are a null (measure/normality): "gaus".
	StreamGaussianNull Stream = 0x67617573
)

// Key returns the key of the stream under a seed, or of its sub-stream with the
// given coordinates: NewKey(seed, stream, coordinates…).
func (s Stream) Key(seed uint64, coordinates ...uint64) Key {
	key := rootKey(seed, 1+len(coordinates)).Derive(uint64(s))
	for _, coordinate := range coordinates {
		key = key.Derive(coordinate)
	}
	return key
}
