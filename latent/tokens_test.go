// Models of tokens against ONNX Runtime, and what padding and batches must not change.

package latent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/model"
)

// languageCase is a batch of golden_language.npz.
type languageCase struct {
	name    string
	ids     []int64
	chains  []int64
	lengths []int
	space   int
}

func languageBatch(t *testing.T, name string) languageCase {
	t.Helper()
	ints := func(key string) ([]int64, []int) {
		values, shape := array(t, "golden_language.npz:"+name+"/"+key)
		out := make([]int64, len(values))
		for i, v := range values {
			out[i] = int64(v)
		}
		return out, shape
	}
	c := languageCase{name: name}
	var shape []int
	c.ids, shape = ints("input_ids")
	c.chains, _ = ints("chains")
	lengths, _ := ints("lengths")
	for _, n := range lengths {
		c.lengths = append(c.lengths, int(n))
	}
	c.space = shape[1]
	return c
}

// open opens the file of a case.
func (c *languageCase) open(t *testing.T, o TokenOptions) *TokenModel {
	t.Helper()
	o.Pad, o.Letters = 1, []int32{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	m, err := OpenTokens(t.Context(), filepath.Join("testdata", "language_"+c.name+".onnx"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// answers runs some sequences of the case and returns copies of the outputs, by sequence.
func (c *languageCase) answers(t *testing.T, m *TokenModel, which []int, rows int, want TokenOutputs) map[int]*TokenOutput {
	t.Helper()
	var lengths []int
	for _, i := range which {
		lengths = append(lengths, c.lengths[i])
	}
	out := map[int]*TokenOutput{}
	fill := func(k int, tokens, chains []int64) {
		copy(tokens, c.ids[which[k]*c.space:])
		copy(chains, c.chains[which[k]*c.space:])
	}
	err := m.Run(t.Context(), TokenSequences{lengths, fill, rows}, want, func(k int, o *TokenOutput) error {
		if out[which[k]] != nil {
			t.Errorf("sequence %d was visited twice", which[k])
		}
		out[which[k]] = &TokenOutput{slices.Clone(o.Logits), slices.Clone(o.Hidden), slices.Clone(o.Attentions), o.Layers, o.Heads}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != len(which) {
		t.Fatalf("%d sequences were visited, want %d", len(out), len(which))
	}
	return out
}

var languageCases = []struct {
	name  string
	names string
	has   TokenOutputs
	notes int
}{
	{"esm_script", "tokens=input_ids mask=attention_mask logits=logits hidden=hidden_states.2 attentions=attentions.0 … attentions.1", 7, 0},
	{"esm_dynamo", "tokens=input_ids mask=attention_mask logits=logits hidden=hidden_states attentions=attentions", 7, 0},
	{"esm_sdpa_script", "tokens=input_ids mask=attention_mask logits=logits hidden=last_hidden_state", 3, 0},
	{"esm_sdpa_dynamo", "tokens=input_ids mask=attention_mask logits=logits hidden=last_hidden_state", 3, 0},
	{"bert_script", "tokens=input_ids mask=attention_mask chains=token_type_ids logits=logits hidden=hidden_states attentions=attentions", 7, 0},
	{"bert_dynamo", "tokens=input_ids mask=attention_mask chains=token_type_ids logits=logits hidden=hidden_states.2 attentions=attentions.0 … attentions.1", 7, 0},
	{"bert_sdpa_dynamo", "tokens=input_ids mask=attention_mask chains=token_type_ids logits=logits hidden=last_hidden_state", 3, 0},
	{"encoder", "tokens=token_ids chains=chain_ids padding=padding_mask positions=position_ids logits=logits hidden=hidden", 3, 0},
	{"encoder_fixed", "tokens=token_ids chains=chain_ids padding=padding_mask positions=position_ids logits=logits hidden=hidden", 3, 0},
	{"unmasked", "tokens=x logits=out attentions=weights", 5, 1},
	{"ignored", "tokens=token_ids mask=attention_mask logits=out", 1, 1},
}

// Exports of current and older versions of PyTorch give the numbers of ONNX Runtime, and the
// same bits alone and in any batch, whatever is wanted besides, for any number of threads.
func TestTokensAgainstONNXRuntime(t *testing.T) {
	t.Parallel()
	for _, l := range languageCases {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			c := languageBatch(t, l.name)
			m := c.open(t, TokenOptions{Vocabulary: vocabularyOf(l.name), Threads: 2})
			if got := strings.Join(m.Names, " "); got != l.names {
				t.Errorf("names are\n%s, want\n%s", got, l.names)
			}
			if m.Has() != l.has || len(m.Notes) != l.notes {
				t.Errorf("has %v and notes %q, want %v and %d notes", m.Has(), m.Notes, l.has, l.notes)
			}
			all := c.answers(t, m, []int{0, 1, 2}, 0, m.Has())
			for i, got := range all {
				c.compare(t, m, i, got)
			}
			other := c.open(t, TokenOptions{Vocabulary: vocabularyOf(l.name), Threads: 1})
			for i, want := range all {
				for _, which := range [][]int{{i}, {(i + 1) % 3, i}, {i, (i + 1) % 3, (i + 2) % 3}} {
					sameBits(t, fmt.Sprintf("sequence %d of %v", i, which), c.answers(t, other, which, 2, m.Has())[i], want)
				}
				for _, o := range []TokenOutputs{TokenLogits, TokenHidden, TokenAttentions} {
					if m.Has()&o == 0 {
						continue
					}
					sameBits(t, fmt.Sprintf("sequence %d, %v alone", i, o), c.answers(t, m, []int{i}, 0, o)[i], only(want, o))
				}
			}
		})
	}
}

func vocabularyOf(name string) int {
	if strings.HasPrefix(name, "esm") {
		return 33
	}
	return 32
}

func only(o *TokenOutput, what TokenOutputs) *TokenOutput {
	out := &TokenOutput{}
	switch what {
	case TokenLogits:
		out.Logits = o.Logits
	case TokenHidden:
		out.Hidden = o.Hidden
	case TokenAttentions:
		out.Attentions = o.Attentions
	}
	return out
}

func sameBits(t *testing.T, what string, got, want *TokenOutput) {
	t.Helper()
	for k, pair := range [][2][]float32{{got.Logits, want.Logits}, {got.Hidden, want.Hidden}, {got.Attentions, want.Attentions}} {
		if len(pair[0]) != len(pair[1]) {
			t.Fatalf("%s: %s has %d values, want %d", what, TokenOutputNames()[k], len(pair[0]), len(pair[1]))
		}
		for i, v := range pair[0] {
			if math.Float32bits(v) != math.Float32bits(pair[1][i]) {
				t.Fatalf("%s: %s value %d is %g, want %g", what, TokenOutputNames()[k], i, v, pair[1][i])
			}
		}
	}
}

// compare compares the output for a sequence with ONNX Runtime's.
func (c *languageCase) compare(t *testing.T, m *TokenModel, i int, got *TokenOutput) {
	t.Helper()
	n := c.lengths[i]
	for k, values := range [][]float32{got.Logits, got.Hidden, got.Attentions} {
		if m.Has()&(1<<k) == 0 {
			continue
		}
		all, shape := array(t, "golden_language.npz:"+c.name+"/"+TokenOutputNames()[k])
		each := len(all) / shape[0]
		all = all[i*each : (i+1)*each]
		var want []float32
		if TokenOutputs(1<<k) != TokenAttentions {
			want = all[:n*shape[2]]
		} else {
			if got.Layers != shape[1] || got.Heads != shape[2] {
				t.Fatalf("%d layers and %d heads, want %d and %d", got.Layers, got.Heads, shape[1], shape[2])
			}
			for row := range shape[1] * shape[2] * shape[3] {
				if row%c.space < n {
					want = append(want, all[row*c.space:][:n]...)
				}
			}
		}
		if len(values) != len(want) {
			t.Fatalf("sequence %d: %s has %d values, want %d", i, TokenOutputNames()[k], len(values), len(want))
		}
		if r := relative(values, want); !(r <= 2e-6) {
			t.Errorf("sequence %d: %s: relative error %.1e", i, TokenOutputNames()[k], r)
		}
	}
}

// Sequences are visited in an order that batches do not change, each once.
func TestTokensOrder(t *testing.T) {
	t.Parallel()
	c := languageBatch(t, "esm_dynamo")
	lengths := []int{20, 3, 17, 9, 30, 16, 24, 1}
	want := []int{1, 7, 3, 5, 0, 2, 6, 4}
	for _, o := range []struct {
		rows   int
		memory int64
	}{{0, 0}, {1, 0}, {3, 0}, {0, 1}} {
		m := c.open(t, TokenOptions{Memory: o.memory})
		var got []int
		fill := func(i int, tokens, chains []int64) {
			if len(tokens) != lengths[i] || len(chains) != lengths[i] {
				t.Errorf("sequence %d is filled into %d and %d places", i, len(tokens), len(chains))
			}
			for k := range tokens {
				tokens[k] = 5
			}
		}
		err := m.Run(t.Context(), TokenSequences{lengths, fill, o.rows}, TokenLogits, func(i int, out *TokenOutput) error {
			got = append(got, i)
			if len(out.Logits) != lengths[i]*33 || out.Hidden != nil {
				t.Errorf("sequence %d: %d logits, %d values of hidden states", i, len(out.Logits), len(out.Hidden))
			}
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v: visited %v, want %v (%v)", o, got, want, err)
		}
	}
}

func TestTokensErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	weights := filepath.Join(dir, "model.pth")
	data, err := os.ReadFile("testdata/mae.pth")
	if err == nil {
		err = os.WriteFile(weights, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	language := func(name string) string { return filepath.Join("testdata", "language_"+name+".onnx") }
	for _, c := range []struct {
		path string
		o    TokenOptions
		want string
	}{
		{weights, TokenOptions{}, "want an ONNX file"},
		{filepath.Join(dir, "none.onnx"), TokenOptions{}, "no such file"},
		{"testdata/conv_opset17.onnx", TokenOptions{}, "want two axes: sequences and tokens"},
		{language("esm_script"), TokenOptions{Inputs: map[string]string{"token": "input_ids"}}, `input "token" (did you mean "tokens"?): want one of tokens, chains, mask, padding, positions`},
		{language("esm_script"), TokenOptions{Inputs: map[string]string{"tokens": "inputs_id"}}, `has no input "inputs_id" (did you mean "input_ids"?); its inputs are input_ids, attention_mask`},
		{language("esm_script"), TokenOptions{Inputs: map[string]string{"tokens": "input_ids", "chains": "input_ids"}}, `input "input_ids" is assigned to`},
		{language("esm_script"), TokenOptions{Outputs: map[string]string{"logit": "logits"}}, `output "logit" (did you mean "logits"?)`},
		{language("esm_script"), TokenOptions{Outputs: map[string]string{"attentions": "attention.*"}}, `has no output "attention.*"; its outputs are logits, hidden_states.0`},
		{language("esm_script"), TokenOptions{Outputs: map[string]string{"attentions": "logits"}}, `output "logits" (attentions) has shape [2 19 33] for 2 sequences of 19 tokens, want`},
		{language("esm_script"), TokenOptions{Outputs: map[string]string{"logits": "attentions.0"}}, `output "attentions.0" (logits) has shape [2 2 19 19]`},
		{language("esm_script"), TokenOptions{Letters: []int32{99}}, "1 sequence of 16 tokens, padding included: "},
		{language("esm_script"), TokenOptions{Vocabulary: 32}, `output "logits" has logits of 33 tokens, the vocabulary has 32`},
	} {
		m, err := OpenTokens(t.Context(), c.path, c.o)
		if err == nil {
			m.Close()
			t.Errorf("%s %+v: no error", c.path, c.o)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.LastIndex(err.Error(), "model ") != 0 || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: %v, want it to say %q", c.path, err, c.want)
		}
		var hinted interface{ Hints() []string }
		if c.o.Vocabulary > 0 && (!errors.As(err, &hinted) || !strings.Contains(hinted.Hints()[0], "--vocabulary")) {
			t.Errorf("%s: %v has no hint at the vocabulary", c.path, err)
		}
	}
}

// Running reports invalid sequences, and stops when the context ends.
func TestTokensRunErrors(t *testing.T) {
	t.Parallel()
	nothing := func(int, []int64, []int64) {}
	keep := func(int, *TokenOutput) error { return nil }
	c := languageBatch(t, "bert_sdpa_dynamo")
	m := c.open(t, TokenOptions{})
	for _, r := range []struct {
		lengths []int
		fill    func(int, []int64, []int64)
		want    TokenOutputs
		say     string
	}{
		{[]int{3, 0}, nothing, TokenLogits, "sequence 1 has no tokens"},
		{[]int{3}, nothing, TokenAttentions, "has no attentions"},
		{[]int{70}, nothing, TokenLogits, "1 sequence of 72 tokens, padding included: "},
		{[]int{3}, func(_ int, tokens, _ []int64) { tokens[0] = 32 }, TokenLogits, "index 32"},
	} {
		if err := m.Run(t.Context(), TokenSequences{Lengths: r.lengths, Fill: r.fill}, r.want, keep); err == nil || !strings.Contains(err.Error(), r.say) {
			t.Errorf("%v: %v, want it to say %q", r.lengths, err, r.say)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	visits := 0
	err := m.Run(ctx, TokenSequences{Lengths: []int{3, 20, 40}, Fill: nothing}, TokenLogits, func(int, *TokenOutput) error {
		visits++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || visits != 1 {
		t.Errorf("cancelled in the first of three batches: %v after %d", err, visits)
	}
	stop := errors.New("enough")
	if err := m.Run(t.Context(), TokenSequences{Lengths: []int{3, 20}, Fill: nothing}, TokenLogits, func(int, *TokenOutput) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the visitor's error is lost: %v", err)
	}
	c = languageBatch(t, "encoder_fixed")
	if err := c.open(t, TokenOptions{}).Run(t.Context(), TokenSequences{Lengths: []int{22}, Fill: nothing}, TokenLogits, keep); err == nil || !strings.Contains(err.Error(), "has 22 tokens, the input has a fixed length of 21") {
		t.Errorf("a sequence beyond the fixed length: %v", err)
	}
}

// The bound of memory divides batches.
func TestTokensMemory(t *testing.T) {
	t.Parallel()
	c := languageBatch(t, "esm_dynamo")
	m := c.open(t, TokenOptions{})
	one, err := m.main.model.Footprint(m.types(1, 24)...)
	if err != nil || one < 24*(16+32+33)*4 {
		t.Fatalf("a batch of one takes %d bytes (%v)", one, err)
	}
	for _, b := range []struct {
		memory int64
		want   int
	}{{0, 8}, {1, 1}, {3*one + 1, 3}, {100 * one, 8}} {
		m.o.Memory, m.fits = b.memory, nil
		if err := m.prepare(TokenLogits, 8); err != nil {
			t.Fatal(err)
		}
		if rows, err := m.batch(24, TokenLogits); err != nil || rows != b.want {
			t.Errorf("%d bytes take %d sequences, want %d (%v)", b.memory, rows, b.want, err)
		}
	}
	if _, err := m.main.model.Footprint(model.Type{}); err == nil {
		t.Error("a footprint of too few inputs is no error")
	}
}
