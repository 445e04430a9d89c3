// Records of Every Eval Ever (github.com/evaleval/every_eval_ever), of its schema 0.3.0.

package export

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"repscope/internal/filename"
	"repscope/report"
)

// everyEvalVersion is the version of the schema.
const everyEvalVersion = "0.3.0"

// Relationships are the relations of an evaluator to the developer of a model.
func Relationships() []string {
	return []string{"first_party", "third_party", "collaborative", "other"}
}

// EveryEvalEver returns a record for each model of a result, under data/COLLECTION/DEVELOPER/MODEL/UUID.json. The same
// result and options make the same bytes: the identifier follows from them, and the record has the time at which the
// run ended. Errors: a result without time; no number to export.
func EveryEvalEver(r *report.Result, o *Options) ([]Output, error) {
	started, err := time.Parse(time.RFC3339, r.Started)
	if err != nil {
		return nil, fmt.Errorf("%s: its start is %q, want a time of RFC 3339", r.Analysis, r.Started)
	}
	ended := strconv.FormatInt(started.Add(time.Duration(r.Elapsed*float64(time.Second))).Unix(), 10)
	collection := "repscope." + r.Analysis
	if data := cmp.Or(o.Dataset, o.DatasetID); data != "" {
		collection = data + "." + collection
	}
	var files []Output
	err = models(r, o.Metrics, true, func(name string, list []score) error {
		id := o.ModelIDs[name]
		if id == "" {
			id = o.Organization + "/" + name
		}
		developer, model, _ := strings.Cut(id, "/")
		record := object(
			"schema_version", everyEvalVersion,
			"evaluation_id", collection+"/"+id+"/"+strconv.FormatInt(started.Unix(), 10),
			"evaluation_timestamp", r.Started,
			"retrieved_timestamp", ended,
			"source_metadata", object("source_name", "repscope", "source_type", "evaluation_run",
				"source_organization_name", o.Organization, "evaluator_relationship", o.Relationship),
			"eval_library", library(r),
			"model_info", modelInfo(r, name, id, developer),
			"evaluation_results", evaluations(r, o, list, collection))
		var content bytes.Buffer
		if err := report.Encode(&content, record); err != nil {
			return err
		}
		folder := "data/" + portable(collection) + "/" + portable(developer) + "/" + portable(model) + "/"
		files = append(files, Output{folder + uuid(content.Bytes()) + ".json", content.Bytes()})
		return nil
	})
	return files, err
}

// object is an object of keys and values in turn; empty texts are left out.
func object(members ...any) report.Object {
	var o report.Object
	for i := 0; i < len(members); i += 2 {
		if members[i+1] != "" {
			o.Set(members[i].(string), members[i+1])
		}
	}
	return o
}

// portable is a name as a component of a path; "data" is reserved.
func portable(name string) string {
	if name = filename.Of(name); strings.EqualFold(name, "data") {
		return name + "_"
	}
	return name
}

// uuid is an identifier in the form of version 4, made of the digest of a content.
func uuid(content []byte) string {
	sum := sha256.Sum256(content)
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// library says which program computed the numbers, and how.
func library(r *report.Result) report.Object {
	details := object("analysis", r.Analysis, "revision", r.Revision, "seed", strconv.FormatUint(r.Seed, 10),
		"device", r.Device, "precision", r.Precision, "kernel", r.Kernel.Name)
	if r.Definition > 0 {
		details.Set("definition", strconv.Itoa(r.Definition))
	}
	var options bytes.Buffer
	if report.Encode(&options, r.Options) == nil {
		details.Set("options", strings.Join(strings.Fields(options.String()), " "))
	}
	return object("name", "repscope", "version", r.Version, "additional_details", details)
}

// modelInfo describes a model. repscope deploys the models that it reads as files itself; of latents it does not know.
func modelInfo(r *report.Result, name, id, developer string) report.Object {
	deployment := "unknown"
	in, ok := inputOf(r, name)
	if ok && in.Role == "model" {
		deployment = "self_deployed"
	}
	details := object("deployment_type", deployment, "model_availability", "unknown",
		"input", in.Role, "sha256", in.SHA256, "kind", in.Kind, "pool", in.Pool)
	info := object("name", name, "id", id, "developer", developer)
	if deployment == "self_deployed" {
		info.Set("inference_engine", object("name", "repscope", "version", r.Version))
	}
	info.Set("additional_details", details)
	return info
}

// evaluations are the numbers.
func evaluations(r *report.Result, o *Options, list []score, name string) []report.Object {
	var all []report.Object
	for i := range list {
		s := &list[i]
		family := report.Family(s.Path)
		config := object(
			"evaluation_description", "repscope "+r.Analysis+": "+report.Label(s.Path),
			"metric_id", "repscope."+r.Analysis+"."+family,
			"metric_name", report.Title(s.Path),
			"metric_unit", s.metric.Unit)
		if p := report.SplitPath(s.Path); p.Parametric {
			config.Set("metric_parameters", object(p.Key, p.Value))
		}
		config.Set("lower_is_better", s.metric.Direction == report.Lower)
		config.Set("score_type", "continuous")
		low, high := math.Inf(-1), math.Inf(1)
		if s.metric.Range != nil {
			low, high = s.metric.Range.Low, s.metric.Range.High
		}
		config.Set("min_score", end(low))
		config.Set("max_score", end(high))
		details := object("score", s.Value.V, "details", object("path", s.Path, "blocks", r.Blocks))
		if u := uncertainty(r, s); u.Len() > 0 {
			details.Set("uncertainty", u)
		}
		all = append(all, object("evaluation_result_id", s.Path, "evaluation_name", name, "source_data", source(r, o),
			"evaluation_timestamp", r.Started, "metric_config", config, "score_details", details))
	}
	return all
}

// end is the end of a range: a number, or the text that stands for infinity.
func end(v float64) any {
	if math.IsInf(v, 0) {
		return map[bool]string{true: "Infinity", false: "-Infinity"}[v > 0]
	}
	return v
}

// uncertainty is what the result says of it.
func uncertainty(r *report.Result, s *score) report.Object {
	var u report.Object
	method := "" // intervals without a standard error next to them may be of another method
	if s.StdError.Defined() {
		if r.Blocks != "" { // which are deleted in turn
			method = "jackknife"
		}
		u.Set("standard_error", object("value", s.StdError.V, "method", method))
	}
	if ci := s.Interval; ci.Defined() && !math.IsInf(ci.Low, 0) && !math.IsInf(ci.High, 0) {
		u.Set("confidence_interval", object("lower", ci.Low, "upper", ci.High, "confidence_level", 0.95, "method",
			method))
	}
	if s.SD.Defined() {
		u.Set("standard_deviation", s.SD.V)
	}
	if u.Len() > 0 && s.samples > 0 {
		u.Set("num_samples", s.samples)
	}
	return u
}

// source is the data: a dataset of the Hub, or files by their digests.
func source(r *report.Result, o *Options) report.Object {
	var details report.Object
	for _, in := range r.Inputs {
		if _, ofModel := r.Models.Get(in.Name); in.SHA256 != "" && (in.Name == "" || !ofModel) {
			details.Set(strings.TrimSpace(in.Role+" "+in.Name)+" sha256", in.SHA256)
		}
	}
	if o.DatasetID != "" {
		if o.Revision != "" {
			details.Set("revision", o.Revision)
		}
		return object("dataset_name", cmp.Or(o.Dataset, o.DatasetID), "source_type", "hf_dataset", "hf_repo",
			o.DatasetID,
			"additional_details", details)
	}
	return object("dataset_name", cmp.Or(o.Dataset, "unnamed"), "source_type", "other", "additional_details", details)
}
