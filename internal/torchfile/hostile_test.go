// Files made to exhaust time or memory: what they become is bounded by their size.

package torchfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"repscope/internal/bound"
)

// zipped is a PyTorch file of a pickle, compressed or not, and a storage of one float32.
func zipped(t *testing.T, pickle []byte, method uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	members := map[string][]byte{"a/data.pkl": pickle, "a/data/0": {0, 0, 0x80, 0x3f}}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		data := members[name]
		how := method
		if name != "a/data.pkl" {
			how = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: how})
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHostileFiles(t *testing.T) {
	repeated := func(part string, n int) []byte { return []byte("\x80\x02" + strings.Repeat(part, n) + "N.") }
	// A tensor of one element that is 4,096 · 4,096 of them; and 1,000 such tensors.
	expanded := "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQK\x00M\x00\x10M\x00\x10\x86K\x00K\x00\x86\x89}tR"
	// A tuple of 64 tuples of 64 strings, as the key of 100,000 items.
	deep := "\x80\x02X\x08\x00\x00\x00aaaaaaaaq\x00(" + strings.Repeat("h\x00", 64) + "tq\x01(" +
		strings.Repeat("h\x01", 64) + "tq\x02}" + strings.Repeat("h\x02Ns", 100_000) + "."
	long := "\x80\x03B\x00\x10\x00\x00" + strings.Repeat("a", 4096) + "q\x00}" + strings.Repeat("h\x00Ns", 100_000) + "."
	for _, c := range []struct {
		name   string
		pickle []byte
		method uint16
		want   string
	}{
		{"a pickle of 120 MB in 120 kB", repeated("N0", 60<<20), zip.Deflate, "damaged or malicious"},
		{"lists of 30 MB in 30 kB", repeated("]0", 15<<20), zip.Deflate, "needs more memory"},
		{"a tuple as a key", []byte(deep), zip.Store, "too long a tuple"},
		{"long bytes as a key", []byte(long), zip.Store, "a dict key of 4096 bytes"},
		{"an element repeated", []byte("\x80\x02]" + strings.Repeat(expanded+"a", 1000) + "."), zip.Store,
			"damaged or malicious"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := zipped(t, c.pickle, c.method)
			path := filepath.Join(t.TempDir(), "a.pt")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := Open(path)
			runtime.ReadMemStats(&after)
			if err == nil {
				f.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) ||
				strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
			taken := int64(after.TotalAlloc - before.TotalAlloc)
			t.Logf("%d bytes, %d MB allocated", len(data), taken>>20)
			if most := 3 * bound.Of(int64(len(data))); taken > most {
				t.Errorf("%d bytes took %d, want at most %d", len(data), taken, most)
			}
		})
	}
	// A thousand of one element each are read.
	small := strings.Replace(expanded, "M\x00\x10M\x00\x10", "K\x08K\x08", 1)
	path := filepath.Join(t.TempDir(), "a.pt")
	if err := os.WriteFile(path, zipped(t, []byte("\x80\x02]"+strings.Repeat(small+"a", 1000)+"."), zip.Store),
		0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := f.Root().([]any)
	values, err := list[999].(*Tensor).Float32()
	if fmt.Sprint(len(list), len(values), err) != "1000 64 <nil>" || values[63] != 1 {
		t.Errorf("%d tensors, %v, %v", len(list), values, err)
	}
}

// agent is the zip file of an agent of Stable-Baselines3 around a PyTorch file.
func agent(t testing.TB, policy []byte, method uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"data", "policy.pth"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = w.Write(policy)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The policy of an agent is read where it lies; files in files in files are not.
func TestAgents(t *testing.T) {
	tensor := []byte("\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\n" +
		"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQK\x00K\x01\x85K\x01\x85\x89}tR.")
	file := zipped(t, tensor, zip.Store)
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"a policy", "", agent(t, file, zip.Store)},
		{"a policy of a policy", "without data.pkl", agent(t, agent(t, file, zip.Store), zip.Store)},
		{"a compressed policy", `member "policy.pth" is compressed; unpack it`, agent(t, file, zip.Deflate)},
		{"a policy that is cut", "has no zip directory at its end", agent(t, file[:len(file)/2], zip.Store)},
		{"a policy of text", "has no zip directory at its end", agent(t, []byte("PK\x03\x04 and text"), zip.Store)},
	} {
		path := filepath.Join(t.TempDir(), "model.zip")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if values, err := f.Root().(*Tensor).Float32(); err != nil || len(values) != 1 || values[0] != 1 {
			t.Errorf("%s: %v, %v, want [1]", c.name, values, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
