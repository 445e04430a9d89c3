// Mutants that compute the same whatever the launch, by rules that are checked in the text of the kernel.

package ptxvm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A line of PTX is its operation and operands, the result first; or a label.
type textLine struct {
	number   int // from 0
	guard    string
	op       string
	operands []string
}

var textOperand = regexp.MustCompile(`\[[^\]]*\]|\{[^}]*\}|[^,\s]+`)

func parseLine(number int, line string) (l textLine, ok bool) {
	if name, isLabel := strings.CutSuffix(strings.TrimSpace(cutComment(line)), ":"); isLabel && strings.HasPrefix(name, "$") {
		return textLine{number: number, op: name}, true
	}
	m := instructionLine.FindStringSubmatch(line)
	if m == nil {
		return l, false
	}
	return textLine{number, strings.TrimSpace(m[1]), m[2], textOperand.FindAllString(m[3], -1)}, true
}

func cutComment(line string) string {
	before, _, _ := strings.Cut(line, "//")
	return before
}

// kernelText are the instructions and labels of a kernel.
type kernelText []textLine

func (f *family) text(kernel string) (k kernelText) {
	for _, i := range f.own[kernel] {
		if l, ok := parseLine(i, f.lines[i]); ok {
			k = append(k, l)
		}
	}
	return k
}

// at is where a line of the file stands in k, or −1.
func (k kernelText) at(number int) int {
	return slices.IndexFunc(k, func(l textLine) bool { return l.number == number })
}

// label is where one stands.
func (k kernelText) label(name string) int {
	return slices.IndexFunc(k, func(l textLine) bool { return l.op == name })
}

func stores(op string) bool {
	for _, prefix := range []string{"st.", "bra", "bar", "red.", "cp.", "call", "ret"} {
		if strings.HasPrefix(op, prefix) {
			return true
		}
	}
	return false
}

// definitions are the instructions that write a register, uses those that read it.
func (k kernelText) definitions(register string) (all []textLine) {
	for _, l := range k {
		if len(l.operands) > 0 && !stores(l.op) && mentions(l.operands[0], register) {
			all = append(all, l)
		}
	}
	return all
}

func (k kernelText) uses(register string) (all []textLine) {
	for _, l := range k {
		read := strings.TrimLeft(l.guard, "@!") == register
		for i, o := range l.operands {
			read = read || (i > 0 || stores(l.op)) && mentions(o, register)
		}
		if read {
			all = append(all, l)
		}
	}
	return all
}

func mentions(operand, register string) bool {
	return slices.Contains(strings.FieldsFunc(operand, func(r rune) bool { return strings.ContainsRune("[]{}+, \t", r) }), register)
}

// equivalent names the rule by which a mutant computes what its kernel does, or is "".
func equivalent(f *family, m *mutant) string {
	k := f.text(m.kernel)
	i := k.at(m.line - 1)
	after, ok := parseLine(m.line-1, m.after)
	if i < 0 || !ok {
		return ""
	}
	switch {
	case widerDivision(k, i, after):
		return "a division of 64 bits where one of 32 would do"
	case squaredDifference(k, i, after):
		return "a difference that is only squared"
	case magnitudeOnly(k, i, after):
		return "a difference of which only the magnitude counts"
	case greaterOfEqual(k, i, after):
		return "the greater of two integers that are equal"
	case integerBound(k, i, after):
		return "an integer bound that replaces itself"
	case clampAtBound(k, i, after):
		return "a bound that replaces itself"
	case signOfNone(k, i, after):
		return "the sign of what is not negative"
	}
	return ""
}

// widerDivision: where both numbers of a division are below 2³², the compiler divides in 32 bits. The
// mutant's test chooses 64 bits whenever the kernel's does.
func widerDivision(k kernelText, i int, after textLine) bool {
	for ; i >= 0 && k[i].op != "and.b64"; i-- {
		if k[i].op != "setp.ne.s64" || after.op != "setp.ne.s64" {
			return false
		}
	}
	if i < 0 || i+2 >= len(k) || len(k[i].operands) != 3 {
		return false
	}
	// The mask has no bit in its lower half.
	constant, err := strconv.ParseInt(k[i].operands[2], 10, 64)
	if err != nil || uint32(constant) != 0 {
		return false
	}
	test, choice := k[i+1], k[i+2]
	mask, x := k[i].operands[0], k[i].operands[1]
	if test.op != "setp.ne.s64" || test.operands[1] != mask || test.operands[2] != "0" || choice.op != "bra" || choice.guard != "@"+test.operands[0] || len(k.uses(mask)) != 1 {
		return false
	}
	dividend, divisor, ok := bothDivisions(k, i, choice, x)
	if !ok {
		return false
	}
	switch after.op {
	case "setp.ne.s64": // with what has only zeros in its lower half
		n, err := strconv.ParseInt(after.operands[2], 10, 64)
		return err == nil && slices.Equal(after.operands[:2], test.operands[:2]) && uint32(n) != 0
	case "and.b64":
		n, err := strconv.ParseInt(after.operands[2], 10, 64)
		if err != nil || constant != -1<<32 || !slices.Equal(after.operands[:2], k[i].operands[:2]) {
			return false
		}
		if uint64(n)>>32 == 1<<32-1 {
			return true
		}
		// A divisor of 32 bits, which is not 0, has bits in the lower half.
		return uint32(n) == 1<<32-1 && x != dividend && extended(k, divisor)
	}
	return false
}

// bothDivisions finds the division of 64 bits that the choice leads to and the one of 32 bits behind it, of
// the same numbers: those whose bits are joined in x, or x by a divisor of 32 bits.
func bothDivisions(k kernelText, i int, choice textLine, x string) (dividend, divisor string, ok bool) {
	wide := k.label(choice.operands[0]) + 1
	if wide <= 0 || wide >= len(k) || len(k[wide].operands) != 3 {
		return "", "", false
	}
	op, _, _ := strings.Cut(k[wide].op, ".")
	dividend, divisor = k[wide].operands[1], k[wide].operands[2]
	if op != "div" && op != "rem" {
		return "", "", false
	}
	if x == dividend {
		if !extended(k, divisor) {
			return "", "", false
		}
	} else {
		join := slices.IndexFunc(k.definitions(x), func(l textLine) bool { return l.number <= k[i].number })
		joins := k.definitions(x)
		if join < 0 || len(joins) != 1 || joins[0].op != "or.b64" {
			return "", "", false
		}
		if o := joins[0].operands; !(o[1] == dividend && o[2] == divisor || o[2] == dividend && o[1] == divisor) {
			return "", "", false
		}
	}
	narrow := i + 3
	if k[narrow].op == "bra.uni" {
		narrow = k.label(k[narrow].operands[0]) + 1
	}
	if narrow <= 0 || narrow+3 >= len(k) {
		return "", "", false
	}
	short := map[string]string{}
	for narrow < len(k) && k[narrow].op == "cvt.u32.u64" {
		short[k[narrow].operands[1]] = k[narrow].operands[0]
		narrow++
	}
	q := k[narrow]
	isShort := func(i int, number string) bool { // or it was cut off, or extended from 32 bits, before
		if short[number] != "" || len(q.operands) != 3 || len(k.definitions(number)) != 1 {
			return len(q.operands) == 3 && short[number] == q.operands[i]
		}
		d, half := k.definitions(number)[0], k.definitions(q.operands[i])
		return (d.op == "cvt.u64.u32" || d.op == "cvt.s64.s32") && d.operands[1] == q.operands[i] ||
			len(half) == 1 && half[0].op == "cvt.u32.u64" && half[0].operands[1] == number
	}
	back := k[narrow+1]
	return dividend, divisor, q.op == op+".u32" && isShort(1, dividend) && isShort(2, divisor) &&
		back.op == "cvt.u64.u32" && back.operands[0] == k[wide].operands[0] && back.operands[1] == q.operands[0]
}

// extended says whether a register of 64 bits is always made of one of 32.
func extended(k kernelText, register string) bool {
	all := k.definitions(register)
	for _, l := range all {
		if l.op != "cvt.u64.u32" && l.op != "cvt.s64.s32" && !(strings.HasPrefix(l.op, "ld.") && strings.HasSuffix(l.op, "32") && !strings.Contains(l.op, ".v")) {
			return false
		}
	}
	return len(all) > 0
}

// squaredDifference: x − y and y − x have the same square.
func squaredDifference(k kernelText, i int, after textLine) bool {
	l := k[i]
	if l.op != "sub.rn.f64" && l.op != "sub.rn.f32" || after.op != l.op || after.operands[0] != l.operands[0] ||
		after.operands[1] != l.operands[2] || after.operands[2] != l.operands[1] || len(k.definitions(l.operands[0])) != 1 {
		return false
	}
	d := l.operands[0]
	for _, use := range k.uses(d) {
		if !strings.HasPrefix(use.op, "mul.rn.") && !strings.HasPrefix(use.op, "fma.rn.") || use.operands[1] != d || use.operands[2] != d || len(use.operands) > 3 && use.operands[3] == d {
			return false
		}
	}
	return true
}

// magnitudeOnly: of d = x − y only the magnitude is used, which equals the magnitude of y − x.
func magnitudeOnly(k kernelText, i int, after textLine) bool {
	l := k[i]
	if l.op != "sub.rn.f32" || after.op != l.op || after.operands[0] != l.operands[0] || after.operands[1] != l.operands[2] || after.operands[2] != l.operands[1] ||
		len(k.definitions(l.operands[0])) != 1 {
		return false
	}
	for _, use := range k.uses(l.operands[0]) {
		if use.op != "abs.f32" {
			return false
		}
	}
	return len(k.uses(l.operands[0])) > 0
}

var (
	integerOrder = regexp.MustCompile(`^setp\.(lt|le|gt|ge)\.([su](32|64))$`)
	orEqual      = map[string]string{"lt": "le", "le": "lt", "gt": "ge", "ge": "gt"}
)

// selections are the two that a predicate chooses from, if it does nothing else; a value's lower half stands for it.
func (k kernelText) selections(predicate string) (all [][2]string) {
	if len(k.definitions(predicate)) != 1 {
		return nil
	}
	whole := func(v string) string {
		if d := k.definitions(v); len(d) == 1 && d[0].op == "cvt.u32.u64" && len(k.definitions(d[0].operands[1])) == 1 {
			return d[0].operands[1]
		}
		return v
	}
	for _, use := range k.uses(predicate) {
		if !strings.HasPrefix(use.op, "selp.b") || use.operands[3] != predicate {
			return nil
		}
		all = append(all, [2]string{whole(use.operands[1]), whole(use.operands[2])})
	}
	return all
}

// greaterOfEqual: x > y ? x : y is the same with ≥, of integers.
func greaterOfEqual(k kernelText, i int, after textLine) bool {
	l := k[i]
	m, n := integerOrder.FindStringSubmatch(l.op), integerOrder.FindStringSubmatch(after.op)
	if m == nil || n == nil || m[2] != n[2] || n[1] != orEqual[m[1]] || !slices.Equal(l.operands, after.operands) {
		return false
	}
	x, y := l.operands[1], l.operands[2]
	all := k.selections(l.operands[0])
	for _, s := range all {
		if s != [2]string{x, y} && s != [2]string{y, x} {
			return false
		}
	}
	return len(all) > 0
}

// integerBound: x < c ? c : x is x at c too, and with x < c + 1.
func integerBound(k kernelText, i int, after textLine) bool {
	l := k[i]
	m := integerOrder.FindStringSubmatch(l.op)
	if m == nil || l.op != after.op || !slices.Equal(l.operands[:2], after.operands[:2]) {
		return false
	}
	c, err := strconv.ParseInt(l.operands[2], 10, 64)
	d, wrong := strconv.ParseInt(after.operands[2], 10, 64)
	if err != nil || wrong != nil || c < 0 || d < 0 || d != c+map[string]int64{"lt": 1, "ge": 1, "le": -1, "gt": -1}[m[1]] {
		return false
	}
	x, bound := l.operands[1], l.operands[2]
	all := k.selections(l.operands[0])
	for _, s := range all {
		if s != [2]string{x, bound} && s != [2]string{bound, x} {
			return false
		}
	}
	return len(all) > 0
}

// clampAtBound: x < c ? c : x is x at c too, unless c is a zero.
func clampAtBound(k kernelText, i int, after textLine) bool {
	l := k[i]
	if !slices.Contains([]string{"setp.lt.f32", "setp.gt.f32", "setp.le.f32", "setp.ge.f32"}, l.op) || !slices.Equal(after.operands, l.operands) || len(k.definitions(l.operands[0])) != 1 {
		return false
	}
	if pair := map[string]string{"setp.lt.f32": "setp.le.f32", "setp.le.f32": "setp.lt.f32", "setp.gt.f32": "setp.ge.f32", "setp.ge.f32": "setp.gt.f32"}; after.op != pair[l.op] {
		return false
	}
	x, c := l.operands[1], l.operands[2]
	if !strings.HasPrefix(c, "0f") || c == "0f00000000" || c == "0f80000000" {
		return false
	}
	for _, use := range k.uses(l.operands[0]) {
		if use.op != "selp.f32" || !(use.operands[1] == x && use.operands[2] == c || use.operands[1] == c && use.operands[2] == x) {
			return false
		}
	}
	return true
}

// signOfNone: shifts and widenings of numbers below 2³¹ are the same with a sign and without.
func signOfNone(k kernelText, i int, after textLine) bool {
	l := k[i]
	pairs := map[string]string{"shr.u32": "shr.s32", "shr.s32": "shr.u32", "mul.wide.s32": "mul.wide.u32", "cvt.s64.s32": "cvt.u64.u32"}
	if pairs[l.op] != after.op || !slices.Equal(l.operands, after.operands) {
		return false
	}
	if strings.HasPrefix(l.op, "mul") && !notNegative(k, l.operands[2], 8) {
		return false
	}
	return notNegative(k, l.operands[1], 8)
}

// notNegative says whether a value of 32 bits is below 2³¹, by the instructions that make it.
func notNegative(k kernelText, value string, depth int) bool {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		return n >= 0 && n < 1<<31
	}
	if strings.HasPrefix(value, "%tid.") || strings.HasPrefix(value, "%ntid.") || strings.HasPrefix(value, "%ctaid.") || strings.HasPrefix(value, "%nctaid.") || value == "%laneid" {
		return true // a grid has fewer than 2³¹ blocks
	}
	all := k.definitions(value)
	if depth == 0 || len(all) == 0 {
		return false
	}
	for _, l := range all {
		ok := false
		switch l.op {
		case "mov.u32", "mov.b32":
			ok = notNegative(k, l.operands[1], depth-1)
		case "shr.u32":
			n, err := strconv.Atoi(l.operands[2])
			ok = err == nil && n > 0 || notNegative(k, l.operands[1], depth-1)
		case "and.b32":
			ok = notNegative(k, l.operands[1], depth-1) || notNegative(k, l.operands[2], depth-1)
		case "cvt.u32.u16", "ld.global.u8", "ld.global.u16", "ld.shared.u8":
			ok = true
		case "rem.u32", "min.u32":
			ok = notNegative(k, l.operands[1], depth-1) || notNegative(k, l.operands[2], depth-1)
		}
		if !ok {
			return false
		}
	}
	return true
}

// What the rules take for the same, and what they must not.
func TestEquivalent(t *testing.T) {
	t.Parallel()
	division := []string{".visible .entry kernel(", "{", "\tor.b64  \t%rd3, %rd1, %rd2;", "\tand.b64  \t%rd4, %rd3, -4294967296;", "\tsetp.ne.s64 \t%p1, %rd4, 0;", "\t@%p1 bra \t$L__BB0_2;", "\tbra.uni \t$L__BB0_1;",
		"$L__BB0_2:", "\tdiv.u64 \t%rd5, %rd1, %rd2;", "\tbra.uni \t$L__BB0_3;", "$L__BB0_1:", "\tcvt.u32.u64 \t%r1, %rd2;", "\tcvt.u32.u64 \t%r2, %rd1;", "\tdiv.u32 \t%r3, %r2, %r1;", "\tcvt.u64.u32 \t%rd5, %r3;", "$L__BB0_3:",
		"\tsub.rn.f64 \t%fd3, %fd1, %fd2;", "\tmul.rn.f64 \t%fd4, %fd3, %fd3;", "\tsub.rn.f64 \t%fd6, %fd1, %fd2;", "\tadd.rn.f64 \t%fd7, %fd6, %fd3;",
		"\tsetp.lt.f32 \t%p2, %f1, 0fC2B20000;", "\tselp.f32 \t%f2, 0fC2B20000, %f1, %p2;", "\tsetp.lt.f32 \t%p3, %f1, 0f00000000;", "\tselp.f32 \t%f3, 0f00000000, %f1, %p3;",
		"\tmov.u32 \t%r5, %tid.x;", "\tshr.u32 \t%r6, %r5, 3;", "\tshr.u32 \t%r8, %r7, 3;", "\tret;", "}"}
	change := func(from, to, after string) string {
		for i, line := range division {
			if line == from {
				f := newFamily("test", strings.Join(division, "\n"))
				return equivalent(f, &mutant{kernel: "kernel", line: i + 1, before: from, after: strings.ReplaceAll(from, to, after)})
			}
		}
		t.Fatalf("no line %q", from)
		return ""
	}
	for _, c := range []struct {
		from, to, after string
		same            bool
	}{
		{division[4], ", 0;", ", 1;", true}, {division[4], ", 0;", ", -1;", true}, {division[4], ", 0;", ", 4294967296;", false}, {division[4], "ne", "eq", false},
		{division[3], "296;", "295;", true}, {division[3], "296;", "297;", false}, {division[3], "-4294967296", "-8589934591", false},
		{division[18], "%fd1, %fd2", "%fd2, %fd1", false},
		{division[20], "lt", "le", true}, {division[20], "lt", "gt", false}, {division[22], "lt", "le", false},
		{division[25], "u32", "s32", true}, {division[26], "u32", "s32", false},
	} {
		if got := change(c.from, c.to, c.after) != ""; got != c.same {
			t.Errorf("%q with %q for %q: same %v, want %v", c.from, c.after, c.to, got, c.same)
		}
	}
	choices := slices.Insert(slices.Clone(division), 27, "\tsub.rn.f32 \t%f10, %f8, %f9;", "\tabs.f32 \t%f11, %f10;", "\tabs.f32 \t%f12, %f10;", "\tadd.rn.f32 \t%f12, %f11, %f12;",
		"\tsub.rn.f32 \t%f13, %f8, %f9;", "\tabs.f32 \t%f14, %f13;", "\tneg.f32 \t%f15, %f13;", "\tadd.rn.f32 \t%f15, %f14, %f15;",
		"\tsetp.gt.s64 \t%p12, %rd8, %rd9;", "\tselp.b64 \t%rd10, %rd8, %rd9, %p12;", "\tsetp.gt.s64 \t%p13, %rd8, %rd9;", "\tselp.b64 \t%rd11, %rd8, %rd10, %p13;",
		"\tsetp.lt.s32 \t%p14, %r20, 0;", "\tselp.b32 \t%r21, 0, %r20, %p14;", "\tsetp.lt.s32 \t%p15, %r20, 0;", "\tselp.b32 \t%r22, 1, %r20, %p15;")
	for offset, same := range map[int]bool{27: true, 31: false, 35: true, 37: false, 39: true, 41: false} {
		before := choices[offset]
		after := strings.NewReplacer("%f8, %f9", "%f9, %f8", ".gt.", ".ge.", ", 0;", ", 1;").Replace(before)
		if got := equivalent(newFamily("test", strings.Join(choices, "\n")), &mutant{kernel: "kernel", line: offset + 1, before: before, after: after}) != ""; got != same {
			t.Errorf("%q for %q: same %v, want %v", after, before, got, same)
		}
	}
	division[19] = "\tadd.rn.f64 \t%fd7, %fd6, %fd6;"
	if change(division[16], "%fd1, %fd2", "%fd2, %fd1") == "" {
		t.Error("a difference that is only squared counts")
	}
	division[11] = "\tcvt.u32.u64 \t%r1, %rd9;"
	if change(division[4], ", 0;", ", 1;") != "" {
		t.Error("a division of other numbers is the same")
	}
}
