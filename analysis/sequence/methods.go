// What --methods says of models of sequences.

package sequence

import (
	"fmt"
	"slices"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/report/methods"
)

// cited are the works that metrics come from, by name.
var cited = map[string]string{
	contactPrecision.Name: " [@rao2021; @dunn2008]",
	pseudoPerplexity.Name: " [@salazar2020]",
	calibration.Name:      " [@naeini2015; @guo2017]",
	confusion.Name:        " [@gorodkin2004]",
	substitutions.Name:    " [@meier2021; @notin2023]",
	chainProbe.Name:       " [@hewitt2019]",
}

// describeMethods says how the numbers of a result were computed.
func describeMethods(d *methods.Draft) {
	saySequences(d)
	sayMasks(d)
	d.Section("Measures")
	for _, k := range registry {
		if !computed(d, &k) {
			continue
		}
		d.Say("%s: %s%s.", sentence(k.Name), strings.TrimSuffix(k.About, "."), cited[k.Name])
	}
	if set := d.Text("set"); set != "" {
		d.Say("Other than their defaults: %s.", set)
	}
	d.Say("Sums are over all residues that count, so that every residue counts alike.")
	results.Methods(d, "")
	if results.Blocks(d) != "" {
		d.Say("At most %d groups were deleted; more were joined. Models are compared on the sequences that they share.", mostGroups)
	}
}

// saySequences says what was evaluated.
func saySequences(d *methods.Draft) {
	d.Section("Data and models")
	var models []string
	for _, in := range d.Result.Inputs {
		switch in.Role {
		case "model":
			models = append(models, in.Name)
		case "vocabulary":
			d.Say("The vocabulary is that of a file.")
		case "substitutions":
			d.Say("Variants of the assay %s have measured effects.", in.Name)
		}
	}
	if len(models) > 0 {
		d.Say("Models that were run: %s.", methods.Join(models))
	}
	if n := d.Models("sequences"); len(n) > 0 {
		d.Say("There are %s sequences.", methods.Join(n))
	}
	for _, option := range []struct{ name, text string }{{"columns", "Columns of tables"}, {"inputs", "Inputs of models"}, {"outputs", "Outputs of models"}} {
		if text := d.Text(option.name); text != "" {
			d.Say("%s were named: %s.", option.text, text)
		}
	}
}

// sayMasks says what was hidden.
func sayMasks(d *methods.Draft) {
	d.Section("Masks")
	rate, cdr, other := d.Number("mask-rate"), d.Number("mask-cdr"), d.Number("mask-nongermline")
	weights := fmt.Sprintf("1 + %g in a CDR + %g where it is not of the germline", cdr, other)
	informative := fmt.Sprintf("a share of %g of the residues of each sequence, drawn without replacement with weights of %s", rate, weights)
	switch rule := d.Text("mask"); rule {
	case maskUniform:
		d.Say("Each residue is hidden with probability %g, independently.", rate)
	case maskInformation:
		d.Say("Hidden is %s [@kool2019].", informative)
	case maskRanked:
		d.Say("Hidden is a share of %g of the residues of each sequence, those of the largest weights of %s, equal ones in random order.", rate, weights)
	case maskGiven:
		d.Say("Hidden is what the files say.")
	default:
		d.Say("Where files do not say what is hidden, it is %s [@kool2019].", informative)
	}
	d.Say("The draw depends on the seed, the sequence and the position alone.")
	if mode := d.Text("region-mode"); mode != "standard" {
		d.Say("Scores of regions are those of the mode %s.", map[string]string{
			"per-position": "in which each residue is hidden alone (per-position)", "region-level": "in which all residues of a region are hidden together (region-level)"}[mode])
	}
	if regions := d.Values("regions"); len(regions) > 0 {
		d.Say("Regions are %s.", methods.Join(regions))
	}
}

// computed reports whether some model has a number of a metric.
func computed(d *methods.Draft, k *Kind) bool {
	return slices.ContainsFunc(k.Keys, func(key Key) bool { return d.Holds(key.Name) })
}

// sentence is a name as the beginning of a sentence.
func sentence(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
