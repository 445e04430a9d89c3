// The content of a file: arrays with their types and shapes, inputs and outputs of models.

package repscope

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"repscope/dataset"
	"repscope/internal/escape"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/model"
	"repscope/report"
)

// shown is the content of a file, as JSON.
type shown struct {
	Path       string         `json:"path"`
	Format     string         `json:"format"`
	Arrays     []shownArray   `json:"arrays,omitempty"`
	Inputs     []shownArray   `json:"inputs,omitempty"`
	Outputs    []shownArray   `json:"outputs,omitempty"`
	Attributes map[string]any `json:"attributes,omitempty"`
}

// shownArray is an array, or an input or output of a model. Axes of models without a size have their name, or "?".
type shownArray struct {
	Name       string         `json:"name"`
	Type       string         `json:"type,omitempty"`
	Shape      []any          `json:"shape"`
	Storage    []string       `json:"storage,omitempty"`
	Attributes map[string]any `json:"attributes,omitempty"`
	Problem    string         `json:"problem,omitempty"`
}

// show prints the content of files.
func show(_ []run.Command, args []string, w io.Writer) error {
	asJSON := slices.Contains(args, "--json") || slices.Contains(args, "-json")
	var files []shown
	for _, arg := range args {
		switch {
		case arg == "--json" || arg == "-json":
		case len(arg) > 1 && arg[0] == '-':
			return run.Hint(run.Usage("show: unknown flag %s", arg), "show has the flag --json")
		default:
			file, err := showOne(run.Expand(arg))
			if err != nil {
				return err
			}
			files = append(files, *file)
		}
	}
	if len(files) == 0 {
		return run.Hint(run.Usage("show: no file"), "such as: repscope show run.h5")
	}
	if asJSON {
		var o report.Object
		o.Set("schema", "repscope/show/1")
		o.Set("files", files)
		return report.Encode(w, o)
	}
	for i := range files {
		if err := files[i].print(w); err != nil {
			return err
		}
	}
	return nil
}

// showOne reads the headers of one file.
func showOne(spec string) (*shown, error) {
	if strings.EqualFold(filepath.Ext(spec), ".onnx") {
		return showModel(spec)
	}
	l, err := dataset.List(spec)
	if err != nil {
		// ONNX files have no signature.
		if file, other := showModel(spec); other == nil {
			return file, nil
		}
		return nil, err
	}
	s := &shown{Path: l.Path, Format: l.Format, Attributes: attributes(l.Attributes)}
	for _, item := range l.Items {
		a := shownArray{Name: item.Name, Type: item.Type, Shape: sizes(item.Shape), Problem: item.Problem}
		a.Storage, a.Attributes = item.Storage, attributes(item.Attributes)
		s.Arrays = append(s.Arrays, a)
	}
	return s, nil
}

func sizes(shape []int) []any {
	out := make([]any, len(shape))
	for i, n := range shape {
		out[i] = n
	}
	return out
}

func attributes(list []dataset.Property) map[string]any {
	if len(list) == 0 {
		return nil
	}
	out := map[string]any{}
	for _, a := range list {
		out[a.Name] = number(a.Value)
	}
	return out
}

// number is a value as JSON: NaN and infinity are texts.
func number(value any) any {
	switch v := value.(type) {
	case float64:
		if v-v != 0 {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = number(v[i])
		}
		return out
	}
	return value
}

// showModel reads inputs and outputs of an ONNX file.
func showModel(path string) (*shown, error) {
	m, err := model.Read(path, model.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if m.Opset == 0 {
		return nil, errors.New("no ONNX file")
	}
	s := &shown{Path: path, Format: "ONNX", Attributes: map[string]any{"opset": m.Opset, "parameters": m.Parameters}}
	s.Inputs, s.Outputs = ports(m.Inputs()), ports(m.Outputs())
	return s, nil
}

func ports(list []model.Port) (out []shownArray) {
	for _, p := range list {
		a := shownArray{Name: p.Name, Type: p.Element, Shape: []any{}}
		for _, d := range p.Dims {
			switch {
			case d.Size >= 0:
				a.Shape = append(a.Shape, d.Size)
			case d.Name != "":
				a.Shape = append(a.Shape, d.Name)
			default:
				a.Shape = append(a.Shape, "?")
			}
		}
		out = append(out, a)
	}
	return out
}

// print prints a table.
func (s *shown) print(w io.Writer) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	what := text.Count(len(s.Arrays), "array")
	if s.Format == "ONNX" {
		what = text.Count(len(s.Inputs), "input") + ", " + text.Count(len(s.Outputs), "output")
	}
	fmt.Fprintln(t, escape.Sprintf("%s: %s, %s%s", s.Path, s.Format, what, properties(s.Attributes)))
	for _, group := range []struct {
		label string
		list  []shownArray
	}{{"", s.Arrays}, {"input ", s.Inputs}, {"output ", s.Outputs}} {
		for i := range group.list {
			a := &group.list[i]
			rest := strings.Join(a.Storage, " ") + properties(a.Attributes)
			if a.Problem != "" {
				rest = "not readable: " + a.Problem
			}
			fmt.Fprintln(t, escape.Sprintf("  %s%s\t%s\t%s\t%s", group.label, a.Name, a.Type, fmt.Sprint(a.Shape), rest))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// longestValue is how much of an attribute is printed.
const longestValue = 60

// properties lists attributes in the order of their names.
func properties(list map[string]any) string {
	var b strings.Builder
	names := make([]string, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		value := fmt.Sprint(list[name])
		if short := []rune(value); len(short) > longestValue {
			value = string(short[:longestValue]) + "…"
		}
		separator := ", "
		if i == 0 {
			separator = "  ("
		}
		fmt.Fprintf(&b, "%s%s: %s", separator, name, strings.Join(strings.Fields(value), " "))
	}
	if b.Len() > 0 {
		b.WriteString(")")
	}
	return b.String()
}
