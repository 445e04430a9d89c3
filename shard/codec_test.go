// Tests of the encoding of parts.

package shard_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"repscope/shard"
)

type inner struct {
	Name   string
	Counts [3]int32
	Next   *float32
}

// own says itself how it is encoded.
type own struct{ hidden byte }

func (o own) MarshalBinary() ([]byte, error) { return []byte{o.hidden}, nil }

func (o *own) UnmarshalBinary(text []byte) error {
	if len(text) != 1 {
		return errors.New("want one byte")
	}
	o.hidden = text[0]
	return nil
}

type outer struct {
	lost   map[string]int `shard:"-"`
	Own    []own
	Whole  []int64
	Exact  []float64
	Empty  []float64
	Absent []float64
	Lists  [][]inner
	Flag   bool
	Bytes  []byte
	Small  int8
	Word   uint16
}

func sample() outer {
	f := float32(1.5)
	return outer{
		lost:  nil,
		Own:   []own{{7}, {8}},
		Whole: []int64{math.MinInt64, -1, math.MaxInt64}, Exact: []float64{math.Inf(-1), math.Copysign(0, -1), 0.1, math.NaN()},
		Empty: []float64{}, Lists: [][]inner{nil, {}, {{Name: "a ⊂ b", Counts: [3]int32{1, -2, 3}, Next: &f}, {}}},
		Flag: true, Bytes: []byte("bytes"), Small: -128, Word: 65535,
	}
}

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	data, err := shard.Encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	var got outer
	if err := shard.Decode(data, &got); err != nil {
		t.Fatal(err)
	}
	again, err := shard.Encode(got)
	if err != nil || !bytes.Equal(data, again) {
		t.Fatalf("decoded and encoded again: other bytes (%v)", err)
	}
	want := sample()
	if !math.IsNaN(got.Exact[3]) || !math.Signbit(got.Exact[1]) || got.Empty == nil || got.Absent != nil {
		t.Errorf("NaN, −0, empty or nil are lost: %+v", got)
	}
	got.Exact, want.Exact = got.Exact[:3], want.Exact[:3]
	if !reflect.DeepEqual(got, want) {
		t.Errorf("decoded %+v, want %+v", got, want)
	}
	for n := range data {
		if err := shard.Decode(data[:n], new(outer)); !errors.Is(err, shard.ErrDamaged) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(data), err)
		}
	}
	if err := shard.Decode(append(data, 0), new(outer)); !errors.Is(err, shard.ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
	if err := shard.Decode(data, new(inner)); err == nil || !strings.Contains(err.Error(), "a type other than") {
		t.Errorf("into another type: %v", err)
	}
	if err := shard.Decode(data, outer{}); err == nil {
		t.Error("into no pointer: no error")
	}
}

type loop struct{ Next *loop }

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"map": map[string]int{}, "interface": []any{1}, "unexported field": struct{ hidden int }{1},
		"loop": loop{}, "func": func() {}, "nothing": nil, "no size": []struct{}{{}}, "complex": 1i,
	} {
		if _, err := shard.Encode(value); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := shard.Encode(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[8:])
	f.Fuzz(func(t *testing.T, content []byte) {
		var v outer
		if err := shard.Decode(append(bytes.Clone(data[:8]), content...), &v); err != nil {
			return
		}
		if _, err := shard.Encode(v); err != nil {
			t.Fatal(err)
		}
	})
}
