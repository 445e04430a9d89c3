// Tests of the state file: every damage is found.

package shard_test

import (
	"bytes"
	"context"
	"errors"
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
	for at := range good {
		bad := bytes.Clone(good)
		bad[at] ^= 0x10
		if _, err := shard.Read(bytes.NewReader(bad), "bad"); err == nil {
			t.Fatalf("byte %d changed: no error", at)
		}
	}
	if _, err := shard.Read(bytes.NewReader(append(bytes.Clone(good), 0)), "long"); !errors.Is(err, shard.ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
	for text, want := range map[string]string{
		"":                        "this is no shard",
		"PK\x03\x04 and so on":    "this is no shard",
		"repscope-shard/9\n12345": "another version",
	} {
		if _, err := shard.Read(strings.NewReader(text), "x.shard"); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "x.shard: ") {
			t.Errorf("%q: error %v, want x.shard: … %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file(f))
	f.Fuzz(func(t *testing.T, content []byte) {
		state, err := shard.Read(bytes.NewReader(content), "fuzzed")
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
