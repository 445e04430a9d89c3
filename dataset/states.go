// States: the inputs of an encoder, a sequence of N states over the rows of an array, with episodes, windows,
// consecutive pairs and the pixel range.

package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/dtype"
	"repscope/internal/parallel"
	"repscope/points"
)

// StateOptions define how the rows of an array become states.
type StateOptions struct {
	// Window T ≥ 1 makes every state a window of T consecutive rows of one
	// episode, the last one included: an episode of L rows has max(0, L−T+1). 0
	// makes every row a state.
	Window int
	// PairsBeforeEnd leaves out pairs that hold a row with an end flag, as the
	// published datasets do: the first state of a pair begins at row i if none of
	// the rows i..i+T is flagged.
	PairsBeforeEnd bool
	// Episodes holds the episode number of each row. Ends holds
	// end-of-episode flags: row i is the last of its episode. At most one of
	// them is set; with neither, all rows are one episode. Equal numbers are one
	// episode, but rows are consecutive only while the number stays.
	Episodes []int64
	Ends     []bool
	// Layout names the axes of a row: "D", "HW", "CHW", "HWC", "THW", "CTHW", "TCHW",
	// "THWC" or "TD". "" or "auto" decides by the shape: rank 1 D, rank 2 HW, rank 3 CHW
	// when the first axis is 1 or 3, else HWC when the last one is, else THW; rank 4 TCHW
	// when the second axis is 1 or 3 and the first is not, THWC when only the last one
	// is, and CTHW otherwise. Rows of a Window are D, HW, CHW or HWC. Channels that come
	// last are moved before rows and columns as frames are read.
	Layout string
	// PixelRange is "auto" or "", or "LOW,HIGH" such as "0,255". See Range.
	PixelRange string
	// SkipNaN drops states with NaN or infinity, and counts them, instead of
	// failing.
	SkipNaN bool
	// Unread keeps NewStates from reading the frames, for a dry run: it does not search for NaN, and a pixel range that
	// depends on the values is 0..1.
	Unread bool
}

// PixelRange is the range of the values of a frame and where it is known from.
type PixelRange struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Source string  `json:"source"`
}

// String is how the range is printed, e.g. "0..255 (from the type uint8)".
func (r PixelRange) String() string {
	return fmt.Sprintf("%v..%v (%s)", r.Low, r.High, r.Source)
}

// States is a sequence of states over an array. It is safe for concurrent use.
type States struct {
	array   *Array
	starts  []int // the array row at which each state begins
	window  int   // rows of a state where it is a window, else 0
	ends    []bool
	unended bool // no pair holds a row with an end flag

	// The part of the array in a state: rows start+delta .. +rows-1, and of each row the runs of elements (nil: all).
	rows, delta int
	parts       []part
	shape       []int
	layout      string
	// lastOf is the number of channels of a pixel if these are adjacent in the array, 0 if channels are planes there too.
	// shape and layout are of planes.
	lastOf int

	// span is the number of rows of a state, including parts that the encoder does not see; a pair must not straddle an
	// episode end within it.
	span    int
	run     []int32 // per array row: the uninterrupted stretch of one episode
	episode []int32 // per array row: the episode
	pixels  PixelRange
	skipped int
}

// part is a run of elements of a row.
type part struct{ offset, length int }

// layouts maps the name of a layout to its number of axes.
var layouts = map[string]int{"D": 1, "TD": 2, "HW": 2, "CHW": 3, "HWC": 3, "THW": 3, "CTHW": 4, "TCHW": 4, "THWC": 4}

// Layouts returns the values of StateOptions.Layout other than auto.
func Layouts() []string {
	return []string{"D", "HW", "CHW", "HWC", "THW", "CTHW", "TCHW", "THWC", "TD"}
}

// NewStates presents the rows of a as states. Floating-point values are looked
// through once, for NaN, infinity and the pixel range.
func NewStates(a *Array, o StateOptions) (*States, error) {
	if len(a.shape) == 0 {
		return nil, fmt.Errorf("%s: a scalar, want an array of states [N, …]", a.name)
	}
	if o.Window < 0 {
		return nil, fmt.Errorf("window of %d rows, want 1 or more, or 0 for none", o.Window)
	}
	if o.Episodes != nil && o.Ends != nil {
		return nil, errors.New("both episode numbers and end flags are given; want one of the two")
	}
	for what, n := range map[string]int{"episode numbers": len(o.Episodes), "end-of-episode flags": len(o.Ends)} {
		matches := what == "episode numbers" && o.Episodes != nil || what != "episode numbers" && o.Ends != nil
		if matches && n != a.rows {
			return nil, fmt.Errorf("%d %s for the %d rows of %s: want one for each row", n, what, a.rows, a.name)
		}
	}
	s := &States{array: a, rows: 1, span: 1, shape: slices.Clone(a.shape[1:])}
	if len(s.shape) == 0 {
		s.shape = []int{1}
	}
	var err error
	if s.layout, err = chooseLayout(a, s.shape, o.Layout, o.Window > 0); err != nil {
		return nil, err
	}
	if a.rows == 0 || a.rowLen == 0 {
		return nil, fmt.Errorf("%s: shape %v has no values", a.name, a.shape)
	}
	s.movePlanes()
	b := boundaries{o.Episodes, o.Ends}
	s.run = b.runs(a.rows)
	s.episode = b.episodes(s.run)
	if o.Window > 0 {
		s.rows, s.span, s.window = o.Window, o.Window, o.Window
		s.shape = append([]int{o.Window}, s.shape...)
		s.layout = "T" + s.layout
		s.starts = windowStarts(s.run, o.Window)
		if len(s.starts) == 0 {
			return nil, fmt.Errorf("%s: no window of %d rows fits into an episode (%d rows, %d runs)",
				a.name, o.Window, a.rows, s.run[a.rows-1]+1)
		}
	} else {
		s.starts = make([]int, a.rows)
		for i := range s.starts {
			s.starts[i] = i
		}
	}
	s.ends, s.unended = o.Ends, o.PairsBeforeEnd
	if o.Unread {
		s.pixels, err = unreadPixels(a, s.vectors(), o.PixelRange)
		return s, err
	}
	if a.dtype.IsFloat() {
		if err := s.checkFinite(o.SkipNaN); err != nil {
			return nil, err
		}
	}
	if s.pixels, err = choosePixels(a, s.vectors(), o.PixelRange); err != nil {
		return nil, err
	}
	return s, nil
}

// movePlanes gives states of channels that come last the shape and the layout of planes.
func (s *States) movePlanes() {
	frames, ok := strings.CutSuffix(s.layout, "HWC")
	if !ok {
		return
	}
	n := len(s.shape)
	s.layout, s.lastOf = frames+"CHW", s.shape[n-1]
	s.shape = slices.Insert(s.shape[:n-1], n-3, s.lastOf)
}

// chooseLayout checks the layout of a row, or decides on one.
func chooseLayout(a *Array, row []int, layout string, window bool) (string, error) {
	if layout == "" || layout == "auto" {
		color := func(n int) bool { return n == 1 || n == 3 }
		switch len(row) {
		case 1:
			layout = "D"
		case 2:
			layout = "HW"
		case 3:
			switch {
			case color(row[0]):
				layout = "CHW"
			case color(row[2]):
				layout = "HWC"
			default:
				layout = "THW"
			}
		case 4:
			switch {
			case color(row[1]) && !color(row[0]):
				layout = "TCHW"
			case color(row[3]) && !color(row[0]):
				layout = "THWC"
			default:
				layout = "CTHW"
			}
		default:
			return "", fmt.Errorf("%s: states of shape %v have %d axes, want 1 to 4", a.name, row, len(row))
		}
	}
	axes, ok := layouts[layout]
	if !ok {
		names := Layouts()
		slices.Sort(names)
		return "", fmt.Errorf("layout %q, want auto, %s", layout, strings.Join(names, ", "))
	}
	if axes != len(row) {
		return "", fmt.Errorf("%s: layout %s has %d axes, the states have shape %v", a.name, layout, axes, row)
	}
	if window && layout != "D" && layout != "HW" && layout != "CHW" && layout != "HWC" {
		return "", fmt.Errorf("%s: rows of shape %v (layout %s) are clips already; want layout D, HW, CHW or HWC for windows",
			a.name, row, layout)
	}
	return layout, nil
}

// checkFinite finds the states that hold NaN or infinity: an error, or dropped.
func (s *States) checkFinite(skip bool) error {
	values, err := s.array.values()
	if err != nil || len(values.bad) == 0 {
		return err
	}
	rows := make([]int, len(values.bad))
	for i, b := range values.bad {
		rows[i] = b.row
	}
	kept := s.starts[:0:0]
	for _, start := range s.starts {
		index, _ := slices.BinarySearch(rows, start)
		if index == len(rows) || rows[index] >= start+s.rows {
			kept = append(kept, start)
		} else if !skip {
			return s.array.errorAt(values.bad[index])
		}
	}
	s.skipped = len(s.starts) - len(kept)
	if len(kept) == 0 {
		return fmt.Errorf("%s: all %d states contain NaN or infinity", s.array.name, len(s.starts))
	}
	s.starts = kept
	return nil
}

// givenRange is the source of a pixel range set by the user.
const givenRange = "given"

// Given reports whether the user set the range.
func (r PixelRange) Given() bool { return r.Source == givenRange }

// Vectors reports whether states are made of vectors, which have no pixels.
func (s *States) Vectors() bool { return s.vectors() }

// vectors reports whether states are made of vectors, which have no pixels.
func (s *States) vectors() bool { return s.layout == "D" || s.layout == "TD" }

// CheckPixelRange checks the text of a pixel range; see StateOptions.
func CheckPixelRange(text string) error {
	if text == "" || text == "auto" {
		return nil
	}
	_, _, err := parsePixelRange(text)
	return err
}

// ParsePixelRange reads LOW,HIGH, such as "0,255", as StateOptions.PixelRange does; auto
// is an error.
func ParsePixelRange(text string) (PixelRange, error) {
	low, high, err := parsePixelRange(text)
	return PixelRange{low, high, givenRange}, err
}

// parsePixelRange reads LOW,HIGH.
func parsePixelRange(text string) (low, high float64, err error) {
	for _, separator := range []string{",", "..", ":"} {
		first, second, ok := strings.Cut(text, separator)
		if !ok {
			continue
		}
		low, err1 := strconv.ParseFloat(strings.TrimSpace(first), 64)
		high, err2 := strconv.ParseFloat(strings.TrimSpace(second), 64)
		if err1 == nil && err2 == nil && low < high && !math.IsInf(low, 0) && !math.IsInf(high, 0) {
			return low, high, nil
		}
	}
	return 0, 0, fmt.Errorf("pixel range %q, want LOW,HIGH such as 0,255, or auto", text)
}

// unreadPixels is choosePixels where nothing may be read.
func unreadPixels(a *Array, vectors bool, choice string) (PixelRange, error) {
	fixed := a.dtype == Uint8 || a.dtype == Uint16 || a.dtype == Bool
	if fixed || choice != "" && choice != "auto" {
		return choosePixels(a, vectors, choice)
	}
	return PixelRange{0, 1, "not known before the data are read"}, nil
}

// choosePixels decides on the pixel range (see States.Range).
func choosePixels(a *Array, vectors bool, choice string) (PixelRange, error) {
	if choice != "" && choice != "auto" {
		low, high, err := parsePixelRange(choice)
		return PixelRange{low, high, givenRange}, err
	}
	switch a.dtype {
	case Uint8:
		return PixelRange{0, 255, "from the type uint8"}, nil
	case Uint16:
		return PixelRange{0, 65535, "from the type uint16"}, nil
	case Bool:
		return PixelRange{0, 1, "from the type bool"}, nil
	}
	values, err := a.values()
	if err != nil {
		return PixelRange{}, err
	}
	if values.low > values.high {
		return PixelRange{0, 1, "no values"}, nil
	}
	source := fmt.Sprintf("from the data, which span %.6g..%.6g", values.low, values.high)
	switch {
	case vectors:
		return PixelRange{values.low, values.high, source + ": vectors have no pixel range"}, nil
	case values.low >= 0 && values.high <= 1.5:
		return PixelRange{0, 1, source}, nil
	case values.low >= 0 && values.high <= 256:
		return PixelRange{0, 255, source}, nil
	case values.low >= -1.5 && values.high <= 1.5:
		return PixelRange{-1, 1, source}, nil
	}
	return PixelRange{values.low, values.high, source + " and fit no usual range: their extremes are used"}, nil
}

// Len is the number of states.
func (s *States) Len() int { return len(s.starts) }

// Shape is the shape of one state.
func (s *States) Shape() []int { return slices.Clone(s.shape) }

// Size is the number of values of one state.
func (s *States) Size() int {
	n := 1
	for _, k := range s.shape {
		n *= k
	}
	return n
}

// DType is the element type on disk.
func (s *States) DType() DType { return s.array.dtype }

// Layout names the axes of a state (see StateOptions.Layout); windows have a T
// in front. Channels come before rows and columns, whatever the array has.
func (s *States) Layout() string { return s.layout }

// ChannelsLast reports whether the channels of a pixel are adjacent in the array.
func (s *States) ChannelsLast() bool { return s.lastOf > 0 }

// Row is the shape of a row of the array as states have it, with channels before rows and
// columns.
func (s *States) Row() []int {
	if s.window > 0 {
		return slices.Clone(s.shape[1:])
	}
	return slices.Clone(s.shape)
}

// Array is the array under the states.
func (s *States) Array() *Array { return s.array }

// Skipped is the number of states that SkipNaN dropped.
func (s *States) Skipped() int { return s.skipped }

// Episode returns the episode of state i, 0, 1, … in order of appearance among
// the rows of the array.
func (s *States) Episode(i int) int { return int(s.episode[s.starts[i]]) }

// Episodes returns the episode of every state.
func (s *States) Episodes() []int {
	out := make([]int, len(s.starts))
	for i := range out {
		out[i] = s.Episode(i)
	}
	return out
}

// Start returns the array row at which state i begins.
func (s *States) Start(i int) int { return s.starts[i] }

// Range is the pixel range of the states. The user's range comes first. Otherwise it is 0..255 for uint8, 0..65535 for
// uint16, 0..1 for bool. For other types it follows from the smallest and largest value of the array: within 0..1.5 it
// is 0..1, within 0..256 it is 0..255, within -1.5..1.5 it is -1..1, and else, and for vectors, the extremes
// themselves. Source is its origin; see Unfilled for data in a small part of it.
func (s *States) Range() PixelRange { return s.pixels }

// LastFrame is the view on the last frame of each state; itself for vectors
// and single frames.
func (s *States) LastFrame() *States {
	v := *s
	row := s.array.shape[1:]
	switch s.layout {
	case "THW", "TCHW", "TD":
		v.layout = s.layout[1:]
		v.shape = s.shape[1:]
		if len(row) < len(s.shape) { // a window of rows
			v.delta = s.rows - 1
			v.rows = 1
			break
		}
		size := v.Size()
		v.parts = []part{{(row[0] - 1) * size, size}}
	case "CTHW":
		v.layout = "CHW"
		v.shape = []int{s.shape[0], s.shape[2], s.shape[3]}
		frame := s.shape[2] * s.shape[3]
		v.parts = nil
		for c := range s.shape[0] {
			v.parts = append(v.parts, part{(c*s.shape[1] + s.shape[1] - 1) * frame, frame})
		}
	default:
		return s
	}
	return &v
}

// Window is the number of rows of a state that is a window of rows, 0 where every
// row is a state.
func (s *States) Window() int { return s.window }

// Narrow is the view on the last n rows of each state, for a model that sees fewer
// rows than the states have: the same states with the same starts. With n = 0 it is
// LastFrame, without a time axis.
//
// It is an error if states have fewer than n rows, or are no windows of rows.
func (s *States) Narrow(n int) (*States, error) {
	switch {
	case n == s.window:
		return s, nil
	case n < 0 || n > s.window:
		return nil, fmt.Errorf("%s: the last %d rows of states of %d", s.array.name, n, max(s.window, 1))
	case n == 0:
		return s.LastFrame(), nil
	}
	v := *s
	v.shape = append([]int{n}, s.shape[1:]...)
	v.delta, v.rows = s.rows-n, n
	return &v, nil
}

const (
	groupStates = 256     // states that are read together
	groupBytes  = 1 << 26 // and the bytes of their rows
)

// each calls fn for every one of starts with the bytes of the rows of that state, reading states that lie close
// together at once.
func (s *States) each(starts []int, fn func(i int, rows []byte) error) error {
	a := s.array
	row := a.rowLen * a.dtype.Size()
	for i := 0; i < len(starts); {
		j := i + 1
		for ; j < len(starts) && j-i < groupStates; j++ {
			span := starts[j] + s.rows - starts[i]
			if starts[j] < starts[j-1] || span > 2*(j-i+1)*s.rows || span*row > groupBytes {
				break
			}
		}
		first := starts[i] + s.delta
		last := starts[j-1] + s.delta + s.rows
		err := a.use((last-first)*a.rowLen, first, last, func(raw []byte) error {
			for k := i; k < j; k++ {
				offset := (starts[k] + s.delta - first) * row
				if err := fn(k, raw[offset:offset+s.rows*row]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		i = j
	}
	return nil
}

// read converts the states at starts into dst.
func read[T any](s *States, dst []T, starts []int, convert func(dst []T, src []byte) error) error {
	size := s.Size()
	if len(dst) != len(starts)*size {
		return fmt.Errorf("%s: reading %d states of %d values into %d", s.array.name, len(starts), size, len(dst))
	}
	element := s.array.dtype.Size()
	one := func(out []T, rows []byte) error {
		if s.parts == nil {
			return convert(out, rows)
		}
		for _, p := range s.parts {
			if err := convert(out[:p.length], rows[p.offset*element:(p.offset+p.length)*element]); err != nil {
				return err
			}
			out = out[p.length:]
		}
		return nil
	}
	if s.lastOf < 2 { // of one channel both orders are the same
		return s.each(starts, func(i int, rows []byte) error { return one(dst[i*size:(i+1)*size], rows) })
	}
	pixels := make([]T, size)
	return s.each(starts, func(i int, rows []byte) error {
		err := one(pixels, rows)
		planes(dst[i*size:(i+1)*size], pixels, s.lastOf, s.shape[len(s.shape)-2]*s.shape[len(s.shape)-1])
		return err
	})
}

// planes moves the channels of frames of this many pixels before their rows and columns.
func planes[T any](dst, src []T, channels, pixels int) {
	for ; len(src) > 0; src, dst = src[channels*pixels:], dst[channels*pixels:] {
		for c := range channels {
			plane := dst[c*pixels : (c+1)*pixels]
			for k := range plane {
				plane[k] = src[k*channels+c]
			}
		}
	}
}

func (s *States) checkRange(lo, hi int) error {
	if lo < 0 || hi < lo || hi > len(s.starts) {
		return fmt.Errorf("%s: states %d..%d of %d", s.array.name, lo, hi, len(s.starts))
	}
	return nil
}

// Float32 reads states lo..hi-1 into dst, unscaled. dst has length (hi-lo)·Size().
func (s *States) Float32(dst []float32, lo, hi int) error {
	if err := s.checkRange(lo, hi); err != nil {
		return err
	}
	return s.float32(dst, s.starts[lo:hi])
}

func (s *States) float32(dst []float32, starts []int) error {
	return read(s, dst, starts, func(dst []float32, src []byte) error {
		return dtype.Float32s(dst, src, s.array.dtype, s.array.order)
	})
}

// Uint8 reads states lo..hi-1 of type uint8 into dst, as Float32 does.
func (s *States) Uint8(dst []uint8, lo, hi int) error {
	if err := s.checkRange(lo, hi); err != nil {
		return err
	}
	return read(s, dst, s.starts[lo:hi], func(dst []uint8, src []byte) error {
		return dtype.Uint8s(dst, src, s.array.dtype)
	})
}

// Gather reads the states with these indices into dst, unscaled. dst has length len(index)·Size().
func (s *States) Gather(dst []float32, index []int) error {
	starts, err := s.pick(index)
	if err != nil {
		return err
	}
	return s.float32(dst, starts)
}

// pick returns the starts of these states.
func (s *States) pick(index []int) ([]int, error) {
	starts := make([]int, len(index))
	for k, i := range index {
		if i < 0 || i >= len(s.starts) {
			return nil, fmt.Errorf("%s: state %d of %d", s.array.name, i, len(s.starts))
		}
		starts[k] = s.starts[i]
	}
	return starts, nil
}

// Points returns all states as points in their own type: uint8 and bool stay uint8, float64 and 32- and 64-bit integers
// become float64, all else float32. The points must not be changed: uint8 ones may be the file itself, mapped into
// memory.
func (s *States) Points() (points.Points, error) {
	n, size := len(s.starts), s.Size()
	p := points.Points{N: n, Dim: size}
	if n > 0 && size > math.MaxInt/8/n {
		return points.Points{}, fmt.Errorf("%s: %d states of %d values do not fit in memory", s.array.name, n, size)
	}
	var err error
	switch s.array.dtype {
	case Uint8:
		if raw, ok := s.contiguous(); ok {
			p.U8 = raw
			break
		}
		fallthrough
	case Bool:
		p.U8 = make([]uint8, n*size)
		err = readParallel(s, p.U8, func(dst []uint8, src []byte) error { return dtype.Uint8s(dst, src, s.array.dtype) })
	case Float64, Int32, Int64, Uint32, Uint64:
		p.F64 = make([]float64, n*size)
		err = readParallel(s, p.F64, func(dst []float64, src []byte) error {
			return dtype.Float64s(dst, src, s.array.dtype, s.array.order)
		})
	default:
		p.F32 = make([]float32, n*size)
		err = readParallel(s, p.F32, func(dst []float32, src []byte) error {
			return dtype.Float32s(dst, src, s.array.dtype, s.array.order)
		})
	}
	if err != nil {
		return points.Points{}, err
	}
	return p, nil
}

// contiguous returns the bytes of all states where they lie one after the other in
// a mapped file or in memory.
func (s *States) contiguous() ([]byte, bool) {
	v, ok := s.array.source.(viewer)
	if !ok || s.rows != 1 || s.parts != nil || s.lastOf > 1 || len(s.starts) == 0 {
		return nil, false
	}
	for i, start := range s.starts {
		if start != s.starts[0]+i {
			return nil, false
		}
	}
	first := s.starts[0] + s.delta
	return v.view(first, first+len(s.starts))
}

// readParallel reads all states on all cores.
func readParallel[T any](s *States, dst []T, convert func(dst []T, src []byte) error) error {
	n, size := len(s.starts), s.Size()
	workers := min(runtime.GOMAXPROCS(0), (n*size)>>16+1)
	return parallel.Try(context.Background(), workers, workers, func(_, w int) error {
		lo, hi := n*w/workers, n*(w+1)/workers
		return read(s, dst[lo*size:hi*size], s.starts[lo:hi], convert)
	})
}

// Pairs returns the pairs of states that start horizon ≥ 1 rows apart, with all rows between them in one episode, in
// order of the first state; see StateOptions.PairsBeforeEnd. Pairs with a missing state (by Subset or SkipNaN) are
// left out.
func (s *States) Pairs(horizon int) []points.Pair {
	if horizon < 1 {
		return nil
	}
	index := make(map[int]int, len(s.starts))
	for i := len(s.starts) - 1; i >= 0; i-- {
		index[s.starts[i]] = i
	}
	var pairs []points.Pair
	for i, start := range s.starts {
		next, ok := index[start+horizon]
		last := start + horizon + s.span - 1
		if ok && s.run[start] == s.run[last] && !(s.unended && s.ends != nil && s.ends[last]) {
			pairs = append(pairs, points.Pair{Now: i, Next: next})
		}
	}
	return pairs
}

// Subset returns the states with these indices, in that order. It panics when an index is out of range, as indexing a
// slice does.
func (s *States) Subset(index []int) *States {
	v := *s
	v.starts = make([]int, len(index))
	for k, i := range index {
		v.starts[k] = s.starts[i]
	}
	return &v
}

// Fingerprint identifies the content and selection of the states: equal
// fingerprints mean equal values. It reads the whole file once.
func (s *States) Fingerprint() (string, error) {
	digest, err := s.array.SHA256()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "states/1\n%s\n%q %v %v\n%v %v %d %d %v\n",
		digest, s.array.key, s.array.dtype, s.array.shape, s.layout, s.shape, s.rows, s.delta, s.parts)
	if s.lastOf > 0 {
		fmt.Fprintf(h, "channels last %d\n", s.lastOf)
	}
	buffer := make([]byte, 0, 8*1024)
	for i, start := range s.starts {
		buffer = binary.LittleEndian.AppendUint64(buffer, uint64(start))
		if len(buffer) == cap(buffer) || i == len(s.starts)-1 {
			h.Write(buffer)
			buffer = buffer[:0]
		}
	}
	return hexDigest(h), nil
}
