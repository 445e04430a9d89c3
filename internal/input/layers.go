// Models whose layers are compared one by one: --layers.

package input

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/points"
)

// Layers are the latents of the layers of a model, in its order.
type Layers struct {
	Name   string
	Layers []points.Encoded
}

// layerLists is a list of layers for all models, with others for some, separated by commas; \, is a comma of a name.
type layerLists struct{ layersPerModel }

func (l *layerLists) Set(text string) error {
	for more := true; more; {
		var part string
		part, text, more = cutLayer(text)
		if err := l.layersPerModel.Set(strings.TrimSpace(part)); err != nil {
			return err
		}
	}
	return nil
}

// cutLayer cuts a list at its first comma that has no backslash before it.
func cutLayer(list string) (first, rest string, more bool) {
	for i := range len(list) {
		if list[i] == ',' && (i == 0 || list[i-1] != '\\') {
			return strings.ReplaceAll(list[:i], `\,`, ","), list[i+1:], true
		}
	}
	return strings.ReplaceAll(list, `\,`, ","), "", false
}

func (l *layerLists) empty() bool { return len(l.all) == 0 && len(l.names) == 0 }

// declareLayers lists --layers.
func (in *Inputs) declareLayers(l *option.List) {
	l.Var(&in.byLayer, "layers", "`[NAME=]LAYERS` of models that are compared layer by layer, as --layer names them, "+
		"such as A=blocks.*,B=layer*, with \\, for a comma in a name; latents named A:LAYER are layers of A (repeats)")
}

// checkLayers finds layers of models that are not there.
func (in *Inputs) checkLayers(names []string) error {
	if !in.byLayer.empty() && (len(in.layer.all) > 0 || len(in.layer.names) > 0) {
		return run.Usage("--layer and --layers are both given; want one of them")
	}
	for _, name := range in.byLayer.names {
		if !slices.ContainsFunc(names, func(n string) bool { return n == name || strings.HasPrefix(n, name+":") }) {
			return run.Hint(run.Usage("--layers %s=%s: no model is named %q", name, in.byLayer.byName[name][0], name),
				text.DidYouMean("", name, names))
		}
	}
	return nil
}

// layersOf are the layers that are asked for of a model.
func (in *Inputs) layersOf(model string) []string {
	if layers := in.byLayer.of(model); len(layers) > 0 {
		return layers
	}
	return in.layer.of(model)
}

// layered reports whether the layers of the model are compared one by one.
func (m *Model) layered() bool {
	return m.Encoder != nil && !m.Baseline() && len(m.data.inputs.byLayer.of(m.Name)) > 0
}

// ByLayer reports whether the layers of models are compared one by one.
func (d *Data) ByLayer() bool { return d.inputs.ByLayer() }

// ByLayer reports whether --layers is given.
func (in *Inputs) ByLayer() bool { return !in.byLayer.empty() }

// layerOf are the model and the layer of latents that are a layer, as MODEL:LAYER.
func (in *Inputs) layerOf(m *Model) (model, layer string, ok bool) {
	model, layer, ok = strings.Cut(m.Name, ":")
	if !ok || m.Encoder != nil {
		return "", "", false
	}
	return model, layer, slices.ContainsFunc(in.byLayer.of(model), func(pattern string) bool {
		matched, err := path.Match(pattern, layer)
		return pattern == layer || err == nil && matched
	})
}

// onlyLayer is the name of the one layer of latents that --layers names as a model.
const onlyLayer = "latents"

// Layered returns the layers of the models of --layers, at the states of a selection. In the selection a model has the
// latents of its last layer; latents that are layers stand there under the name of their model. Latents whose own name
// is in --layers are a model of one layer. Fewer than two such models are an error; without --layers there are none.
func (d *Data) Layered(ctx context.Context, s *points.Selection) ([]Layers, error) {
	if !d.ByLayer() {
		return nil, nil
	}
	var out []Layers
	var models []points.Encoded
	for i, m := range d.Models {
		if model, layer, ok := d.inputs.layerOf(m); ok {
			one := points.Encoded{Name: layer, Latents: s.Models[i].Latents}
			position := slices.IndexFunc(out, func(l Layers) bool { return l.Name == model })
			if position < 0 {
				position = len(out)
				out = append(out, Layers{Name: model})
				models = append(models, points.Encoded{Name: model})
			}
			out[position].Layers = append(out[position].Layers, one)
			whole := slices.IndexFunc(models, func(e points.Encoded) bool { return e.Name == model })
			models[whole].Latents = one.Latents
			continue
		}
		if slices.ContainsFunc(models, func(e points.Encoded) bool { return e.Name == m.Name }) {
			return nil, run.Usage("model %s has latents that are its layers, too; want another name", m.Name)
		}
		models = append(models, s.Models[i])
		if _, named := d.inputs.byLayer.byName[m.Name]; named && m.Encoder == nil { // latents stand for one layer
			one := points.Encoded{Name: onlyLayer, Latents: s.Models[i].Latents}
			out = append(out, Layers{Name: m.Name, Layers: []points.Encoded{one}})
			continue
		}
		if !m.layered() {
			continue
		}
		layers, err := m.LayerLatents(ctx, s.Index)
		if err != nil {
			return nil, err
		}
		all := Layers{Name: m.Name}
		for _, layer := range layers {
			all.Layers = append(all.Layers, points.Encoded{Name: layer.Layer.Label(), Latents: layer.Points})
		}
		out = append(out, all)
	}
	if len(out) < 2 {
		return nil, run.Hint(fmt.Errorf("--layers chooses layers of %s, want two", text.Count(len(out), "model")),
			"give --layers A=PATTERN,B=PATTERN with the names of two models", "name latents of layers A:LAYER")
	}
	s.Models = models
	return out, nil
}
