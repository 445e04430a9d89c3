// Scores for a program that asks for many: one process answers, from arrays in shared memory.

package repscope

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"repscope/internal/dtype"
	"repscope/internal/memory"
	"repscope/internal/mmap"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/neighbors"
	"repscope/points"
)

const (
	longestRequest = 1 << 20
	// After rest without a request memory is given back.
	rest = 2 * time.Second
	// Short scores would be collected after each few: this is never written, so that it takes no memory of the
	// machine, and counts as what the heap may grow by.
	untouched = 32 << 20
)

// A request is a line of JSON: the scores, trustworthiness and continuity, and the numbers of neighbors.
type request struct {
	Scores   []string `json:"scores"`
	K        []int    `json:"k"`
	Metric   string   `json:"metric"` // of the original
	Original region   `json:"original"`
	Embedded region   `json:"embedded"`
}

// A region is where a file holds an array, row after row in the order of bytes of this machine.
type region struct {
	Name   string `json:"name"` // for messages
	Path   string `json:"path"`
	Offset int64  `json:"offset"`
	Type   string `json:"type"`
	Shape  []int  `json:"shape"`
}

// failure is the answer to a request that failed: the message and the exit code of the same run.
type failure struct {
	Error string `json:"error"`
	Code  int    `json:"code"`
}

// server answers requests one after the other.
type server struct {
	mapped map[string]*mmap.File // the files of the last request
	asked  map[string]bool       // regions of this request, which hold its arrays
}

func newServer() *server {
	return &server{mapped: map[string]*mmap.File{}, asked: map[string]bool{}}
}

// serve answers a line of JSON for each that it reads, until the input ends or nothing comes for so long. What a
// request gets wrong is an answer; only what ends the conversation is an error.
func serve(in io.Reader, out io.Writer, idle time.Duration) error {
	// An interrupt of the terminal is meant for the caller. It is taken and not ignored, as ignored ones end the
	// program on Windows.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	memory.Apply()
	heap := make([]byte, untouched)
	defer runtime.KeepAlive(heap)
	ctx, end := context.WithCancel(context.Background())
	defer end()
	lines := make(chan []byte)
	failed := make(chan error, 1)
	go func() {
		defer end() // a caller that is gone wants no answer
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, longestRequest)
		for scanner.Scan() {
			select {
			case lines <- slices.Clone(scanner.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		failed <- scanner.Err()
	}()
	s := newServer()
	defer s.forget()
	for {
		line, err := next(ctx, lines, idle, s.rest)
		if line == nil {
			select {
			case err = <-failed:
			default:
			}
			if err != nil {
				return fmt.Errorf("score --serve: standard input: %w", err)
			}
			return nil
		}
		answer, err := s.answer(ctx, line)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			answer = failure{Error: err.Error(), Code: run.Report(io.Discard, Name, err)}
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return fmt.Errorf("score --serve: %w", err)
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("score --serve: %w", err)
		}
	}
}

// next is the next line, nil where none comes for so long or ever again; after a while resting is called.
func next(ctx context.Context, lines <-chan []byte, idle time.Duration, resting func()) ([]byte, error) {
	short, long := time.NewTimer(rest), time.NewTimer(idle)
	defer short.Stop()
	defer long.Stop()
	for {
		select {
		case line := <-lines:
			return line, nil
		case <-short.C:
			resting()
		case <-long.C:
			return nil, nil
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// rest gives memory back.
func (s *server) rest() {
	s.forget()
	debug.FreeOSMemory()
}

// answer computes the scores of a request: of each name the list of values, one for each k; null where a space is
// collapsed.
func (s *server) answer(ctx context.Context, line []byte) (any, error) {
	var q request
	decoder := json.NewDecoder(strings.NewReader(string(line)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		return nil, run.Usage("score --serve: %w", text.JSONError(err))
	}
	if len(q.Scores) == 0 || len(q.K) == 0 {
		return nil, run.Usage("score --serve: want scores and numbers of neighbors, found %d and %d", len(q.Scores), len(q.K))
	}
	for _, name := range q.Scores {
		if err := checkName(name); err != nil {
			return nil, err
		}
	}
	metric, err := neighbors.ParseMetric(q.Metric)
	if err != nil {
		return nil, run.Usage("metric: %v", err)
	}
	defer s.forget(kept(q.Original.Path, q.Embedded.Path)...)
	clear(s.asked)
	original, err := s.space(q.Original, metric)
	if err != nil {
		return nil, err
	}
	embedded, err := s.space(q.Embedded, neighbors.Euclidean)
	if err != nil {
		return nil, err
	}
	if err := pair(q.Original.Name, original, q.Embedded.Name, embedded, q.K); err != nil {
		return nil, err
	}
	values, err := scores(ctx, original, embedded, q.Scores, q.K)
	if err != nil {
		return nil, err
	}
	return values, nil
}

// kept are the files that stay mapped for the next request: none on Windows, where nobody could remove them.
func kept(paths ...string) []string {
	if runtime.GOOS == "windows" {
		return nil
	}
	return paths
}

// forget unmaps all files but those that are kept.
func (s *server) forget(kept ...string) {
	for path := range s.mapped {
		if !slices.Contains(kept, path) {
			s.unmap(path)
		}
	}
}

// unmap lets go of a file, which nothing reads any more.
func (s *server) unmap(path string) {
	_ = s.mapped[path].Unmap()
	delete(s.mapped, path)
}

// space reads a region where it lies.
func (s *server) space(r region, metric neighbors.Metric) (neighbors.Space, error) {
	if r.Name == "" {
		r.Name = r.Path
	}
	if len(r.Shape) != 2 || r.Shape[0] < 1 || r.Shape[1] < 1 {
		return neighbors.Space{}, noRows(r.Name, r.Shape)
	}
	size, ok := map[string]int64{"uint8": 1, "float32": 4, "float64": 8}[r.Type]
	if !ok {
		return neighbors.Space{}, run.Usage("%s: elements of type %q, want uint8, float32 or float64", r.Name, r.Type)
	}
	n, dim := int64(r.Shape[0]), int64(r.Shape[1])
	if n > math.MaxInt64/8/dim || r.Offset < 0 || r.Offset%size != 0 {
		return neighbors.Space{}, run.Usage("%s: %d × %d values at offset %d", r.Name, n, dim, r.Offset)
	}
	raw, err := s.bytes(r, n*dim*size)
	if err != nil {
		return neighbors.Space{}, err
	}
	var p points.Points
	switch r.Type {
	case "uint8":
		p = points.Uint8(raw, int(dim))
	case "float32":
		x, _ := dtype.Elements[float32](raw)
		p = points.Float32(x, int(dim))
	default:
		x, _ := dtype.Elements[float64](raw)
		p = points.Float64(x, int(dim))
	}
	if int64(p.N) != n {
		return neighbors.Space{}, fmt.Errorf("%s: its values are not aligned to their type", r.Name)
	}
	return spaceOf(r.Name, p, r.Type, metric)
}

// bytes returns the bytes of a region, mapped if files can be. The file may differ from the last request's, or have
// another size; both arrays of a request are in one file, even if its name goes to another meanwhile.
func (s *server) bytes(r region, size int64) ([]byte, error) {
	f := s.mapped[r.Path]
	if f != nil && !s.asked[r.Path] && !f.Current() {
		s.unmap(r.Path)
		f = nil
	}
	s.asked[r.Path] = true
	if f == nil {
		var err error
		if f, err = mmap.Shared(r.Path); err != nil {
			return nil, err
		}
		s.mapped[r.Path] = f
	}
	if r.Offset > f.Size() || size > f.Size()-r.Offset {
		return nil, fmt.Errorf("%s: %d bytes at %d of %s, which has %d", r.Name, size, r.Offset, r.Path, f.Size())
	}
	if raw, ok := f.View(r.Offset, size); ok {
		return raw, nil
	}
	words := make([]float64, (size+7)/8) // for their alignment
	raw := dtype.Bytes(words)[:size]
	if n, err := f.ReadAt(raw, r.Offset); n < len(raw) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	return raw, nil
}
