// Conversations with the process that answers for scores.

package repscope

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// values writes numbers as they are in memory, behind some bytes.
func values(t *testing.T, path string, offset int, x ...float64) string {
	t.Helper()
	out := make([]byte, offset)
	for _, v := range x {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	if err := os.WriteFile(path, out, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func regionOf(path string, offset, n, dim int) string {
	text, _ := json.Marshal(region{Name: filepath.Base(path), Path: path, Offset: int64(offset), Type: "float64", Shape: []int{n, dim}})
	return string(text)
}

func ask(scores, ks, original, embedded string) string {
	return fmt.Sprintf(`{"scores":[%s],"k":[%s],"metric":"euclidean","original":%s,"embedded":%s}`, scores, ks, original, embedded)
}

func TestServe(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "Ordner für Zahlen")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	x := values(t, filepath.Join(folder, "x"), 64, 0, 1, 2.1, 3.3, 4.6, 6, 7.5)
	z := values(t, filepath.Join(folder, "z"), 0, 6, 7.5, 2.1, 3.3, 4.6, 0, 1)
	nan := values(t, filepath.Join(folder, "nan"), 0, 1, 2, math.NaN(), 4, 5, 6, 7)
	flat := values(t, filepath.Join(folder, "flat"), 0, 2, 2, 2, 2, 2, 2, 2)
	fileX, fileZ := npy(t, "x.npy", 7, 0, 1, 2.1, 3.3, 4.6, 6, 7.5), npy(t, "z.npy", 7, 6, 7.5, 2.1, 3.3, 4.6, 0, 1)
	rx, rz := regionOf(x, 64, 7, 1), regionOf(z, 0, 7, 1)
	trust, both := `"trustworthiness"`, `"trustworthiness","continuity"`
	good := `{"trustworthiness":[` + lineScore(fileX, fileZ) + "]}"
	talk := converse(t, time.Minute)
	say := func(line, want string) {
		t.Helper()
		if got := talk.say(line); !strings.Contains(got, want) {
			t.Errorf("%s: answer %s, want %s", line, got, want)
		}
	}
	say(ask(trust, "2", rx, rz), good)
	say(ask(`"continuity"`, "2", rx, rz), `{"continuity":[`+lineScore(fileZ, fileX)+"]}")
	say(ask(both, "2,3", rx, rz), `{"continuity":[`+lineScore(fileZ, fileX)+",")
	say(ask(trust, "2", rx, regionOf(flat, 0, 7, 1)), `{"trustworthiness":[null]}`)
	for line, text := range map[string]string{
		"":                          "score --serve: EOF",
		"{":                         "unexpected EOF",
		"[1]":                       "the value is a list, want an object",
		`{"skores":1}`:              "unknown field",
		"{}":                        "want scores and numbers of neighbors, found 0 and 0",
		ask(`"trust"`, "2", rx, rz): "want trustworthiness or continuity",
		ask(trust, "6", rx, rz):     "--k 6: want 1 to 5",
		ask(trust, "0", rx, rz):     "--k 0: want 1 to 5",
		strings.Replace(ask(trust, "2", rx, rz), "euclidean", "far", 1):                       "want euclidean, cosine or precomputed",
		ask(trust, "2", rx, regionOf(nan, 0, 7, 1)):                                           "nan: point 2, coordinate 0 is NaN",
		ask(trust, "2", rx, regionOf(z, 0, 6, 1)):                                             "x has 7 rows, z has 6",
		ask(trust, "2", rx, regionOf(z, 0, 8, 1)):                                             "64 bytes at 0",
		ask(trust, "2", rx, regionOf(z, 64, 7, 1)):                                            "56 bytes at 64",
		ask(trust, "2", rx, regionOf(z, -8, 7, 1)):                                            "offset -8",
		ask(trust, "2", rx, regionOf(z, 4, 6, 1)):                                             "offset 4",
		ask(trust, "2", rx, regionOf(z, 0, 0, 1)):                                             "shape [0, 1]",
		ask(trust, "2", rx, regionOf(z, 0, math.MaxInt/4, 9)):                                 "values at offset 0",
		ask(trust, "2", rx, regionOf(filepath.Join(folder, "nowhere"), 0, 7, 1)):              "nowhere",
		ask(trust, "2", rx, regionOf(folder, 0, 7, 1)):                                        "want a file, got a folder",
		strings.Replace(ask(trust, "2", rx, rz), `"float64"`, `"int8"`, 1):                    "elements of type",
		strings.Replace(ask(trust, "2", rx, rz), "[7,1]", "[7]", 1):                           "shape [7]",
		strings.Replace(ask(trust, "2", rx, rz), `"metric":"euclidean"`, `"metric":"pre"`, 1): "want euclidean",
	} {
		say(line, text)
		say(ask(trust, "2", rx, rz), good)
	}
	// The files are others now: one with new values, one cut, one replaced.
	values(t, x, 64, 6, 7.5, 2.1, 3.3, 4.6, 0, 1)
	say(ask(trust, "2", rx, rz), `{"trustworthiness":[1]}`)
	if err := os.Truncate(z, 40); err != nil {
		t.Fatal(err)
	}
	say(ask(trust, "2", rx, rz), "56 bytes at 0")
	if err := os.Remove(x); err != nil {
		t.Fatal(err)
	}
	values(t, x, 64, 0, 1, 2.1, 3.3, 4.6, 6, 7.5)
	values(t, z, 0, 6, 7.5, 2.1, 3.3, 4.6, 0, 1)
	say(ask(trust, "2", rx, rz), good)
	if err := talk.end(); err != nil {
		t.Error(err)
	}
}

// conversation is with a process that answers, or a part of this one.
type conversation struct {
	in    *io.PipeWriter
	lines *bufio.Scanner
	done  chan error
}

func converse(t *testing.T, idle time.Duration) *conversation {
	read, in := io.Pipe()
	out, write := io.Pipe()
	c := &conversation{in: in, lines: bufio.NewScanner(out), done: make(chan error, 1)}
	go func() {
		err := serve(read, write, idle)
		write.Close()
		read.Close()
		c.done <- err
	}()
	t.Cleanup(func() { in.Close() })
	return c
}

func (c *conversation) say(line string) string {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		return err.Error()
	}
	c.lines.Scan()
	return c.lines.Text()
}

// end closes the input and waits.
func (c *conversation) end() error {
	c.in.Close()
	return <-c.done
}

func TestServeEnds(t *testing.T) {
	t.Parallel()
	if err := converse(t, time.Minute).end(); err != nil {
		t.Error("end of the input:", err)
	}
	if err := <-converse(t, time.Millisecond).done; err != nil {
		t.Error("nothing for a while:", err)
	}
	long := converse(t, time.Minute)
	go func() { _, _ = long.in.Write(make([]byte, longestRequest+1)) }()
	if err := <-long.done; err == nil || !strings.Contains(err.Error(), "token too long") {
		t.Error("a line without an end:", err)
	}
	var out bytes.Buffer
	for _, args := range []string{"score --serve x", "score --serve --idle 0s", "score --serve --idle soon"} {
		if code := Run(commands(), strings.Fields(args), &out, &out); code != 2 {
			t.Errorf("%s: exit code %d", args, code)
		}
	}
}

func TestServeRests(t *testing.T) {
	t.Parallel()
	x := values(t, filepath.Join(t.TempDir(), "x"), 0, 0, 1, 2.1, 3.3, 4.6, 6, 7.5)
	s := newServer()
	line := ask(`"continuity"`, "2", regionOf(x, 0, 7, 1), regionOf(x, 0, 7, 1))
	for range 2 {
		if _, err := s.answer(t.Context(), []byte(line)); err != nil {
			t.Fatal(err)
		}
		if len(s.mapped) != 1 {
			t.Errorf("%d files are mapped, want one", len(s.mapped))
		}
		if s.rest(); len(s.mapped) != 0 {
			t.Error("files are mapped at rest")
		}
	}
}

// Both arrays of a request lie in one file, which is not let go of between them: not where its name is another's by
// then, and not where the system fails to say whose it is.
func TestOneFileForBothArrays(t *testing.T) {
	t.Parallel()
	path := values(t, filepath.Join(t.TempDir(), "x"), 0, 1, 2, 3, 4)
	s := newServer()
	defer s.forget()
	first, err := s.bytes(region{Path: path}, 16)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(values(t, path+" later", 0, 5, 6, 7, 8), path); err != nil {
		t.Skipf("a file in use cannot be replaced: %v", err)
	}
	second, err := s.bytes(region{Path: path, Offset: 16}, 16)
	if err != nil {
		t.Fatal(err)
	}
	number := func(raw []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(raw)) }
	if number(first) != 1 || number(second) != 3 {
		t.Errorf("the arrays begin with %v and %v, want 1 and 3", number(first), number(second))
	}
	clear(s.asked) // the next request
	if other, err := s.bytes(region{Path: path}, 16); err != nil || number(other) != 5 {
		t.Errorf("the next request reads %v, %v, want 5", other, err)
	}
}
