// States: what an encoder sees, a sequence of N states over the rows of an
// array, with episodes, windows, consecutive pairs and the pixel range.

package dataset

// StateOptions says how the rows of an array become states.
type StateOptions struct {
	// Window T ≥ 1 makes every state a window of T consecutive rows; 0 makes
	// every row a state. Window start i is valid when rows i..i+T (the state
	// and the last row of the next one) lie in one episode; with end flags, when
	// none of rows i..i+T is flagged.
	Window int
	// Successors adds, at the end of each run of valid windows, the state one
	// row later, so that Pairs(1) has one pair per valid start.
	Successors bool
	// Episodes holds the episode number of each row. Ends holds
	// end-of-episode flags: row i is the last of its episode. At most one of
	// them is set; with neither, all rows are one episode.
	Episodes []int64
	Ends     []bool
	// Layout names the axes of a row: "D", "HW", "CHW", "THW", "CTHW", "TCHW" or
	// "TD". "" or "auto" decides by the shape: rank 1 D, rank 2 HW, rank 3 CHW when
	// the first axis is 1 or 3 and THW otherwise, rank 4 TCHW when the second
	// axis is 1 or 3 and the first is not, and CTHW otherwise.
	Layout string
	// PixelRange is "auto" or "", or "LOW,HIGH" such as "0,255".
	PixelRange string
	// SkipNaN drops states with NaN or infinity, and counts them, instead of
	// failing.
	SkipNaN bool
}

// PixelRange is the range of the values of a frame and where it is known from.
type PixelRange struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Source string  `json:"source"`
}

// Pair is two states of one episode, as indices into the States.
type Pair struct{ Now, Next int }

// States is a sequence of states over an array. It is safe for concurrent use.
type States struct{}

// ReadEpisodes reads an array of one value per row as episode numbers or as
// end-of-episode flags; exactly one result is non-nil. kind is "numbers",
// "flags" or "auto": bool arrays are flags; integer arrays are numbers, except
// that values 0 and 1 in which a 0 follows a 1 are flags.
func ReadEpisodes(a *Array, kind string) (numbers []int64, ends []bool, err error) {
	return nil, nil, nil
}

// NewStates presents the rows of a as states.
func NewStates(a *Array, o StateOptions) (*States, error) { return nil, nil }

// Len is the number of states.
func (s *States) Len() int { return 0 }

// Shape is the shape of one state.
func (s *States) Shape() []int { return nil }

// Size is the number of values of one state.
func (s *States) Size() int { return 0 }

// DType is the element type on disk.
func (s *States) DType() DType { return 0 }

// Layout names the axes of a state (see StateOptions.Layout).
func (s *States) Layout() string { return "" }

// Array is the array under the states.
func (s *States) Array() *Array { return nil }

// Skipped is the number of states that SkipNaN dropped.
func (s *States) Skipped() int { return 0 }

// Episode returns the episode of state i, 0, 1, … in order of appearance.
func (s *States) Episode(i int) int { return 0 }

// Episodes returns the episode of every state.
func (s *States) Episodes() []int { return nil }

// Start returns the array row at which state i begins.
func (s *States) Start(i int) int { return 0 }

// Float32 reads states lo..hi-1 into dst, unscaled.
func (s *States) Float32(dst []float32, lo, hi int) error { return nil }

// Gather reads the states with the given indices into dst, unscaled.
func (s *States) Gather(dst []float32, index []int) error { return nil }

// Range is the pixel range of the states.
func (s *States) Range() PixelRange { return PixelRange{} }

// LastFrame is the view on the last frame of each state; itself for vectors
// and single frames.
func (s *States) LastFrame() *States { return nil }

// Points returns all states as points in their own type: uint8 and bool
// stay uint8, float64 and 32- and 64-bit integers become float64, all else
// float32.
func (s *States) Points() (Points, error) { return Points{}, nil }

// Pairs returns the pairs of states whose starts are horizon rows apart and
// that lie in one episode, in order.
func (s *States) Pairs(horizon int) []Pair { return nil }

// Subset returns the states with the given indices, in that order.
func (s *States) Subset(index []int) *States { return nil }

// Fingerprint identifies the content and selection of the states: equal
// fingerprints mean equal values.
func (s *States) Fingerprint() (string, error) { return "", nil }
