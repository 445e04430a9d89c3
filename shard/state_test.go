// Tests of the state file: every damage is found.

package shard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repscope/shard"
)

func file(t testing.TB) []byte {
	t.Helper()
	state, err := sums(data(9), "none").Compute(context.Background(), shard.Task(1, 2, 9)...)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := state.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadFindsEveryDamage(t *testing.T) {
	t.Parallel()
	good := file(t)
	if _, err := shard.Read(bytes.NewReader(good), "good"); err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if _, err := shard.Read(bytes.NewReader(good[:n]), "short"); err == nil {
			t.Fatalf("cut to %d of %d bytes: no error", n, len(good))
		}
	}
	for offset := range good {
		bad := bytes.Clone(good)
		bad[offset] ^= 0x10
		if _, err := shard.Read(bytes.NewReader(bad), "bad"); err == nil {
			t.Fatalf("byte %d changed: no error", offset)
		}
	}
	if _, err := shard.Read(bytes.NewReader(append(bytes.Clone(good), 0)), "long"); !errors.Is(err, shard.ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
	for text, want := range map[string]string{
		"":                        "not a shard",
		"PK\x03\x04 and so on":    "not a shard",
		"repscope-shard/9\n12345": "another version",
	} {
		if _, err := shard.Read(strings.NewReader(text), "x.shard"); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "x.shard: ") {
			t.Errorf("%q: error %v, want x.shard: … %s", text, err, want)
		}
	}
}

// Open finds what Read finds, holds no parts, and notices when they change afterwards.
func TestOpen(t *testing.T) {
	t.Parallel()
	good := file(t)
	path := filepath.Join(t.TempDir(), "a.shard")
	put := func(content []byte) {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for offset := 0; offset < len(good); offset += 23 {
		bad := bytes.Clone(good)
		bad[offset] ^= 0x10
		_, want := shard.Read(bytes.NewReader(bad), path)
		if put(bad); want == nil {
			t.Fatalf("byte %d changed: no error", offset)
		}
		if _, err := shard.Open(path); err == nil || err.Error() != want.Error() {
			t.Errorf("byte %d changed: %v, want %v", offset, err, want)
		}
		put(good[:offset])
		if _, err := shard.Open(path); err == nil {
			t.Errorf("cut to %d bytes: no error", offset)
		}
	}
	put(good)
	state, err := shard.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := state.Write(&again); err != nil || !bytes.Equal(again.Bytes(), good) || state.Parts[0].Data != nil {
		t.Errorf("written again: %v", err)
	}
	good[len(good)-1] ^= 1
	put(good)
	if err := state.Write(io.Discard); !errors.Is(err, shard.ErrDamaged) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("a file that changed: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := state.Write(io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
	if _, err := shard.Open(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f))
	path := filepath.Join(f.TempDir(), "fuzzed")
	f.Fuzz(func(t *testing.T, content []byte) {
		state, err := shard.Read(bytes.NewReader(content), path)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, failed := shard.Open(path); fmt.Sprint(failed) != fmt.Sprint(err) {
			t.Fatalf("Open: %v, Read: %v", failed, err)
		}
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := state.Write(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := shard.Read(&again, "written"); err != nil {
			t.Fatal(err)
		}
	})
}
