// The trial by damaged files.

//go:build unix

package suite

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repscope/internal/runtest"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func number(v float32) string { return strconv.FormatFloat(float64(v), 'g', 6, 32) }

// damage is a way in which files that are not empty are damaged; sealed tells one that makes checksums right again.
type damage struct {
	name   string
	do     func(random *rand.Rand, data []byte) []byte
	sealed bool
}

// stretch is a part of data.
func stretch(random *rand.Rand, data []byte) (begin, end int) {
	begin = random.IntN(len(data))
	return begin, min(len(data), begin+1+random.IntN(1<<random.IntN(12)))
}

// place is where something is put in the place of n bytes; files have their structure at the ends.
func place(random *rand.Rand, data []byte, n int) int {
	room := max(1, len(data)-n+1)
	switch random.IntN(3) {
	case 0:
		return random.IntN(min(room, 200))
	case 1:
		return max(0, room-1-random.IntN(min(room, 200)))
	}
	return random.IntN(room)
}

// hugeNumbers are put in the place of numbers.
var hugeNumbers = []uint64{0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 40, 1<<62 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}

// hugeTexts are put in the place of numbers, words and values of texts.
var hugeTexts = []string{"1e999", "-1", "-0", "NaN", "Infinity", "99999999999999999999", "1e308", "4611686018427387904", "0x1p1023", "null", "[]", "{}", `""`, "true", "*", "&a", "!!binary x", "1..1e9", "\x00", "\x1b[31m", "\xff\xfe",
	"\u202e", "\n", "\t", "\"", "'", ",", ":", strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 20_000), strings.Repeat("9", 20_000), strings.Repeat("a", 70_000), strings.Repeat("- ", 5_000), strings.Repeat(">", 3000), strings.Repeat(",", 3000), "<<: *b"}

var anyToken = regexp.MustCompile(`[-+]?[0-9][0-9.eE]*|[A-Za-z_]+|"[^"\n]*"|[^\s\w]`)

// damages are the ways that leave checksums as they were.
var damages = []damage{
	{name: "a bit", do: func(random *rand.Rand, data []byte) []byte {
		data[place(random, data, 1)] ^= 1 << random.IntN(8)
		return data
	}},
	{name: "bytes", do: func(random *rand.Rand, data []byte) []byte {
		for range 1 + random.IntN(8) {
			data[place(random, data, 1)] = byte(random.Uint32())
		}
		return data
	}},
	{name: "an end", do: func(random *rand.Rand, data []byte) []byte { return data[:random.IntN(len(data))] }},
	{name: "zeros", do: func(random *rand.Rand, data []byte) []byte {
		begin, end := stretch(random, data)
		clear(data[begin:end])
		return data
	}},
	{name: "noise", do: func(random *rand.Rand, data []byte) []byte {
		begin, end := stretch(random, data)
		for i := begin; i < end; i++ {
			data[i] = byte(random.Uint32())
		}
		return data
	}},
	{name: "more", do: func(random *rand.Rand, data []byte) []byte {
		more := [][]byte{make([]byte, 1+random.IntN(5000)), bytes.Repeat([]byte{0xff}, 1+random.IntN(100)), data, []byte("\n"), []byte("\xff\xff")}
		return append(data, more[random.IntN(len(more))]...)
	}},
	{name: "a part twice", do: func(random *rand.Rand, data []byte) []byte {
		begin, end := stretch(random, data)
		return slices.Concat(data[:end], data[begin:end], data[end:])
	}},
	{name: "a part less", do: func(random *rand.Rand, data []byte) []byte {
		begin, end := stretch(random, data)
		return slices.Concat(data[:begin], data[end:])
	}},
	{name: "another begin", do: func(random *rand.Rand, data []byte) []byte {
		begins := []string{"\x93NUMPY\x01\x00", "PK\x03\x04", "\x80\x02", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "II*\x00", "MM\x00*", "GIF89a", "BM", "\x1f\x8b\x08\x00", "{\"a\":", "\xef\xbb\xbf", "\xff\xfe", "\x08\x07\x12\x07pytorch",
			"RIFF\xff\xff\xff\xffWEBP", "\x40\x00\x00\x00\x00\x00\x00\x00{", "\x89HDF\r\n\x1a\n", "version https://git-lfs", "%PDF-1.7", "#!/bin/sh\n", "---\n", "BZh9", "\xfd7zXZ\x00"}
		begin := begins[random.IntN(len(begins))]
		return append([]byte(begin), data[min(len(data), len(begin)*random.IntN(2)):]...)
	}},
	{name: "a huge number", do: func(random *rand.Rand, data []byte) []byte {
		bytes := binary.LittleEndian.AppendUint64(nil, hugeNumbers[random.IntN(len(hugeNumbers))])
		n := 1 << random.IntN(4)
		bytes = bytes[:n]
		if random.IntN(2) == 0 {
			slices.Reverse(bytes)
		}
		copy(data[place(random, data, n):], bytes)
		return data
	}},
	{name: "a huge length", do: func(random *rand.Rand, data []byte) []byte { // as protocol buffers and pickles have them
		begin := place(random, data, 1)
		return slices.Concat(data[:begin], binary.AppendUvarint(nil, hugeNumbers[random.IntN(len(hugeNumbers))]), data[min(len(data), begin+random.IntN(3)):])
	}},
	{name: "another text", do: func(random *rand.Rand, data []byte) []byte {
		for range 1 + random.IntN(2) {
			found := anyToken.FindAllIndex(data, 4000)
			if len(found) == 0 {
				return append(data, 0)
			}
			spot := found[random.IntN(len(found))]
			text := hugeTexts[random.IntN(len(hugeTexts))]
			if random.IntN(4) == 0 { // one of its own
				other := found[random.IntN(len(found))]
				text = string(data[other[0]:other[1]])
			}
			data = slices.Concat(data[:spot[0]], []byte(text), data[spot[1]:])
		}
		return data
	}},
	{name: "lines", do: func(random *rand.Rand, data []byte) []byte {
		lines := bytes.SplitAfter(data, []byte("\n"))
		i, k := random.IntN(len(lines)), random.IntN(len(lines))
		lines[i], lines[k] = lines[k], lines[i]
		return bytes.Join(slices.Insert(lines, i, slices.Repeat([][]byte{lines[k]}, random.IntN(3))...), nil)
	}},
}

// anyDamage is one of them, or one inside a container, which makes the checksums of that right again.
func anyDamage(random *rand.Rand) damage {
	if i := random.IntN(len(damages) + 1); i < len(damages) {
		return damages[i]
	}
	return damage{name: "inside", do: inside, sealed: true}
}

// damaged is data with one of them.
func damaged(random *rand.Rand, data []byte) []byte {
	return damages[random.IntN(len(damages))].do(random, data)
}

// inside damages what is in a container and makes the checksums of that right: a member of a zip file, the text of a
// gzip file, a chunk of a PNG.
func inside(random *rand.Rand, data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			break
		}
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		chosen := random.IntN(len(archive.File))
		for i, f := range archive.File {
			r, err := f.Open()
			if err != nil {
				return damaged(random, data)
			}
			content, err := io.ReadAll(r)
			if err == nil && i == chosen && len(content) > 0 {
				content = damaged(random, content)
			}
			member, creating := z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: f.Method})
			if errors.Join(err, creating) != nil {
				return damaged(random, data)
			}
			_, _ = member.Write(content)
		}
		_ = z.Close()
		return out.Bytes()
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			break
		}
		content, err := io.ReadAll(r)
		if err != nil || len(content) == 0 {
			break
		}
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, _ = z.Write(damaged(random, content))
		_ = z.Close()
		return out.Bytes()
	case bytes.HasPrefix(data, []byte("\x89PNG")) && len(data) > 33:
		var chunks []int
		for at := 8; at+12 <= len(data); at += 12 + int(binary.BigEndian.Uint32(data[at:])) {
			chunks = append(chunks, at)
		}
		at := chunks[random.IntN(len(chunks))]
		if n := int(binary.BigEndian.Uint32(data[at:])); n > 0 && at+12+n <= len(data) {
			d := damages[[]int{0, 1, 3, 4, 9}[random.IntN(5)]] // of the same length
			d.do(random, data[at+8:at+8+n:at+8+n])
			binary.BigEndian.PutUint32(data[at+8+n:], crc32.ChecksumIEEE(data[at+4:at+8+n]))
			return data
		}
	}
	return damaged(random, data)
}

// recordedNumbers are the numbers of a run in a folder, without what it says of its files: those of the result on its
// standard output, and arrays.
func recordedNumbers(dir, stdout string) (string, error) {
	var result struct{ Models, Comparisons json.RawMessage }
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		return "", err
	}
	arrays, err := filepath.Glob(filepath.Join(dir, "made", "*.npy"))
	all := string(result.Models) + string(result.Comparisons)
	for _, path := range arrays {
		data, reading := os.ReadFile(path)
		all, err = all+string(data), errors.Join(err, reading)
	}
	return all, err
}

// trialFiles are the files of a folder that are damaged, and those whose payload has a checksum.
func (c trialCase) trialFiles(t *testing.T, dir string) (all []string, sealed map[string]bool) {
	t.Helper()
	sealed = map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if kept, _ := filepath.Match(c.keep, d.Name()); kept || info.Size() == 0 {
			return err
		}
		name, err := filepath.Rel(dir, path)
		all = append(all, name)
		sealed[name], _ = filepath.Match(c.sealed, d.Name())
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatal(c.name, "no files", err)
	}
	return all, sealed
}

// Whatever a file of any format has become, a run with it ends soon, with a status of its own and in bounded memory,
// and uses no payload that is not the one of its checksum. REPSCOPE_TRIAL_DAMAGED=20000 is the long form,
// REPSCOPE_TRIAL_CASE a part of the name of a case, and REPSCOPE_TRIAL_ONLY the number of one damage.
func TestTrialDamagedFiles(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	n := howMany(t, "REPSCOPE_TRIAL_DAMAGED", 60)
	only := howMany(t, "REPSCOPE_TRIAL_ONLY", -1)
	seed := trialSeed(t)
	root := t.TempDir()
	home := filepath.Join(root, "home")
	type ready struct {
		trialCase
		dir     string
		names   []string
		sealed  map[string]bool
		numbers string
	}
	var cases []*ready
	for i, c := range trialCases() {
		if strings.Contains(c.name, os.Getenv("REPSCOPE_TRIAL_CASE")) {
			cases = append(cases, &ready{trialCase: c, dir: filepath.Join(root, fmt.Sprint("case", i))})
		}
	}
	line := func(c trialCase) []string {
		args := c.args(c.line, ".")
		if !slices.Contains(args, "--out") && args[0] != "repscope" {
			args = append(args, "--out", "made")
		}
		if args[0] == "evaluate" || args[0] == "repscope" || args[0] == "scale" && args[1] != "merge" {
			return args
		}
		if args[0] != "encode" && args[0] != "scale" {
			args = append(args, "--format", "none")
		}
		return append(args, "--json")
	}
	trials(len(cases), func(i int) {
		c := cases[i]
		c.write(t, c.dir, home)
		c.names, c.sealed = c.trialFiles(t, c.dir)
		work := filepath.Join(root, fmt.Sprint("whole", i))
		size := copyTree(t, c.dir, work)
		o, err := trialRun{args: line(c.trialCase), dir: work, home: home}.do()
		if err != nil || o.code != 0 || o.wrong(size) != "" {
			t.Errorf("%s, of whole files: exit %d %v %s: %s", c.name, o.code, err, o.wrong(size), o.stderr)
		}
		c.numbers, _ = recordedNumbers(work, o.stdout)
	})
	if t.Failed() {
		return
	}
	l := newLedger()
	trials(n, func(i int) {
		if only >= 0 && i != only {
			return
		}
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		c := cases[i%len(cases)]
		name, d := c.names[random.IntN(len(c.names))], anyDamage(random)
		work := filepath.Join(root, fmt.Sprint("trial", i))
		copyTree(t, c.dir, work)
		path := filepath.Join(work, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			return
		}
		data := d.do(random, slices.Clone(whole))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Error(err)
			return
		}
		before := inputsOf(work, c.trialCase)
		o, err := trialRun{args: line(c.trialCase), dir: work, home: home}.do()
		if err != nil {
			t.Error(err)
			return
		}
		what := fmt.Sprintf("%d: %s, %s of %s (%d bytes)", i, c.name, d.name, name, len(data))
		l.count(what, o)
		var size int64
		for _, content := range before {
			size += int64(len(content))
		}
		failed := false
		fail := func(kind string) {
			failed = true
			l.fail(t, kind, "%s: %s: exit %d: %.600s", what, strings.Join(line(c.trialCase), " "), o.code, o.stderr)
		}
		if wrong := o.wrong(size); wrong != "" {
			fail(wrong)
		}
		if after := inputsOf(work, c.trialCase); !maps.Equal(before, after) && c.before == "" {
			fail("an input has other bytes")
		}
		if c.sealed[name] && !d.sealed && o.code == 0 && !strings.Contains(o.stderr, "is not measured: ") && !bytes.Equal(data, whole) {
			if numbers, err := recordedNumbers(work, o.stdout); c.line == "repscope verify {}/r" || err != nil || numbers != c.numbers {
				fail("a damaged payload is used")
			}
		}
		if keep := os.Getenv("REPSCOPE_TRIAL_KEEP"); keep != "" && (failed || only >= 0) {
			target := filepath.Join(keep, fmt.Sprint("trial", i))
			copyTree(t, work, target)
			_ = os.WriteFile(filepath.Join(target, "LINE"), []byte(strings.Join(line(c.trialCase), " ")+"\n"+what+"\n"+o.stdout+o.stderr), 0o600)
		}
		if err := os.RemoveAll(work); err != nil {
			t.Error(err)
		}
	})
	l.log(t)
}

// cacheEntry is the name of a file of the cache, whose folder a damaged suite may name anew.
var cacheEntry = regexp.MustCompile(`^[0-9a-f]{64}\.npy$`)

// inputsOf are the files that a run reads and does not write.
func inputsOf(dir string, c trialCase) map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if strings.HasPrefix(name, "made") || strings.HasPrefix(name, "out-") || cacheEntry.MatchString(d.Name()) {
			return err
		}
		data, err := os.ReadFile(path)
		all[name] = string(data)
		return err
	})
	return all
}
