// Settings that hold for all models, with exceptions for some.

package input

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"repscope/internal/run"
)

// perModel is a setting for all models, "VALUE", with exceptions, "NAME=VALUE".
type perModel struct {
	all    string
	given  bool // all is not the default
	byName map[string]string
	names  []string
	check  func(string) error
	whole  bool // a value may hold commas: one value per flag
}

func (p *perModel) String() string {
	var parts []string
	if p.all != "" {
		parts = append(parts, run.JoinUnnamed(p.all))
	}
	for _, name := range p.names {
		parts = append(parts, run.JoinName(name, p.byName[name]))
	}
	if p.whole {
		return strings.Join(parts, "; ")
	}
	return strings.Join(parts, ",")
}

func (p *perModel) Get() any { return p.String() }

func (p *perModel) Repeats() bool { return true }

// Joins says that a list in a configuration is one value.
func (p *perModel) Joins() bool { return p.whole }

func (p *perModel) Set(text string) error {
	separator := ","
	if p.whole {
		separator = "; " // as String writes them
	}
	for part := range strings.SplitSeq(text, separator) {
		name, value, named := run.CutName(strings.TrimSpace(part))
		if p.check != nil {
			if err := p.check(value); err != nil {
				return err
			}
		}
		if !named {
			if p.given && p.all != value {
				return fmt.Errorf("%q is given already; want one value for all models and NAME=VALUE for others", p.all)
			}
			p.all, p.given = value, true
			continue
		}
		if name == "" {
			return fmt.Errorf("%q has no model name before the equals sign", part)
		}
		if p.byName == nil {
			p.byName = map[string]string{}
		}
		switch first, ok := p.byName[name]; {
		case !ok:
			p.names = append(p.names, name)
		case first != value:
			return fmt.Errorf("%s=%s is given already", name, first)
		}
		p.byName[name] = value
	}
	return nil
}

// of returns the setting of one model.
func (p *perModel) of(model string) string {
	if v, ok := p.byName[model]; ok {
		return v
	}
	return p.all
}

// windowPerModel is a number of frames for all models, with others for some.
type windowPerModel struct{ perModel }

// String is the given value, or the default.
func (w *windowPerModel) String() string {
	p := w.perModel
	if !p.given && len(p.names) > 0 {
		p.all = ""
	}
	return p.String()
}

// Get is the number, or a text where models have numbers of their own.
func (w *windowPerModel) Get() any {
	if len(w.names) > 0 {
		return w.String()
	}
	n, _ := strconv.Atoi(w.all) // checked when it was set
	return n
}

// of returns the window of one model.
func (w *windowPerModel) of(model string) int {
	n, _ := strconv.Atoi(w.perModel.of(model))
	return n
}

// checkWindow refuses values that are no window.
func checkWindow(text string) error {
	if n, err := strconv.Atoi(text); err != nil || n < 0 {
		return errors.New("want a whole number from 0")
	}
	return nil
}

// layersPerModel is a list of layers for all models, with others for some.
type layersPerModel struct {
	all    []string
	byName map[string][]string
	names  []string
}

func (l *layersPerModel) String() string {
	var parts []string
	for _, layer := range l.all {
		parts = append(parts, run.JoinUnnamed(layer))
	}
	for _, name := range l.names {
		for _, layer := range l.byName[name] {
			parts = append(parts, run.JoinName(name, layer))
		}
	}
	return strings.Join(parts, ",")
}

func (l *layersPerModel) Get() any { return l.String() }

func (l *layersPerModel) Repeats() bool { return true }

// Lists says that a model may have a list of values in a configuration.
func (l *layersPerModel) Lists() {}

func (l *layersPerModel) Set(text string) error {
	name, layer, named := run.CutName(text)
	switch {
	case layer == "":
		return fmt.Errorf("%q does not name a layer", text)
	case !named:
		l.all = append(l.all, layer)
		return nil
	case name == "":
		return fmt.Errorf("%q has no model name before the equals sign", text)
	}
	if l.byName == nil {
		l.byName = map[string][]string{}
	}
	if _, ok := l.byName[name]; !ok {
		l.names = append(l.names, name)
	}
	l.byName[name] = append(l.byName[name], layer)
	return nil
}

// of returns the layers of one model.
func (l *layersPerModel) of(model string) []string {
	if layers, ok := l.byName[model]; ok {
		return layers
	}
	return l.all
}
