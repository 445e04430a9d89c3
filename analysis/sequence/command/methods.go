// What --methods says of models of sequences.

package command

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/internal/results"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/internal/groups"
	"repscope/report"
	"repscope/report/methods"
)

// cited are the works that metrics come from, by name.
var cited = map[string]string{
	"p_at_l":            " [@rao2021; @dunn2008]",
	"pseudo_perplexity": " [@salazar2020]",
	"calibration":       " [@naeini2015; @guo2017]",
	"confusion":         " [@gorodkin2004]",
	"substitutions":     " [@meier2021; @notin2023]",
	"chain_probe":       " [@hewitt2019]",
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
		about := beside.ReplaceAllString(k.About, "")
		if k.Name == "one_pass_perplexity" {
			about = "pseudo-log-likelihood and its perplexity " + strings.TrimPrefix(about, "the same ")
		}
		d.Say("%s: %s%s%s.", sentence(k.Name), about, options(d, &k), cited[k.Name])
	}
	for _, key := range []string{"eval", "data"} {
		if settings, ok := d.Result.Options.Get(key); ok {
			var text bytes.Buffer
			if err := report.Encode(&text, settings); err == nil {
				d.Say("The configuration contains under %s: %s.", key, strings.Join(strings.Fields(text.String()), " "))
			}
		}
	}
	d.Say("Sums run over all scored residues, so that every residue has equal weight.")
	output.Methods(d, "")
	if output.Blocks(d) != "" {
		d.Say("At most %d groups were used for the jackknife; larger numbers of groups were joined. Models were "+
			"compared on the sequences that they share.",
			groups.Most)
		d.Say("%s", results.InMethods("sequence"))
	}
}

// saySequences describes the sequences.
func saySequences(d *methods.Draft) {
	d.Section("Data and models")
	var models []string
	for _, in := range d.Result.Inputs {
		switch in.Role {
		case "model":
			models = append(models, in.Name)
		case "vocabulary":
			d.Say("The vocabulary was read from a file.")
		case "substitutions":
			d.Say("Measured effects of variants come from the assay %s.", in.Name)
		}
	}
	if len(models) > 0 {
		d.Say("Models run for this analysis: %s.", methods.Join(models))
	}
	if n := d.Models("sequences"); len(n) > 0 {
		d.Say("The number of sequences is %s.", methods.Join(n))
	}
	for _, option := range []struct{ name, text string }{{"columns", "Columns of tables"}, {"inputs", "Inputs of models"}, {"outputs", "Outputs of models"}} {
		if text := d.Text(option.name); text != "" {
			d.Say("%s were named: %s.", option.text, text)
		}
	}
}

// sayMasks describes the hidden positions.
func sayMasks(d *methods.Draft) {
	d.Section("Masks")
	rate, cdr, other := d.Number("mask-rate"), d.Number("mask-cdr"), d.Number("mask-nongermline")
	weights := fmt.Sprintf("1 + %g in a CDR + %g if it is not of germline origin", cdr, other)
	informative := fmt.Sprintf(
		"a share of %g of the residues of each sequence, drawn without replacement with weights %s", rate, weights)
	switch rule := d.Text("mask"); rule {
	case maskUniform:
		d.Say("Each residue was masked independently with probability %g.", rate)
	case maskInformation:
		d.Say("The masked residues are %s [@kool2019].", informative)
	case maskRanked:
		d.Say("The masked residues are a share of %g of the residues of each sequence with the largest weights %s, "+
			"with ties in random order.", rate, weights)
	case maskGiven:
		d.Say("The masked residues are specified by the files.")
	default:
		d.Say("The masked residues are specified by the files, or otherwise are %s [@kool2019].", informative)
	}
	d.Say("The random draw depends only on the seed, the sequence and the position.")
	if mode := d.Text("region-mode"); mode != "standard" {
		d.Say("Regions were scored in a mode %s.", map[string]string{
			"per-position": "that masks each residue alone (per-position)", "region-level": "that masks all " +
				"residues of a region together (region-level)"}[mode])
	}
	if regions := d.Values("regions"); len(regions) > 0 {
		d.Say("The regions are %s.", methods.Join(regions))
	}
}

// computed reports whether some model has a number of a metric.
func computed(d *methods.Draft, k *sequence.Kind) bool {
	return slices.ContainsFunc(k.Keys, func(key sequence.Key) bool { return d.Holds(key.Name) })
}

// beside is the part of the help on files and flags.
var beside = regexp.MustCompile(` \((table and CSV file|--[a-z-]+)\)`)

// options are the options of a metric in this run, in brackets: the values set, else the defaults.
func options(d *methods.Draft, k *sequence.Kind) string {
	set := map[string]string{}
	for part := range strings.SplitSeq(d.Text("set"), ",") {
		path, value, _ := strings.Cut(part, "=")
		set[path] = value
	}
	var parts []string
	off := "" // an option that is off, whose own options mean nothing
	for _, o := range k.Options {
		value, ok := set[k.Name+"."+o.Name]
		if !ok && o.Default != nil {
			value = fmt.Sprint(o.Default)
		}
		if value == "false" {
			off = o.Name + "_"
		}
		if value != "" && value != "false" && (off == "" || !strings.HasPrefix(o.Name, off)) {
			parts = append(parts, o.Name+" = "+value)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// sentence is a name as the beginning of a sentence.
func sentence(name string) string {
	words := strings.NewReplacer("_", " ", "cdr", "CDR", "p_at_l", "P@L").Replace(name)
	return strings.ToUpper(words[:1]) + words[1:]
}
