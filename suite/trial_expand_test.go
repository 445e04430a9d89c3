// The trial by small files and words that stand for much.

//go:build unix

package suite

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/runtest"
)

// laughs is YAML whose aliases stand for 10^depth values.
func laughs(depth int) string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < depth; i++ {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return text
}

// zeros are n of them, as a deflated or packed stream.
func zeroStream(w io.Writer, n int64) error {
	block := make([]byte, 1<<20)
	for n > 0 {
		m, err := w.Write(block[:min(n, int64(len(block)))])
		if n -= int64(m); err != nil {
			return err
		}
	}
	return nil
}

// bigNPZ is an .npz file of an array of so many zeros.
func bigNPZ(rows int64) func() ([]byte, error) {
	return bytesFrom(func(w io.Writer) error {
		z := zip.NewWriter(w)
		m, err := z.Create("z.npy")
		if err != nil {
			return err
		}
		header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 100), }", rows)
		header += strings.Repeat(" ", 117-len(header)) + "\n"
		_, writing := io.WriteString(m, "\x93NUMPY\x01\x00\x76\x00"+header)
		return errors.Join(writing, zeroStream(m, 100*rows), z.Close())
	})
}

// samePlace is a zip file of which all n members are the bytes of one.
func samePlace(n int) func() ([]byte, error) {
	return func() ([]byte, error) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		array, err := arrayFile(1, 2000, 5)()
		if err != nil {
			return nil, err
		}
		m, err := z.CreateHeader(&zip.FileHeader{Name: "a.npy", Method: zip.Store})
		if err != nil {
			return nil, err
		}
		_, writing := m.Write(array)
		if err := errors.Join(writing, z.Close()); err != nil {
			return nil, err
		}
		data := b.Bytes()
		end := bytes.LastIndex(data, []byte("PK\x05\x06"))
		begin := int(binary.LittleEndian.Uint32(data[end+16:]))
		entry := data[begin:end]
		out := bytes.Clone(data[:begin])
		for i := range n {
			copied := bytes.Clone(entry)
			copied[46] = byte('a' + i%20) // the first letter of the name
			out = append(out, copied...)
		}
		tail := bytes.Clone(data[end:])
		binary.LittleEndian.PutUint16(tail[8:], uint16(n))
		binary.LittleEndian.PutUint16(tail[10:], uint16(n))
		binary.LittleEndian.PutUint32(tail[12:], uint32(n*len(entry)))
		return append(out, tail...), nil
	}
}

// bigPNG is a picture of one color.
func bigPNG(width, height int) func() ([]byte, error) {
	return func() ([]byte, error) {
		out := []byte("\x89PNG\r\n\x1a\n")
		chunk := func(kind string, data []byte) {
			out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
			begin := len(out)
			out = append(append(out, kind...), data...)
			out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[begin:]))
		}
		head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
		chunk("IHDR", append(head, 8, 0, 0, 0, 0))
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		if err := errors.Join(zeroStream(z, int64(height)*int64(width+1)), z.Close()); err != nil {
			return nil, err
		}
		chunk("IDAT", b.Bytes())
		chunk("IEND", nil)
		return out, nil
	}
}

// pickled is a PyTorch file whose pickle has this code.
func pickled(code string) func() ([]byte, error) {
	return bytesFrom(func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, m := range [][2]string{{"archive/data.pkl", "\x80\x02" + code + "."}, {"archive/version", "3\n"}} {
			member, err := z.Create(m[0])
			if err != nil {
				return err
			}
			if _, err := io.WriteString(member, m[1]); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// onnxFile is a model of nodes in the form of protocol buffers, with an input x [N, 5] and an output y.
func onnxFile(nodes ...[]byte) func() ([]byte, error) {
	return func() ([]byte, error) {
		typed := field(1, join(number1(1, 1), field(2, join(field(1, field(2, []byte("N"))), field(1, number1(1, 5))))))
		var graph []byte
		for _, n := range nodes {
			graph = append(graph, field(1, n)...)
		}
		graph = join(graph, field(2, []byte("g")), field(11, join(field(1, []byte("x")), field(2, typed))), field(12, field(1, []byte("y"))))
		return join(number1(1, 8), field(7, graph), field(8, number1(2, 17))), nil
	}
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func field(n int, data []byte) []byte {
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(n<<3|2)), uint64(len(data))), data...)
}

func number1(n int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(n<<3)), v)
}

// node is an operator; attributes come after.
func node(op string, inputs []string, output string, attributes ...[]byte) []byte {
	var out []byte
	for _, in := range inputs {
		out = append(out, field(1, []byte(in))...)
	}
	out = join(out, field(2, []byte(output)), field(4, []byte(op)))
	for _, a := range attributes {
		out = append(out, field(5, a)...)
	}
	return out
}

// constant is a Constant of integers.
func constant(output string, values ...int64) []byte {
	tensor := join(number1(1, uint64(len(values))), number1(2, 7))
	for _, v := range values {
		tensor = append(tensor, number1(7, uint64(v))...)
	}
	return node("Constant", nil, output, join(field(1, []byte("value")), field(5, tensor), number1(20, 4)))
}

// nestedIf is depth graphs in each other.
func nestedIf(depth int) []byte {
	inner := node("Identity", []string{"x"}, "y")
	for range depth {
		graph := join(field(1, inner), field(2, []byte("b")), field(12, field(1, []byte("y"))))
		inner = node("If", []string{"x"}, "y", join(field(1, []byte("then_branch")), field(6, graph), number1(20, 5)))
	}
	return inner
}

// manyBoxes is a design of n elements.
func manyBoxes(n int) string {
	var b strings.Builder
	b.WriteString(`{"document": {"type": "FRAME", "absoluteBoundingBox": {"x": 0, "y": 0, "width": 1000, "height": 1000}, "children": [`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type": "RECTANGLE", "absoluteBoundingBox": {"x": %d, "y": %d, "width": 500, "height": 500}, "fills": [{"type": "SOLID", "color": {"r": 1, "g": 0, "b": 0}}]}`, i%400, i*7%400)
	}
	return b.String() + "]}}"
}

// expansions are the files by their names, and command lines that read them; {} is the folder.
func expansions() []trialCase {
	type files = map[string]func() ([]byte, error)
	deep := func(open, inside, shut string, n int) func() ([]byte, error) {
		return textFile(strings.Repeat(open, n) + inside + strings.Repeat(shut, n))
	}
	one := func(name, line string, content func() ([]byte, error)) trialCase {
		return trialCase{name: name, line: line, files: files{"x": content}}
	}
	boxes := textFile(manyBoxes(3000))
	var all []trialCase
	for _, line := range []string{"evaluate {}/x --dry-run", "manifold --config {}/x", "sequence --config {}/x", "compare --config {}/x", "scale plan {}/x"} {
		for what, text := range map[string]string{
			"laughs": laughs(12), "laughs as datasets": laughs(9) + "datasets: {a: {frames: *a8, baseline: *a8}}\n", "merges": "a: &a {x: 1}\n" + strings.Repeat("b: {<<: [*a, *a, *a]}\n", 20_000), "itself": "a: &a [*a]\n",
			"deep lists": strings.Repeat("[", 100_000), "deep maps": strings.Repeat("{a: ", 50_000), "deep items": strings.Repeat("- ", 100_000) + "x", "many keys": "datasets:\n" + strings.Repeat("  a: {}\n", 100_000),
			"a matrix": "datasets: {d: {frames: f.npy, baseline: pca, matrix: {a: [1,2,3,4,5,6,7,8,9], b: [1,2,3,4,5,6,7,8,9], c: [1,2,3,4,5,6,7,8,9], d: [1,2,3,4,5,6,7,8,9], e: [1,2,3,4,5,6,7,8,9], f: [1,2,3,4,5,6,7,8,9], g: [1,2,3,4,5,6,7,8,9]}, model: {\"m\": \"{a}{b}{c}{d}{e}{f}{g}.onnx\"}}}\n",
			"a range":  "datasets: {d: {frames: f.npy, baseline: pca, matrix: {a: 1..1000000000}, model: {m: \"{a}.onnx\"}, k: 1..1000000000}}\n", "a pattern": "datasets: {d: {frames: f.npy, model: {m: /*/*/*/*/*/*/*}}}\n", "a long word": "datasets: {" + strings.Repeat("a", 10_000_000) + ": 1}\n",
		} {
			all = append(all, one(what+" of "+line, line, textFile(text)))
		}
	}
	for _, line := range []string{"compare {}/x", "canvas --reference-json {}/x --generated-json {}/x --metrics layout", "canvas --reference-json {}/d.json --generated-json {}/d.json --trace {}/x --expected-trace {}/x --metrics tool_calls",
		"generation --generated a={}/x --real {}/x", "sequence --sequences {}/s.fasta --vocabulary {}/x --mask-plan {}/p.npz", "evaluate report {}/x", "repscope verify {}/x"} {
		for what, content := range (files{
			"deep lists": deep("[", "", "]", 1_000_000), "deep objects": deep(`{"a":`, "1", "}", 300_000), "deep results": deep(`{"metrics":`, "1", "}", 100_000), "deep children": deep(`{"document":{"children":[`, "", "]}}", 9_000), "deep messages": deep(`{"messages":[{"content":[`, "", "]}]}", 9_000),
			"a long number": textFile(`{"metrics": {"a": ` + strings.Repeat("9", 1_000_000) + `}}`), "many numbers": textFile(`{"metrics": {"a": [` + strings.Repeat("1,", 500_000) + `1]}}`), "many keys": textFile(`{"metrics": {` + strings.Repeat(`"a": 1,`, 300_000) + `"b": 1}}`), "an escape": textFile(`{"metrics": {"` + strings.Repeat(`\u0000`, 100_000) + `": 1}}`),
		}) {
			all = append(all, trialCase{name: what + " of " + line, line: line, files: files{"x": content, "d.json": textFile(trialDesign), "s.fasta": textFile(">a\nACGT\n")}})
		}
	}
	var models, rows strings.Builder
	for i := range 800 {
		fmt.Fprintf(&models, `"m%d": {"mse": %d},`, i, i)
		fmt.Fprintf(&rows, "m%d,0,0,%d\nm%d,1,0,%d\n", i, i, i, i+1)
	}
	zeroGZ := bytesFrom(func(w io.Writer) error {
		z := gzip.NewWriter(w)
		return errors.Join(zeroStream(z, 2<<30), z.Close())
	})
	memo := "]q\x00" // a list that holds itself twice, again and again
	for i := range 200 {
		memo += "(h" + string(rune(i%100)) + "h" + string(rune(i%100)) + "lq" + string(rune((i+1)%100))
	}
	huge := func(op string, n uint64, size int) string {
		return op + string(binary.LittleEndian.AppendUint64(nil, n)[:size])
	}
	encoders := "manifold --frames {}/f.npy --model m={}/x.onnx --cache off --bootstrap 0"
	for name, nodes := range map[string][][]byte{
		"ConstantOfShape": {constant("s", 1<<20, 1<<20), node("ConstantOfShape", []string{"s"}, "c"), node("Add", []string{"x", "c"}, "y")}, "Expand": {constant("s", 1<<16, 1<<16, 5), node("Expand", []string{"x", "s"}, "y")},
		"Tile": {constant("s", 1<<30, 1<<30), node("Tile", []string{"x", "s"}, "y")}, "Range": {constant("a", 0), constant("b", 1<<60), constant("d", 1), node("Range", []string{"a", "b", "d"}, "y")},
		"Pad": {constant("s", 0, 1<<40, 0, 1<<40), node("Pad", []string{"x", "s"}, "y")}, "Reshape": {constant("s", 1<<62, 4), node("Reshape", []string{"x", "s"}, "y")}, "nested": {nestedIf(3000)}, "OneHot": {constant("s", 1<<50), node("OneHot", []string{"x", "s", "x"}, "y")},
		"itself": {node("Add", []string{"y", "x"}, "y")}, "Resize": {constant("s", 1<<30, 1<<30), node("Resize", []string{"x", "", "", "s"}, "y")}, "many": bytesOfNodes(20_000), "doubling": doubling(60),
	} {
		all = append(all, trialCase{name: "onnx " + name, line: encoders, files: files{"f.npy": arrayFile(1, 12, 5), "x.onnx": onnxFile(nodes...)}})
	}
	for name, code := range map[string]string{
		"doubling": memo, "long bytes": huge("B", 0xffffffff, 4), "long text": huge("\x8d", 1<<62, 8), "long bytes8": huge("\x8e", 1<<63-1, 8), "long integer": huge("\x8b", 0x7fffffff, 4), "frame": huge("\x95", 1<<62, 8), "deep": strings.Repeat("(", 1_000_000), "lists": strings.Repeat("]", 1_000_000), "duplicates": "]" + strings.Repeat("2", 1_000_000) + strings.Repeat("a", 1_000_000),
		"tuples": ")" + strings.Repeat("2\x86", 100_000), "a call": "cos\nsystem\nX\x0b\x00\x00\x00touch PWNED\x85R", "memo": strings.Repeat("r\xff\xff\xff\x7f", 1000), "many": "(" + strings.Repeat("K\x01", 5_000_000) + "l",
	} {
		all = append(all, trialCase{name: "pickle " + name, line: "manifold --latents z={}/x.pt --bootstrap 0", files: files{"x.pt": pickled(code)}}, trialCase{name: "checkpoint " + name, line: "manifold --frames {}/f.npy --model m={}/x.pth --cache off", files: files{"x.pth": pickled(code), "f.npy": arrayFile(1, 12, 3, 32, 32)}},
			trialCase{name: "plain pickle " + name, line: "manifold --latents z={}/x.pt --bootstrap 0", files: files{"x.pt": textFile("\x80\x02" + code + ".")}})
	}
	header := func(text string, n uint64) func() ([]byte, error) {
		return func() ([]byte, error) { return append(binary.LittleEndian.AppendUint64(nil, n), text...), nil }
	}
	images := func(name string, content func() ([]byte, error)) []trialCase {
		ending := filepath.Ext(name)
		return []trialCase{{name: "images " + name, line: "manifold --frames {}/i --baseline random:4 --cache off", files: files{"i/0" + ending: content, "i/1" + ending: content, "i/2" + ending: content}},
			{name: "screens " + name, line: "canvas --reference-json {}/d.json --generated-json {}/d.json --reference-image {}/x" + ending + " --generated-image {}/x" + ending + " --metrics ssim", files: files{"d.json": textFile(trialDesign), "x" + ending: content}}}
	}
	all = append(all, images("a.png", bigPNG(60_000, 60_000))...)
	all = append(all, images("b.png", bigPNG(1<<30, 1))...)
	all = append(all, images("c.tif", textFile("II*\x00\x08\x00\x00\x00\x08\x00\x00\x01\x04\x00\x01\x00\x00\x00\xff\xff\xff\x7f\x01\x01\x04\x00\x01\x00\x00\x00\xff\xff\xff\x7f\x02\x01\x03\x00\x01\x00\x00\x00\x08\x00\x00\x00\x03\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00\x06\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00\x11\x01\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00\x16\x01\x04\x00\x01\x00\x00\x00\x01\x00\x00\x00\x17\x01\x04\x00\x01\x00\x00\x00\xff\xff\xff\x7f\x00\x00\x00\x00"))...)
	all = append(all, images("d.jpg", textFile("\xff\xd8\xff\xc0\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"+strings.Repeat("\x00", 1000)))...)
	all = append(all, images("e.tif", textFile("II*\x00\x08\x00\x00\x00\x00\x00\x08\x00\x00\x00"))...)
	all = append(all,
		trialCase{name: "npz of zeros", line: "manifold --latents z={}/x.npz:z --bootstrap 0 --samples 100", files: files{"x.npz": bigNPZ(400_000)}}, trialCase{name: "npz of one place", line: "sequence --dump m={}/x.npz", files: files{"x.npz": samePlace(20_000)}}, trialCase{name: "npz of one place, once", line: "manifold --latents z={}/x.npz:b --bootstrap 0", files: files{"x.npz": samePlace(20)}},
		trialCase{name: "gz of rows", line: "generation --generated a={}/x.csv.gz --real {}/x.csv.gz", files: files{"x.csv.gz": zeroGZ}}, trialCase{name: "gz of targets", line: "reward --latents z={}/z.npy --targets a={}/x.csv.gz:a", files: files{"x.csv.gz": zeroGZ, "z.npy": arrayFile(1, 40, 5)}}, trialCase{name: "gz of sequences", line: "sequence --sequences {}/x.csv.gz --mask-plan {}/p.npz", files: files{"x.csv.gz": zeroGZ}},
		trialCase{name: "gz of a result", line: "compare {}/x.csv.gz", files: files{"x.csv.gz": zeroGZ}}, trialCase{name: "gz of losses", line: "compare --losses a={}/x.csv.gz", files: files{"x.csv.gz": zeroGZ}},
		trialCase{name: "safetensors of spaces", line: "manifold --latents z={}/x.safetensors", files: files{"x.safetensors": header("{"+strings.Repeat(" ", 9_000_000)+"}", 9_000_002)}}, trialCase{name: "safetensors of a length", line: "manifold --latents z={}/x.safetensors", files: files{"x.safetensors": header(`{"a":`, 1<<62)}},
		trialCase{name: "safetensors, deep", line: "manifold --latents z={}/x.safetensors", files: files{"x.safetensors": header(strings.Repeat(`{"a":`, 20_000), 100_000)}}, trialCase{name: "safetensors of many", line: "manifold --latents z={}/x.safetensors:a", files: files{"x.safetensors": header("{"+strings.Repeat(`"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},`, 100_000)+"}", 5_100_002)}},
		trialCase{name: "npy of a shape", line: "manifold --latents z={}/x.npy", files: files{"x.npy": textFile("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }" + strings.Repeat(" ", 43) + "\n")}},
		trialCase{name: "npy of a long head", line: "manifold --latents z={}/x.npy", files: files{"x.npy": textFile("\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr': ")}}, trialCase{name: "npy of axes", line: "manifold --latents z={}/x.npy", files: files{"x.npy": textFile("\x93NUMPY\x01\x00\xf0\xff{'descr': '<f4', 'fortran_order': False, 'shape': (" + strings.Repeat("1,", 30_000) + "), }" + strings.Repeat(" ", 5000) + "\n\x00\x00\x00\x00")}},
		trialCase{name: "boxes", line: "canvas --reference-json {}/x.json --generated-json {}/x.json --bootstrap 0", files: files{"x.json": boxes}}, trialCase{name: "a far box", line: "canvas --reference-json {}/x.json --generated-json {}/x.json --bootstrap 0", files: files{"x.json": textFile(strings.ReplaceAll(trialDesign, `"width": 24`, `"width": 1e300`))}},
		trialCase{name: "many models", line: "compare {}/x.csv --metrics mse", files: files{"x.csv": textFile("model,sample,group,mse\n" + rows.String())}}, trialCase{name: "many columns", line: "compare {}/x.csv", files: files{"x.csv": textFile("model,sample,group" + strings.Repeat(",a", 200_000) + "\n")}}, trialCase{name: "a long row", line: "reward --latents z={}/z.npy --targets a={}/x.csv:a", files: files{"x.csv": textFile("a\n" + strings.Repeat("\"\"", 2_000_000) + "\n"), "z.npy": arrayFile(1, 40, 5)}},
		trialCase{name: "a long sequence", line: "sequence --sequences {}/x.fasta --mask-plan {}/p.npz", files: files{"x.fasta": textFile(">a\n" + strings.Repeat("ACDEFGHIKLMNPQRSTVWY", 200_000) + "\n")}}, trialCase{name: "many results", line: "compare {}/x.json", files: files{"x.json": textFile(`{"metrics": {` + strings.TrimSuffix(models.String(), ",") + `}, "evaluation_config": {}}`)}},
		trialCase{name: "many words", line: "manifold --latents z={}/z.npy --gride 2" + strings.Repeat(",2", 30_000), files: files{"z.npy": arrayFile(1, 40, 5)}}, trialCase{name: "a huge k", line: "neighborhood --frames {}/z.npy --latents z={}/z.npy --k 4611686018427387904", files: files{"z.npy": arrayFile(1, 40, 5)}}, trialCase{name: "huge clusters", line: "geometry --latents z={}/z.npy --clusters 1000000000", files: files{"z.npy": arrayFile(1, 40, 5)}},
		trialCase{name: "huge lags", line: "geometry --latents z={}/z.npy --lags 1000000000000 --bootstrap 0", files: files{"z.npy": arrayFile(1, 40, 5)}}, trialCase{name: "a huge window", line: "manifold --frames {}/z.npy --baseline pca:2 --window 1000000000000", files: files{"z.npy": arrayFile(1, 40, 5)}}, trialCase{name: "a huge batch", line: "encode --frames {}/f.npy --baseline random:4 --batch 4611686018427387904", files: files{"f.npy": arrayFile(1, 40, 8, 8)}},
		trialCase{name: "huge horizons", line: "smoothness --frames {}/z.npy --latents z={}/z.npy --horizons 4611686018427387904", files: files{"z.npy": arrayFile(1, 40, 5)}}, trialCase{name: "a huge baseline", line: "encode --frames {}/f.npy --baseline random:1000000000000", files: files{"f.npy": arrayFile(1, 40, 8, 8)}}, trialCase{name: "a huge size", line: "encode --frames {}/f.npy --baseline random:4 --resize 1000000x1000000", files: files{"f.npy": arrayFile(1, 40, 8, 8)}},
		trialCase{name: "huge threads", line: "manifold --latents z={}/z.npy --threads 1000000000 --bootstrap 0", files: files{"z.npy": arrayFile(1, 40, 5)}}, trialCase{name: "huge shards", line: "manifold --latents z={}/z.npy --shard 0/1000000000000", files: files{"z.npy": arrayFile(1, 40, 5)}}, trialCase{name: "many baselines", line: "manifold --frames {}/z.npy --baseline pca:1" + strings.Repeat(",pca:2", 20_000), files: files{"z.npy": arrayFile(1, 40, 5)}},
		trialCase{name: "huge folds", line: "reward --latents z={}/z.npy --targets a={}/z.npy --folds 1000000000000", files: files{"z.npy": arrayFile(1, 40, 5)}}, trialCase{name: "huge tiles", line: "forecast --target {}/t.npy --forecast a={}/t.npy --metrics tiled_energy_score --tile 4611686018427387904", files: files{"t.npy": arrayFile(1, 12, 2, 4, 5)}}, trialCase{name: "huge windows", line: "forecast --target {}/t.npy --forecast a={}/t.npy --thresholds 0.5 --fss-windows 4611686018427387905", files: files{"t.npy": arrayFile(1, 12, 2, 4, 5)}})
	// REPSCOPE_TRIAL_SEED chooses the same ones again: in order, whatever that of the maps is.
	slices.SortFunc(all, func(a, b trialCase) int { return strings.Compare(a.name, b.name) })
	return all
}

// bytesOfNodes are n nodes one after the other.
func bytesOfNodes(n int) (nodes [][]byte) {
	from := "x"
	for i := range n {
		to := fmt.Sprint("v", i)
		if i == n-1 {
			to = "y"
		}
		nodes, from = append(nodes, node("Relu", []string{from}, to)), to
	}
	return nodes
}

// doubling joins a value with itself n times.
func doubling(n int) (nodes [][]byte) {
	from := "x"
	for i := range n {
		to := fmt.Sprint("v", i)
		if i == n-1 {
			to = "y"
		}
		nodes, from = append(nodes, node("Concat", []string{from, from}, to, join(field(1, []byte("axis")), number1(3, 1), number1(20, 2)))), to
	}
	return nodes
}

// What a small input stands for is refused, or done within its bounds of time and memory.
// REPSCOPE_TRIAL_EXPANSIONS=1000 does all.
func TestTrialExpansions(t *testing.T) {
	runtest.Long(t, "it starts many programs")
	t.Parallel()
	all := expansions()
	n := howMany(t, "REPSCOPE_TRIAL_EXPANSIONS", 12)
	only := os.Getenv("REPSCOPE_TRIAL_CASE")
	root := t.TempDir()
	l := newLedger()
	n = min(n, len(all))
	trials(n, func(i int) {
		c := all[(i*len(all)/n+int(trialSeed(t))-1)%len(all)]
		if only != "" && !strings.Contains(c.name, only) {
			return
		}
		dir := filepath.Join(root, fmt.Sprint("case", i))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Error(err)
			return
		}
		c.write(t, dir, filepath.Join(root, "home"))
		size := int64(0)
		for _, content := range contents(t, dir) {
			size += int64(len(content))
		}
		args := append(c.args(c.line, "."), "--out", "made")
		if args[0] == "repscope" {
			args = args[:len(args)-2]
		}
		o, err := trialRun{args: args, dir: dir, home: filepath.Join(root, "home")}.do()
		if err != nil {
			return // the system has no such argument
		}
		l.count(c.name, o)
		fail := func(kind, detail string) {
			l.fail(t, kind, "%s (%d bytes): %.200s: exit %d, %v: %.300q %s", c.name, size, c.line, o.code, o.cpu, o.stderr, detail)
		}
		if wrong := o.wrong(size); wrong != "" {
			fail(wrong, "")
		}
		if len(o.stderr) > 4000 {
			fail("a long message", fmt.Sprint(len(o.stderr)))
		}
		if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
			fail("a file runs a program", "")
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	l.log(t)
}
