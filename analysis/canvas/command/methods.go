// What --methods says of generated designs.

package command

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/internal/results"
	"repscope/report"
	"repscope/report/methods"
)

// cited are the works that metrics come from, by their keys.
var cited = map[string]string{
	"ssim": "[@wang2004]", "ms_ssim": "[@wang2003]", "gmsd": "[@xue2014]", "fsim": "[@zhang2011]", "saliency_cc": "[@bylinskii2019]", "layout_iou": "[@kuhn1955]",
	"color_difference": "[@sharma2005]", "block_match": "[@si2024]", "tree_edit_similarity": "[@zhang1989]", "saliency_information_gain": "[@kummerer2015]",
}

// byWork is the end of a definition that names a work, which is cited.
var byWork = regexp.MustCompile(`; [A-Z][a-z]+ et al\. [0-9]{4}$`)

// describeMethods says how the numbers of a result were computed. What every metric means in
// this run stands in the result.
func describeMethods(d *methods.Draft) {
	sayCases(d)
	d.Section("Measures")
	definitions, _ := d.Extra("definitions")
	if name, _ := definitions.Get("definition"); name != "" && name != nil && name != "default" {
		d.Say("The metrics follow the %v definitions.", name)
	}
	all, _ := definitions.Get("metrics")
	metrics, _ := all.(report.Object)
	for _, name := range metrics.Keys() {
		part, _ := metrics.Get(name)
		metric, _ := part.(report.Object)
		sayMetric(d, name, metric)
	}
	output.Methods(d, ", with all its cases")
	if output.Blocks(d) != "" {
		d.Say("Models were compared on the samples that both have, case by case.")
		d.Say("%s", results.InMethods("sample"))
	}
	sayAgreement(d)
	sayPreferences(d)
}

// sayCases describes the scored cases.
func sayCases(d *methods.Draft) {
	d.Section("Designs")
	for _, in := range d.Result.Inputs {
		if in.Role != "tree" || in.Details == nil {
			continue
		}
		detail := func(key string) any { v, _ := in.Details.Get(key); return v }
		d.Say("The analysis covers %v cases of the task %v, variant "+
			"%v.", detail("cases"), detail("task"), detail("variant"))
	}
	d.Say("A case is the design of one model for a sample; it is compared with the reference of that sample.")
	if d.Text("alpha") == "drop" {
		d.Say("The alpha channel of images was ignored.")
	} else {
		d.Say("Images were composited on white.")
	}
}

// sayMetric says what a metric is in this run, if some model has a number of it.
func sayMetric(d *methods.Draft, name string, metric report.Object) {
	about, _ := metric.Get("about")
	definition, _ := metric.Get("definition")
	list, _ := metric.Get("keys")
	keys, _ := list.([]any)
	var works []string
	there := false
	for _, key := range keys {
		name := fmt.Sprint(key)
		there = there || d.Holds(name)
		if cited[name] != "" {
			works = append(works, strings.Trim(cited[name], "[]"))
		}
	}
	if !there {
		return
	}
	text := fmt.Sprintf("%s: %v", sentence(name), about)
	if version, rest, ok := strings.Cut(byWork.ReplaceAllString(fmt.Sprint(definition), ""), "; "); ok && version != "" {
		text += " (" + rest + ")"
	}
	if len(works) > 0 {
		text += " [" + strings.Join(works, "; ") + "]"
	}
	d.Say("%s.", text)
}

// sayAgreement says how numbers are held against people.
func sayAgreement(d *methods.Draft) {
	agreement, ok := d.Extra("agreement")
	if !ok {
		return
	}
	d.Section("Agreement with people")
	count := func(key string) string { v, _ := agreement.Get(key); n, _ := v.(json.Number); return string(n) }
	d.Say("Every number was compared with the mean of %s ratings of %s cases by Spearman's and Kendall's rank "+
		"correlation, with jackknife intervals on Fisher's scale over samples and, with three or more models, over "+
		"models [@cameron2011]. Spearman's correlation within models, which leaves out differences between models, and "+
		"the share of pairs of designs of one sample that are ordered as by their ratings are also reported.",
		count("ratings"), count("cases"))
	if slices.Contains(agreement.Keys(), "krippendorff_alpha") {
		d.Say("The agreement of raters is reported by Krippendorff's α (interval scale) [@krippendorff2004] and by " +
			"the mean correlation of one rater with the mean of the others.")
	}
}

// sayPreferences says what follows from preferences.
func sayPreferences(d *methods.Draft) {
	preferences, ok := d.Extra("preferences")
	if !ok {
		return
	}
	d.Section("Preferences of people")
	number := func(o report.Object, key string) string {
		v, _ := o.Get(key)
		n, _ := v.(json.Number)
		return string(n)
	}
	part, _ := preferences.Get("models")
	models, _ := part.(report.Object)
	d.Say("The strengths of models were estimated by maximum likelihood from %s preferences between designs of two "+
		"models for one sample, in the model of Bradley and Terry [@bradley1952] and, where there are ties, of Davidson "+
		"[@davidson1970].", number(models, "pairs"))
	if by, ok := models.Get("deleted"); ok {
		d.Say("Intervals of their logarithms, with mean 0, are from the delete-block jackknife over %v, combined as in "+
			"multiway clustering where both are deleted [@cameron2011]; intervals by the information matrix, as if "+
			"preferences were independent, are also reported.", by)
	}
	d.Say("Every number was compared with the preferences between designs for one sample by the share of pairs that it " +
		"orders alike, without ties of people or of the number.")
}

// sentence is a name as the beginning of a sentence.
func sentence(name string) string {
	if name == "ms_ssim" || name == "gmsd" || name == "fsim" {
		return strings.ToUpper(strings.ReplaceAll(name, "_", "-"))
	}
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
