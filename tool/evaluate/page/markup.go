// The page's template is run here: html/template calls methods by their names, for which the
// linker keeps the methods of all types, 5 MB of them. What a value may become follows from where it stands, as there.

package page

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/template/parse"

	"repscope/internal/text"
)

// markup is HTML, or a style or script, that is written as it stands.
type markup string

// escape makes text of what HTML would read as markup.
var escape = strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "'", "&#39;", "&", "&amp;", "<", "&lt;", ">", "&gt;").Replace

// plus is escaped where a template writes a value: once it began UTF-7.
var plus = strings.NewReplacer("+", "&#43;").Replace

// place is where in HTML a value stands.
type place int

const (
	inText   place = iota
	inRaw          // a script or a style
	inTag          // between attributes
	inValue        // of an attribute
	atURL          // the beginning of an attribute that is one
	inURL          // behind its beginning
	inAnchor       // behind its # or ?
)

// form is a template and the places of its values.
type form struct {
	trees  map[string]*parse.Tree
	places map[*parse.ActionNode]place
}

// functions are what templates may call.
var functions = map[string]func(args []reflect.Value) any{
	"inc":   func(args []reflect.Value) any { return args[0].Int() + 1 },
	"count": func(args []reflect.Value) any { return text.Count(args[0].Int(), args[1].String()) },
	"join": func(args []reflect.Value) any {
		parts := make([]string, args[0].Len())
		for i := range parts {
			parts[i] = args[0].Index(i).String()
		}
		return strings.Join(parts, ", ")
	},
	"len": func(args []reflect.Value) any { return args[0].Len() },
	"not": func(args []reflect.Value) any { return !truth(args[0]) },
	"lt":  func(args []reflect.Value) any { return args[0].Int() < args[1].Int() },
	"gt":  func(args []reflect.Value) any { return args[0].Int() > args[1].Int() },
	"or": func(args []reflect.Value) any {
		for _, a := range args {
			if truth(a) {
				return true
			}
		}
		return false
	},
}

// newForm parses a template and finds the places of its values.
func newForm(source string) (*form, error) {
	known := map[string]any{}
	for name := range functions {
		known[name] = name
	}
	trees, err := parse.Parse("page", source, "{{", "}}", known)
	if err != nil {
		return nil, err
	}
	p := &form{trees, map[*parse.ActionNode]place{}}
	for name, t := range trees {
		s := scanner{form: p}
		if err := s.list(t.Root); err != nil {
			return nil, fmt.Errorf("template %q: %w", name, err)
		}
		if s.at != inText {
			return nil, fmt.Errorf("template %q ends within a tag", name)
		}
	}
	return p, nil
}

// scanner follows HTML through the texts of a template.
type scanner struct {
	*form
	at        place
	tag, name string // of the element and the attribute that are open
	word      string // what is being read between attributes
}

func (s *scanner) list(l *parse.ListNode) error {
	if l == nil {
		return nil
	}
	for _, n := range l.Nodes {
		if err := s.node(n); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) node(n parse.Node) error {
	switch n := n.(type) {
	case *parse.TextNode:
		return s.text(string(n.Text))
	case *parse.ActionNode:
		if s.at == inTag && len(n.Pipe.Decl) == 0 {
			return fmt.Errorf("%s stands between attributes", n)
		}
		s.places[n] = s.at
		if s.at == atURL {
			s.at = inURL
		}
	case *parse.IfNode:
		return s.branches(n.List, n.ElseList)
	case *parse.RangeNode:
		return s.branches(n.List, n.ElseList)
	case *parse.TemplateNode:
		if s.at != inText {
			return fmt.Errorf("%s stands within a tag", n)
		}
		if n.Pipe == nil {
			return fmt.Errorf("%s is of nothing", n)
		}
	default:
		return fmt.Errorf("%s is not known here", n)
	}
	return nil
}

// branches hold to where they begin, in whatever order they are written.
func (s *scanner) branches(lists ...*parse.ListNode) error {
	begin := s.at
	for _, l := range lists {
		if err := s.list(l); err != nil {
			return err
		}
		if s.at != begin {
			return fmt.Errorf("%s ends elsewhere in the markup than it begins", l)
		}
	}
	return nil
}

// text reads on.
func (s *scanner) text(text string) error {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case s.at == inText && c == '<':
			s.at, s.word = inTag, ""
			end := i + 1
			for end < len(text) && (isAlphanumeric(text[end]) || text[end] == '/' || text[end] == '!') {
				end++
			}
			s.tag = strings.ToLower(text[i+1 : end])
			i = end - 1
		case s.at == inTag && c == '>':
			s.at = inText
			if s.tag == "script" || s.tag == "style" {
				s.at = inRaw
			}
		case s.at == inTag && c == '"':
			s.name = strings.ToLower(strings.TrimSuffix(s.word, "="))
			s.at, s.word = inValue, ""
			switch {
			case s.name == "href" || s.name == "src":
				s.at = atURL
			case s.name == "style" || s.name == "srcset" || strings.HasPrefix(s.name, "on"):
				if !strings.Contains(text[i+1:], `"`) {
					return fmt.Errorf("a value in the attribute %s", s.name)
				}
			}
		case s.at == inTag && (c == '\'' || c == '<'):
			return fmt.Errorf("%q in the tag %s", c, s.tag)
		case s.at == inTag && (c == ' ' || c == '\n'):
			s.word = ""
		case s.at == inTag:
			s.word += string(c)
		case s.at >= inValue && c == '"':
			s.at = inTag
		case (s.at == atURL || s.at == inURL) && (c == '#' || c == '?'):
			s.at = inAnchor
		case s.at == atURL:
			s.at = inURL
		case s.at == inRaw && strings.HasPrefix(text[i:], "</"+s.tag):
			s.at, s.word = inTag, ""
			i += len("</" + s.tag)
			s.tag = "/"
			i--
		}
	}
	return nil
}

// frame is one run of a template.
type frame struct {
	*form
	out  *strings.Builder
	vars map[string]reflect.Value
}

// run writes a template of a value.
func (p *form) run(w io.Writer, data any) error {
	var b strings.Builder
	f := &frame{p, &b, map[string]reflect.Value{}}
	if err := f.list(p.trees["page"].Root, reflect.Indirect(reflect.ValueOf(data))); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f *frame) list(l *parse.ListNode, dot reflect.Value) error {
	if l == nil {
		return nil
	}
	for _, n := range l.Nodes {
		if err := f.node(n, dot); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) node(n parse.Node, dot reflect.Value) error {
	switch n := n.(type) {
	case *parse.TextNode:
		f.out.Write(n.Text)
	case *parse.ActionNode:
		v, err := f.pipe(n.Pipe, dot)
		if err != nil {
			return err
		}
		if len(n.Pipe.Decl) > 0 {
			f.vars[n.Pipe.Decl[0].Ident[0]] = v
			return nil
		}
		return f.print(v, f.places[n], n)
	case *parse.IfNode:
		v, err := f.pipe(n.Pipe, dot)
		if err != nil {
			return err
		}
		if truth(v) {
			return f.list(n.List, dot)
		}
		return f.list(n.ElseList, dot)
	case *parse.RangeNode:
		return f.loop(n, dot)
	case *parse.TemplateNode:
		t := f.trees[n.Name]
		if t == nil {
			return fmt.Errorf("there is no template %q", n.Name)
		}
		v, err := f.pipe(n.Pipe, dot)
		if err != nil {
			return err
		}
		return (&frame{f.form, f.out, map[string]reflect.Value{}}).list(t.Root, v)
	}
	return nil
}

func (f *frame) loop(n *parse.RangeNode, dot reflect.Value) error {
	v, err := f.pipe(n.Pipe, dot)
	if err != nil {
		return err
	}
	if v.Kind() != reflect.Slice {
		return fmt.Errorf("%s is over a %s", n.Pipe, v.Type())
	}
	for i := range v.Len() {
		for j, d := range n.Pipe.Decl {
			f.vars[d.Ident[0]] = v.Index(i)
			if j == 0 && len(n.Pipe.Decl) == 2 {
				f.vars[d.Ident[0]] = reflect.ValueOf(i)
			}
		}
		if err := f.list(n.List, v.Index(i)); err != nil {
			return err
		}
	}
	if v.Len() == 0 {
		return f.list(n.ElseList, dot)
	}
	return nil
}

// pipe is the value of a pipeline, of one command here.
func (f *frame) pipe(p *parse.PipeNode, dot reflect.Value) (reflect.Value, error) {
	if len(p.Cmds) != 1 {
		return reflect.Value{}, fmt.Errorf("%s is a pipeline", p)
	}
	args := p.Cmds[0].Args
	function, isCall := args[0].(*parse.IdentifierNode)
	if !isCall {
		if len(args) > 1 {
			return reflect.Value{}, fmt.Errorf("%s has arguments and is no function", p)
		}
		return f.value(args[0], dot)
	}
	values := make([]reflect.Value, len(args)-1)
	for i, a := range args[1:] {
		v, err := f.value(a, dot)
		if err != nil {
			return v, err
		}
		values[i] = v
	}
	return reflect.ValueOf(functions[function.Ident](values)), nil
}

func (f *frame) value(n parse.Node, dot reflect.Value) (reflect.Value, error) {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.FieldNode:
		return field(dot, n.Ident, n)
	case *parse.VariableNode:
		return field(f.vars[n.Ident[0]], n.Ident[1:], n)
	case *parse.PipeNode:
		return f.pipe(n, dot)
	case *parse.StringNode:
		return reflect.ValueOf(n.Text), nil
	case *parse.NumberNode:
		return reflect.ValueOf(n.Int64), nil
	}
	return reflect.Value{}, fmt.Errorf("%s is not known here", n)
}

func field(v reflect.Value, names []string, n parse.Node) (reflect.Value, error) {
	for _, name := range names {
		if v.Kind() != reflect.Struct || !v.FieldByName(name).IsValid() {
			return v, fmt.Errorf("%s: there is no %s", n, name)
		}
		v = v.FieldByName(name)
	}
	return v, nil
}

// truth is whether a value is not the zero of its type, or is not empty.
func truth(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() > 0
	}
	return !v.IsZero()
}

// print writes a value as its place wants it.
func (f *frame) print(v reflect.Value, at place, n parse.Node) error {
	if v.Type() == reflect.TypeFor[markup]() && at <= inRaw {
		f.out.WriteString(v.String())
		return nil
	}
	var s string
	switch {
	case v.Kind() == reflect.String:
		s = v.String()
	case v.CanInt():
		s = fmt.Sprint(v.Int())
	default:
		return fmt.Errorf("%s is a %s", n, v.Type())
	}
	switch at {
	case inRaw:
		return fmt.Errorf("%s stands in a script or a style", n)
	case atURL:
		if scheme, _, ok := strings.Cut(s, ":"); ok && !strings.Contains(scheme, "/") {
			s = "./" + s // a file, not a scheme
		}
		s = encode(s, ":/@!$&*+,;=")
	case inURL:
		s = encode(s, ":/@!$&*+,;=")
	case inAnchor:
		s = encode(s, "")
	}
	f.out.WriteString(plus(escape(s)))
	return nil
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}

// encode writes what URLs have no letters for by %, but for some signs.
func encode(s, but string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if isAlphanumeric(c) || strings.IndexByte("-._~"+but, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}
