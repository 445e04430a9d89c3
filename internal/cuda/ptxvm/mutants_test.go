// Mutants: PTX with one mistake each must not leave what the PTX leaves.

package ptxvm

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A generator of the mutants' random numbers.
type generator uint64

func (g *generator) below(n int) int {
	*g = *g*6364136223846793005 + 1442695040888963407
	return int(uint64(*g)>>33) % n
}

// A mutation changes one line of PTX, or gives "" if it has nothing to change.
type mutation struct {
	name   string
	change func(g *generator, line string) string
}

var (
	instructionLine = regexp.MustCompile(`^\t(@!?%p\d+ )?([a-z][\w.]*)\s+([^;]*);`)
	integerOperand  = regexp.MustCompile(`([ +,])(-?\d+)([;\],]|$)`)
	offsetOperand   = regexp.MustCompile(`\[(%\w+)(\+-?\d+)?\]`)
	braces          = regexp.MustCompile(`\{([^{}]*)\}`)
	commutes        = regexp.MustCompile(`^(add|mul|and|or|xor|min|max|setp\.(eq|ne|neu|num|nan))\b`)
)

var mutations = []mutation{
	{"operands exchanged", exchange},
	{"a barrier dropped", drop(`bar.sync`, `bar.warp.sync`)},
	{"a wait or commit dropped", drop(`cp.async.wait_group`, `cp.async.commit_group`)},
	{"a wait that leaves one more", replaceIn(`cp.async.wait_group`, map[string]string{"wait_group 0": "wait_group 1", "wait_group 1": "wait_group 2", "wait_group 2": "wait_group 3"})},
	{"fragments exchanged", exchangeFragments},
	{"a constant changed", changeConstant},
	{"an offset changed", changeOffset},
	{"a predicate negated", func(_ *generator, line string) string {
		if !strings.HasPrefix(line, "\t@") {
			return ""
		}
		if strings.HasPrefix(line, "\t@!") {
			return "\t@" + line[3:]
		}
		return "\t@!" + line[2:]
	}},
	{"another comparison", replaceIn("setp.", map[string]string{".lt.": ".le.", ".le.": ".lt.", ".gt.": ".ge.", ".ge.": ".gt.", ".eq.": ".ne.", ".ne.": ".eq.", ".ltu.": ".geu.", ".leu.": ".gtu.", ".geu.": ".ltu.", ".gtu.": ".leu.", ".neu.": ".eq.", ".nan.": ".num.", ".num.": ".nan."})},
	{"another sign", replaceIn("", map[string]string{"shr.u32": "shr.s32", "shr.s32": "shr.u32", "mul.wide.s32": "mul.wide.u32", "max.s32": "min.s32", "min.s32": "max.s32", "max.f32": "min.f32", "sub.s32": "add.s32", "sub.rn.f32": "add.rn.f32", "and.pred": "or.pred", "or.pred": "and.pred", "cvt.s64.s32": "cvt.u64.u32", ".trans.": "."})},
	{"a store dropped", drop(`st.`)},
	{"another thread or block", replaceIn("mov.u32", map[string]string{"%tid.x": "%laneid", "%tid.y": "%tid.x", "%tid.z": "%tid.y", "%ctaid.x": "%ctaid.y", "%ctaid.y": "%ctaid.x", "%ctaid.z": "%ctaid.y", "%ntid.x": "%nctaid.x", "%nctaid.x": "%ntid.x", "%laneid": "%tid.x"})},
	{"another lane", replaceIn("shfl.", map[string]string{", 16, 31": ", 8, 31", ", 8, 31": ", 4, 31", ", 4, 31": ", 2, 31", ", 2, 31": ", 1, 31", ", 1, 31": ", 16, 31"})},
}

func drop(prefixes ...string) func(*generator, string) string {
	return func(_ *generator, line string) string {
		for _, p := range prefixes {
			if strings.HasPrefix(strings.TrimLeft(line, "\t"), p) && !strings.HasPrefix(line, "\tst.param") {
				return "\t// dropped"
			}
		}
		return ""
	}
}

// replaceIn makes one of the replacements that the line offers.
func replaceIn(prefix string, list map[string]string) func(*generator, string) string {
	return func(g *generator, line string) string {
		if !strings.HasPrefix(strings.TrimLeft(line, "\t"), prefix) {
			return ""
		}
		var able []string
		for old := range list {
			if strings.Contains(line, old) {
				able = append(able, old)
			}
		}
		if len(able) == 0 {
			return ""
		}
		slices.Sort(able)
		old := able[g.below(len(able))]
		return strings.Replace(line, old, list[old], 1)
	}
}

// exchange swaps two sources of an instruction in which their order counts.
func exchange(g *generator, line string) string {
	m := instructionLine.FindStringSubmatch(line)
	if m == nil || strings.ContainsAny(m[3], "[{") {
		return ""
	}
	operands := strings.Split(m[3], ", ")
	first, last := 1, len(operands)-1
	switch {
	case commutes.MatchString(m[2]), strings.HasPrefix(m[2], "shfl"), len(operands) < 3:
		return ""
	case strings.HasPrefix(m[2], "selp"):
		last = 2
	case strings.HasPrefix(m[2], "fma"), strings.HasPrefix(m[2], "mad"):
		first += g.below(2)
		last = 3
	case len(operands) > 3:
		return ""
	}
	if operands[first] == operands[last] {
		return ""
	}
	operands[first], operands[last] = operands[last], operands[first]
	return fmt.Sprintf("\t%s%s \t%s;", m[1], m[2], strings.Join(operands, ", "))
}

// exchangeFragments swaps two registers of a list.
func exchangeFragments(g *generator, line string) string {
	text := strings.TrimLeft(line, "\t")
	if !strings.HasPrefix(text, "mma") && !strings.HasPrefix(text, "ldmatrix") && !strings.HasPrefix(text, "ld.") && !strings.HasPrefix(text, "st.") {
		return ""
	}
	lists := braces.FindAllStringSubmatchIndex(line, -1)
	if len(lists) == 0 {
		return ""
	}
	l := lists[g.below(len(lists))]
	list := strings.Split(line[l[2]:l[3]], ",")
	i := g.below(len(list))
	j := (i + 1 + g.below(len(list)-1)) % len(list)
	if strings.TrimSpace(list[i]) == strings.TrimSpace(list[j]) {
		return ""
	}
	list[i], list[j] = list[j], list[i]
	return line[:l[2]] + strings.Join(list, ",") + line[l[3]:]
}

// changeConstant adds or takes 1 from an integer, or doubles it; not in what only orders, like barriers.
func changeConstant(g *generator, line string) string {
	m := instructionLine.FindStringSubmatch(line)
	if m == nil || strings.HasPrefix(m[2], "bar") || strings.HasPrefix(m[2], "cp.async") || strings.HasPrefix(m[2], "shfl") || strings.HasPrefix(m[2], "ld.param") || strings.HasPrefix(m[2], "mov.pred") || strings.Contains(line, "[") {
		return ""
	}
	places := integerOperand.FindAllStringSubmatchIndex(line, -1)
	if len(places) == 0 {
		return ""
	}
	p := places[g.below(len(places))]
	n, err := strconv.ParseInt(line[p[4]:p[5]], 10, 64)
	if err != nil {
		return ""
	}
	return line[:p[4]] + strconv.FormatInt([]int64{n + 1, n - 1, n*2 + 1}[g.below(3)], 10) + line[p[5]:]
}

// changeOffset moves an access by one element.
func changeOffset(g *generator, line string) string {
	p := offsetOperand.FindStringSubmatchIndex(line)
	if p == nil || strings.Contains(line, ".param") {
		return ""
	}
	offset := 0
	if p[4] >= 0 {
		offset, _ = strconv.Atoi(line[p[4]+1 : p[5]])
	}
	step := 4
	switch {
	case strings.Contains(line, ".v4") || strings.Contains(line, "ldmatrix") || strings.Contains(line, ".cg."):
		step = 16
	case strings.Contains(line, "64") || strings.Contains(line, ".v2"):
		step = 8
	case strings.Contains(line, "u8"):
		step = 1
	}
	if g.below(2) == 0 {
		step = -step
	}
	return fmt.Sprintf("%s[%s+%d]%s", line[:p[0]], line[p[2]:p[3]], offset+step, line[p[1]:])
}

// A mutant is one changed line of a kernel.
type mutant struct {
	number               int
	family, kernel, what string
	line                 int
	before, after        string
	fate                 string // what noticed it, "" if nothing did
}

// A family is a file of PTX by lines.
type family struct {
	name    string
	lines   []string
	kernels []string
	own     map[string][]int // the lines of each kernel, from 0
}

var entryLine = regexp.MustCompile(`\.entry (\w+)\(`)

func newFamily(name, text string) *family {
	f := &family{name: name, lines: strings.Split(text, "\n"), own: map[string][]int{}}
	kernel, inside := "", false
	for i, line := range f.lines {
		if m := entryLine.FindStringSubmatch(line); m != nil {
			kernel = m[1]
			f.kernels = append(f.kernels, kernel)
		}
		switch {
		case line == "{":
			inside = true
		case line == "}":
			kernel, inside = "", false
		case inside && kernel != "":
			f.own[kernel] = append(f.own[kernel], i)
		}
	}
	slices.Sort(f.kernels)
	return f
}

// with is the family with another line, and without the instructions of other kernels.
func (f *family) with(m *mutant) string {
	lines := slices.Clone(f.lines)
	for kernel, mutants := range f.own {
		if kernel != m.kernel {
			for _, i := range mutants {
				lines[i] = ""
			}
			lines[mutants[0]] = "\tret;"
		}
	}
	lines[m.line-1] = m.after
	return strings.Join(lines, "\n")
}

// mutate draws a mutant.
func mutate(g *generator, families []*family) *mutant {
	for {
		f := families[g.below(len(families))]
		m := &mutant{family: f.name, kernel: f.kernels[g.below(len(f.kernels))]}
		lines := f.own[m.kernel]
		for range 200 {
			line := lines[g.below(len(lines))]
			change := mutations[g.below(len(mutations))]
			m.line, m.before, m.what = line+1, f.lines[line], change.name
			if m.after = change.change(g, m.before); m.after != "" && m.after != m.before {
				return m
			}
		}
	}
}

// ending is what a mistake says, without lines: the driver loads a kernel by itself.
func ending(what string) string { return inLine.ReplaceAllString(what, "") }

var inLine = regexp.MustCompile(` in line \d+`)

// replay runs a launch with a module; a difference in what it leaves is an error.
func replay(machine *Machine, module *Module, r *Recording) error {
	l := r.Launch
	l.Memory = make([]Region, len(r.Launch.Memory))
	for i, m := range r.Launch.Memory {
		l.Memory[i] = Region{m.Base, bytes.Clone(m.Data), bytes.Clone(m.Known)}
	}
	l.Limit = 2*r.Instructions + 1000
	err := machine.Run(module, &l)
	if fault, ok := err.(*Fault); r.Fault != "" && (!ok || fault.Kind != r.Fault || ending(fault.What) != ending(r.What)) {
		return fmt.Errorf("another end than %q", r.What)
	}
	if err != nil && r.Fault == "" {
		return err
	}
	if r.Fault != "" {
		return nil
	}
	for i, m := range l.Memory {
		if !bytes.Equal(m.Data, r.After[i]) {
			return fmt.Errorf("other numbers")
		}
	}
	return nil
}

// compareInEveryWay lets the interpreter run mutants that compare as no kernel does.
func compareInEveryWay() {
	for name, holds := range map[string]func(x, y float64) bool{
		"eq": func(x, y float64) bool { return x == y }, "ne": func(x, y float64) bool { return x < y || x > y },
		"lt": func(x, y float64) bool { return x < y }, "le": func(x, y float64) bool { return x <= y },
		"gt": func(x, y float64) bool { return x > y }, "ge": func(x, y float64) bool { return x >= y },
		"neu": func(x, y float64) bool { return x != y }, "equ": func(x, y float64) bool { return !(x < y || x > y) },
		"ltu": func(x, y float64) bool { return !(x >= y) }, "leu": func(x, y float64) bool { return !(x > y) },
		"gtu": func(x, y float64) bool { return !(x <= y) }, "geu": func(x, y float64) bool { return !(x < y) },
		"num": func(x, y float64) bool { return x == x && y == y }, "nan": func(x, y float64) bool { return x != x || y != y },
	} {
		if _, ok := floats["setp."+name+".f32"]; !ok {
			floats["setp."+name+".f32"] = operation{"pww", func(d *uint32, a, b *vec32) {
				*d = which(func(i int) bool { return holds(float64(float(a[i])), float64(float(b[i]))) })
			}}
		}
		if _, ok := floats["setp."+name+".f64"]; !ok {
			floats["setp."+name+".f64"] = operation{"pdd", func(d *uint32, a, b *vec64) {
				*d = which(func(i int) bool { return holds(double(a[i]), double(b[i])) })
			}}
		}
	}
	comparisons["setp.ne.b32"], comparisons["setp.ne.u32"], comparisons["setp.ne.u16"] = comparisons["setp.ne.s32"], comparisons["setp.ne.s32"], comparisons["setp.ne.s16"]
	comparisons["setp.eq.u32"], comparisons["setp.eq.u16"] = comparisons["setp.eq.s32"], comparisons["setp.eq.s16"]
	comparisons["setp.ne.b64"], comparisons["setp.ne.u64"], comparisons["setp.eq.u64"] = comparisons["setp.ne.s64"], comparisons["setp.ne.s64"], comparisons["setp.eq.s64"]
}

// chosen are the numbers that PTX_ONLY lists, of mutants to run; nil: all.
func chosen(t *testing.T) map[int]bool {
	list := strings.Fields(strings.ReplaceAll(os.Getenv("PTX_ONLY"), ",", " "))
	if len(list) == 0 {
		return nil
	}
	all := map[int]bool{}
	for _, word := range list {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatalf("PTX_ONLY: %v", err)
		}
		all[n] = true
	}
	return all
}

// TestMutants runs the launches that the tests of a recording made (make ptx-mutants) with
// mutated PTX, and lists the mutants that nothing notices.
func TestMutants(t *testing.T) {
	folder := os.Getenv("PTX_LAUNCHES")
	if folder == "" {
		t.Skip("PTX_LAUNCHES names no folder of recorded launches: run make ptx-mutants")
	}
	compareInEveryWay()
	count := 500
	if n, err := strconv.Atoi(os.Getenv("PTX_MUTANTS")); err == nil {
		count = n
	}
	recordings, err := Recordings(folder)
	if err != nil || len(recordings) == 0 {
		t.Fatalf("no launches in %s: %v", folder, err)
	}
	launches := map[string][]*Recording{}
	for _, r := range recordings {
		launches[r.Launch.Kernel] = append(launches[r.Launch.Kernel], r)
	}
	for _, list := range launches {
		slices.SortStableFunc(list, func(a, b *Recording) int { return a.Instructions - b.Instructions })
	}
	texts := shipped(t)
	var families []*family
	byName := map[string]*family{}
	total := 0
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		byName[name] = newFamily(name, texts[name])
		families = append(families, byName[name])
		total += len(byName[name].kernels)
	}
	t.Logf("%d launches of %d of %d kernels", len(recordings), len(launches), total)

	g := generator(1)
	var mutants []*mutant
	only := chosen(t)
	wanted := map[string]bool{} // kernels
	for number := range count {
		m := mutate(&g, families)
		m.number = number
		if only == nil || only[number] {
			mutants = append(mutants, m)
			wanted[m.kernel] = true
		}
	}
	reached := map[string]map[int]bool{} // lines by kernel
	for _, f := range families {
		m, err := Parse(f.name+".ptx", texts[f.name])
		if err != nil {
			t.Fatal(err)
		}
		for _, kernel := range f.kernels {
			if only == nil || wanted[kernel] {
				reached[kernel] = report(t, m, kernel, launches[kernel])
			}
		}
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(mutants); i = int(next.Add(1)) - 1 {
				m := mutants[i]
				m.fate = fate(m, byName[m.family].with(m), launches[m.kernel])
			}
		})
	}
	wg.Wait()
	fates := map[string]int{}
	equal := 0
	var numbers []string
	for _, m := range mutants {
		fates[m.fate]++
		if m.fate != "" {
			continue
		}
		why := "executed"
		if !reached[m.kernel][m.line] {
			why = "in code that no launch reaches"
		}
		if rule := equivalent(byName[m.family], m); rule != "" {
			why = "equivalent: " + rule
			equal++
		} else {
			numbers = append(numbers, strconv.Itoa(m.number))
		}
		t.Logf("survives: %d, %s.ptx line %d of %s, %s, %s:\n%s\n%s", m.number, m.family, m.line, m.kernel, m.what, why, m.before, m.after)
	}
	killed := len(mutants) - fates[""]
	t.Logf("%d mutants, %d noticed (%.1f %%), %d survivors equivalent by rule (without them %.1f %%): %v", len(mutants), killed,
		100*float64(killed)/float64(len(mutants)), equal, 100*float64(killed)/float64(len(mutants)-equal), fates)
	t.Logf("PTX_ONLY=%s", strings.Join(numbers, ","))
	if only == nil && killed*100 < 95*(len(mutants)-equal) {
		t.Errorf("%d of %d mutants are noticed, want 95 %%", killed, len(mutants)-equal)
	}
}

// report replays a kernel's launches with the PTX itself, says which of it they execute, and
// gives the lines.
func report(t *testing.T, m *Module, kernel string, launches []*Recording) map[int]bool {
	p, err := m.program(kernel)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]bool{}
	machine := NewMachine()
	machine.observe = true
	for _, r := range launches {
		if err := replay(machine, m, r); err != nil {
			t.Fatalf("%s: %v", kernel, err)
		}
		for i, s := range machine.seen {
			if s != 0 {
				lines[int(p.code[i].line)] = true
			}
		}
	}
	n := 0
	var missing []string
	for i, in := range p.code {
		if lines[int(in.line)] {
			n++
		} else if i == 0 || lines[int(p.code[i-1].line)] {
			missing = append(missing, strconv.Itoa(int(in.line)))
		}
	}
	if n < len(p.code) {
		t.Logf("%s: %d of %d instructions are executed, not from lines %s", kernel, n, len(p.code), strings.Join(missing, " "))
	}
	return lines
}

// fate is what notices a mutant: the compiler, a kind of fault, or numbers.
func fate(m *mutant, text string, launches []*Recording) string {
	module, err := Parse(m.family+".ptx", text)
	if err == nil {
		_, err = module.program(m.kernel)
	}
	if err != nil {
		return "refused"
	}
	machine := NewMachine()
	for _, r := range launches {
		err := replay(machine, module, r)
		if fault, ok := err.(*Fault); ok {
			return fault.Kind
		}
		if err != nil {
			return "numbers"
		}
	}
	return ""
}
