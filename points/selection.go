// Selections: the states that an analysis works on.

package points

// Encoded is one model's latents.
type Encoded struct {
	Name    string
	Latents Points // row i belongs to state i of the selection
}

// Selection is a set of states in ascending order, the same for all models. All its
// lists have an element per state.
type Selection struct {
	Index   []int // of each state among all states of the input
	Episode []int // its episode
	Time    []int // the frame at which it begins, to be compared inside an episode

	// Frames are the original states, empty unless requested, and Source is their name in messages: "frames
	// val.npz:frames".
	Frames Points
	Source string
	// Same numbers the states, equal ones alike. It is set if latents were computed elsewhere, so that latents of equal
	// states may differ by rounding; nil if they cannot, or no states are known.
	Same []int
	// Models in the order of the command line.
	Models []Encoded
}
