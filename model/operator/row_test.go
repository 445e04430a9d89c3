// The table of operators: its rows, their types, and the documentation that follows from it.

package operator

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"repscope/model/graph"
)

// Every row is complete, and no operator stands twice.
func TestRows(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for family, rows := range families {
		for _, row := range rows {
			key := row.Domain + "." + row.Name
			if other, twice := seen[key]; twice {
				t.Errorf("%s stands in %s and in %s", key, other, family)
			}
			seen[key] = family
			if row.Domain != "" {
				if row.Domain == microsoft || row.Domain == preview || row.Domain == blockedDomain {
					if row.Types == "" {
						t.Errorf("%s has no types", key)
					}
					continue
				}
				if row.Since != 0 || row.Types != "" || row.Note != "" {
					t.Errorf("%s is not of ONNX but has an opset, types or a note", key)
				}
				continue
			}
			if row.Since < 1 || row.Since > MaxOpset || row.Types == "" || strings.Trim(row.Types, "fib") != "" || row.infer == nil {
				t.Errorf("%s: opset %d, types %q, rule %t", row.Name, row.Since, row.Types, row.infer != nil)
			}
		}
	}
	for key := range table {
		if seen[key] == "" {
			t.Errorf("%s is in no family", key)
		}
	}
}

// form is a node that its operator takes: its inputs and attributes.
type form struct {
	in         []graph.Operand
	attributes map[string]graph.Attribute
}

func typed(kind graph.DType, shape ...int) graph.Operand {
	return graph.Operand{Type: graph.Type{DType: kind, Shape: shape}}
}

func known(x *graph.Tensor) graph.Operand {
	return graph.Operand{Type: graph.Type{DType: x.DType, Shape: x.Shape}, Const: x}
}

// one is a tensor of one element of a type.
func one(kind graph.DType, shape ...int) *graph.Tensor {
	switch x := (&graph.Tensor{DType: kind, Shape: shape}); kind {
	case graph.Float32:
		x.F32 = []float32{1}
		return x
	case graph.Int64:
		x.I64 = []int64{1}
		return x
	default:
		x.Bool = []bool{true}
		return x
	}
}

// number1 is one number of a type; where it is an integer, that one.
func number1(kind graph.DType, v int64) graph.Operand {
	x := one(kind)
	for i := range x.I64 {
		x.I64[i] = v
	}
	return known(x)
}

// forms are the nodes, by the type of their data, of operators that do not take matrices of two rows and columns of
// that type alone. Operators that are in no row do.
func forms(kind graph.DType) map[string]form {
	type attributes = map[string]graph.Attribute
	data := func(shape ...int) graph.Operand { return typed(kind, shape...) }
	floats := func(shape ...int) graph.Operand { return typed(graph.Float32, shape...) }
	integers := func(shape ...int) graph.Operand { return typed(graph.Int64, shape...) }
	ints := func(v ...int64) graph.Operand { return known(graph.Ints(v...)) }
	in := func(x ...graph.Operand) []graph.Operand { return x }
	number, list := graph.IntAttribute, graph.IntsAttribute
	text := func(v string) graph.Attribute { return graph.Attribute{Kind: graph.AttributeString, String: v} }
	value := graph.Attribute{Kind: graph.AttributeTensor, Tensor: one(kind, 1)}
	image, matrix, scalar := data(1, 2, 5, 5), data(2, 2), known(one(kind))
	kernel := attributes{"kernel_shape": list(2, 2)}
	boxes := graph.Floats(make([]float32, 4), 1, 1, 4)
	if kind != graph.Float32 {
		boxes = one(kind, 1, 1, 1)
	}
	elements := map[graph.DType]int{graph.Float32: graph.ElementFloat, graph.Int64: graph.ElementInt64,
		graph.Bool: graph.ElementBool}
	pair := graph.Operand{Sequence: graph.NewSequence(graph.Type{DType: kind}, "p", "q")}
	recurrent := func(gates int) form { return form{in(data(5, 2, 3), data(1, 4*gates, 3), data(1, 4*gates, 4)), nil} }
	return map[string]form{
		"AffineGrid":      {in(data(2, 2, 3), ints(2, 1, 4, 5)), nil},
		"AveragePool":     {in(image), kernel},
		"BitShift":        {in(matrix, matrix), attributes{"direction": text("LEFT")}},
		"BlackmanWindow":  {in(number1(kind, 8)), nil},
		"CenterCropPad":   {in(matrix, ints(3, 1)), nil},
		"Col2Im":          {in(data(1, 4, 4), ints(3, 3), ints(2, 2)), nil},
		"CumProd":         {in(matrix, ints(1)), nil},
		"DFT":             {in(data(1, 3, 2)), nil},
		"GlobalLpPool":    {in(image), nil},
		"HammingWindow":   {in(number1(kind, 8)), nil},
		"HannWindow":      {in(number1(kind, 8)), nil},
		"LpPool":          {in(image), kernel},
		"MaxUnpool":       {in(image, integers(1, 2, 5, 5)), kernel},
		"MelWeightMatrix": {in(number1(kind, 2), number1(kind, 8), number1(kind, 100), known(one(graph.Float32)), known(one(graph.Float32))), nil},
		"STFT":            {in(data(1, 8, 1), ints(2), graph.Operand{}, ints(4)), nil},
		"TfIdfVectorizer": {in(matrix), attributes{"mode": text("TF"), "ngram_counts": list(0), "ngram_indexes": list(0, 1), "pool_int64s": list(2, 3),
			"max_gram_length": number(1), "min_gram_length": number(1)}},
		"BatchNormalization": {in(image, data(2), data(2), data(2), data(2)), nil},
		"BitCast": {in(matrix),
			attributes{"from": number(elements[kind]),
				"to": number(map[graph.DType]int{graph.Bool: graph.ElementInt8, graph.Float32: graph.ElementInt32,
					graph.Int64: graph.ElementUint64}[kind])}},
		"Compress":                  {in(matrix, known(one(graph.Bool, 1))), nil},
		"DeformConv":                {in(image, data(3, 2, 3, 3), data(1, 18, 3, 3)), nil},
		"NegativeLogLikelihoodLoss": {in(matrix, integers(2)), nil},
		"NonMaxSuppression":         {in(known(boxes), known(one(graph.Float32, 1, 1, 1))), nil},
		"RoiAlign":                  {in(image, data(2, 4), integers(2)), attributes{"sampling_ratio": number(2)}},
		"Scatter":                   {in(matrix, integers(2, 2), matrix), nil},
		"SoftmaxCrossEntropyLoss":   {in(matrix, integers(2)), nil},
		"Unique":                    {in(known(one(kind, 1))), nil},
		"Upsample":                  {in(image, known(graph.Floats([]float32{1, 1, 2, 2}, 4))), nil},
		"Cast":                      {in(matrix), attributes{"to": number(graph.ElementFloat)}},
		"Concat":                    {in(matrix, matrix), attributes{"axis": number(1)}},
		"Constant":                  {nil, attributes{"value": value}},
		"Attention":                 {in(data(1, 2, 3, 4), data(1, 2, 3, 4), data(1, 2, 3, 4)), nil},
		"CausalConvWithState":       {in(data(1, 2, 3), data(2, 1, 2)), nil},
		"LinearAttention":           {in(data(1, 2, 4), data(1, 2, 4), data(1, 2, 4)), attributes{"q_num_heads": number(2), "kv_num_heads": number(2), "update_rule": text("linear")}},
		"RotaryEmbedding":           {in(data(1, 2, 3, 4), data(1, 3, 2), data(1, 3, 2)), nil},
		"TensorScatter":             {in(data(1, 3, 4), data(1, 2, 4)), nil},
		"ConstantOfShape":           {in(ints(2, 3)), attributes{"value": value}},
		"Conv":                      {in(image, data(3, 2, 3, 3)), nil},
		"ConvInteger":               {in(image, data(3, 2, 3, 3)), nil},
		"ConvTranspose":             {in(image, data(2, 3, 3, 3)), nil},
		"CumSum":                    {in(matrix, ints(1)), nil},
		"DepthToSpace":              {in(data(1, 4, 2, 2)), attributes{"blocksize": number(2)}},
		"DequantizeLinear":          {in(matrix, floats()), nil},
		"Einsum":                    {in(matrix, matrix), attributes{"equation": text("ij,jk->ik")}},
		"Expand":                    {in(matrix, ints(3, 2, 2)), nil},
		"GRU":                       recurrent(3),
		"Gather":                    {in(matrix, integers(3)), nil},
		"GatherElements":            {in(matrix, integers(2, 2)), nil},
		"GatherND":                  {in(matrix, integers(3, 1)), nil},
		"GlobalAveragePool":         {in(image), nil},
		"GlobalMaxPool":             {in(image), nil},
		"GridSample":                {in(image, data(1, 3, 3, 2)), nil},
		"GroupNormalization":        {in(image, data(2), data(2)), attributes{"num_groups": number(2)}},
		"InstanceNormalization":     {in(image, data(2), data(2)), nil},
		"LRN":                       {in(image), attributes{"size": number(3)}},
		"LSTM":                      recurrent(4),
		"LayerNormalization":        {in(matrix, data(2)), nil},
		"MaxPool":                   {in(image), kernel},
		"MeanVarianceNormalization": {in(image), nil},
		"Mod":                       {in(matrix, matrix), attributes{"fmod": number(1)}},
		"NonZero":                   {in(known(one(kind, 1))), nil},
		"OneHot":                    {in(integers(2), ints(3), data(2)), nil},
		"Pad":                       {in(matrix, ints(1, 0, 0, 1)), nil},
		"QLinearConv": {in(image, floats(), integers(), data(3, 2, 3, 3), floats(), integers(), floats(), integers()),
			attributes{"output_dtype": number(graph.ElementUint8)}},
		"QLinearMatMul": {in(matrix, floats(), integers(), matrix, floats(), integers(), floats(), integers()),
			attributes{"output_dtype": number(graph.ElementUint8)}},
		"QuantizeLinear":  {in(matrix, floats()), nil},
		"RNN":             recurrent(1),
		"Range":           {in(scalar, scalar, scalar), nil},
		"Reshape":         {in(matrix, ints(4)), nil},
		"Resize":          {in(image, graph.Operand{}, known(graph.Floats([]float32{1, 1, 2, 2}, 4))), nil},
		"ReverseSequence": {in(matrix, integers(2)), nil},
		"ScatterElements": {in(matrix, integers(2, 2), matrix), nil},
		"ScatterND":       {in(matrix, integers(1, 1), data(1, 2)), nil},
		"Slice":           {in(matrix, ints(0), ints(1)), nil},
		"SpaceToDepth":    {in(data(1, 1, 4, 4)), attributes{"blocksize": number(2)}},

		"ConcatFromSequence": {in(pair), attributes{"axis": number(1)}},
		"SequenceAt":         {in(pair, ints(1)), nil},
		"SequenceConstruct":  {in(matrix, matrix), nil},
		"SequenceEmpty":      {nil, attributes{"dtype": number(elements[kind])}},
		"SequenceErase":      {in(pair), nil},
		"SequenceInsert":     {in(pair, matrix), nil},
		"SequenceLength":     {in(pair), nil},
		"Tile":               {in(matrix, ints(2, 2)), nil},
		"TopK":               {in(matrix, ints(1)), nil},
		"Unsqueeze":          {in(matrix, ints(0)), nil},
		"Where":              {in(typed(graph.Bool, 2, 2), matrix, matrix), nil},
	}
}

// An operator takes the types that are listed for it and no others. Dropout is the identity of any type, which
// the standard has for floats alone.
func TestTypes(t *testing.T) {
	t.Parallel()
	for _, kind := range []graph.DType{graph.Float32, graph.Int64, graph.Bool} {
		special := forms(kind)
		for name := range special {
			if table["."+name] == nil {
				t.Errorf("a form of %s, which is no operator", name)
			}
		}
		for _, s := range Supported() {
			if slices.Contains([]string{"If", "Loop", "Scan", "SequenceMap"}, s.Name) || strings.Contains(s.Name, ".") {
				continue // they have the types of the graphs in them, or are of another domain, see microsoft_test.go
			}
			op := table["."+s.Name]
			f, ok := special[s.Name]
			if !ok {
				f.in = slices.Repeat([]graph.Operand{typed(kind, 2, 2)}, op.Inputs[0])
			}
			c := &graph.Inference{Node: &graph.Node{Op: s.Name, Outputs: []string{"y"}, Attributes: f.attributes}, Opset: MaxOpset, In: f.in}
			for i, x := range f.in {
				c.Node.Inputs = append(c.Node.Inputs, "")
				if x.DType != graph.Invalid || x.Sequence != nil {
					c.Node.Inputs[i] = string(rune('a' + i))
				}
			}
			err := op.run(c)
			if listed := s.Name == "Dropout" || slices.Contains(s.Types, kind); listed != (err == nil) {
				t.Errorf("%s of %v: listed %t, error %v", s.Name, kind, listed, err)
			}
		}
	}
}

var update = flag.Bool("update", false, "write docs/reference/operators.md")

// The documentation's list of operators equals the table.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	const path = "../../docs/reference/operators.md"
	var b strings.Builder
	b.WriteString("<!-- Generated by `go test ./model/operator -run Documentation -update`. Do not edit. -->\n\n# Operators\n\n" +
		"The operators that model files may have: of ONNX (domain `ai.onnx`), and of ONNX Runtime's optimizer and quantization, with their\n" +
		"domain (`com.microsoft`). `encode --ops` prints the same list.\n\n" +
		"- float32 stands for every type of float, int64 for every type of integer.\n" +
		"- Integers have the width of the file's type. Arithmetic wraps there, as in PyTorch, and no integer is rounded. " +
		"uint64 has numbers up to 2^64 − 1. Division by zero gives 0.\n" +
		"- Floats become integers as in PyTorch and ONNX Runtime on x86, rounded towards zero. Types of 8, 16 and 32 bits go through int32; " +
		"uint32 and types of 64 bits go through int64. A value out of range becomes the smallest integer of that type, and its low bits are kept.\n" +
		"- Sums, products and powers of integers wrap too. ONNX Runtime computes them in float64 and saturates.\n\n" +
		"| operator | opsets | types | attributes | note |\n| --- | --- | --- | --- | --- |\n")
	for _, s := range Supported() {
		types := make([]string, len(s.Types))
		for i, kind := range s.Types {
			types[i] = kind.String()
		}
		fmt.Fprintf(&b, "| %s | %d–%d | %s | %s | %s |\n", s.Name, s.First, s.Last, strings.Join(types, " "), strings.Join(s.Attributes, " "), s.Note)
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Errorf("%s differs from the table: run the test with -update", path)
	}
}

func ExampleSupported() {
	for _, s := range Supported() {
		if strings.HasPrefix(s.Name, "Resi") || s.Name == "Gelu" {
			fmt.Printf("%s: opsets %d to %d, %v, %q\n", s.Name, s.First, s.Last, s.Types, s.Note)
		}
	}
	// Output:
	// Gelu: opsets 20 to 28, [float32], ""
	// Resize: opsets 11 to 28, [float32], "also integers of at most 16 bits in modes nearest and linear"
}
