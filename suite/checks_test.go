// Tests that every command finds wrong values of its own flags before it opens a
// file.

package suite

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/report/methods"
)

// wrongValues are arguments that are wrong usage, for every own flag of every command whose declaration has no wrong
// values (option.Option.Wrong), and further ones of others. A flag whose values are all right, or can only be judged
// with the input, has none and says why.
var wrongValues = map[string]map[string][]string{
	"smoothness": {
		"horizons": {"--horizons 0", "--horizons 1,-2", "--horizons 1,5,1", "--horizons x"},
	},
	"robustness": {
		"levels":     {"--levels -1", "--levels 0.1,0.1", "--levels nan", "--corruption blur --levels 2"},
		"noise-unit": {"--noise-unit range", "--example --noise-unit sd"},
		"box-level":  {"--box-level 0.7", "--levels 0.2 --box-level 0.1"},
	},
	"neighborhood": {
		"k":              {"--k 0", "--k 5,5", "--k -1", "--k x"},
		"coranking":      {"--coranking maybe", "--approx --coranking full"},
		"exclude-window": {"--exclude-window -1", "--exclude-window soon"},
		"approx":         {"--approx --coranking full"},
	},
	"manifold": {
		"gride":               {"--gride 3", "--gride 4,0"},
		"neighbors":           {"--neighbors 1"},
		"groups":              {"--views 3 --groups none.npy"},
		"views":               {"--views 1", "--views -2"},
		"view-corruption":     {"--view-corruption fog", "--view-corruption blur"},
		"view-level":          {"--views 2 --view-level 0", "--views 2 --view-corruption blur --view-level 2", "--view-level 0.2"},
		"gaussian-slices":     {"--gaussian-slices -1"},
		"gaussian-scale":      {"--gaussian-scale l2"},
		"gaussian-draws":      {"--gaussian-draws 9"},
		"learn-clusters":      {"--learn-clusters 1"},
		"lidar-delta":         {"--lidar-delta 0", "--lidar-delta inf"},
		"power-law":           {"--power-law 0,9", "--power-law 5", "--power-law 5,8", "--power-law 9,1"},
		"exclude-window":      {"--exclude-window -1", "--exclude-window soon"},
		"duplicate-tolerance": {"--duplicate-tolerance 0", "--duplicate-tolerance 1", "--duplicate-tolerance nan"},
	},
	"geometry": {
		"labels":         {"--labels example:lives", "--example --labels example:livs"},
		"clusters":       {"--clusters 1", "--clusters 5,5"},
		"k":              {"--k 0", "--k 5,5"},
		"exclude-window": {"--exclude-window -1", "--exclude-window 2.5"},
	},
	"audit": {
		"sequences":      {"--sequences s.fa"},
		"identity":       {"--identity 0", "--identity 1.1"},
		"split":          nil, // judged with the states
		"train":          {"--train f.npy"},
		"test":           {"--test f.npy"},
		"train-episodes": {"--train-episodes e.npy"},
		"test-episodes":  {"--test-episodes e.npy"},
		"group":          {"--example --group g.npy"},
		"targets":        {"--example --targets a=t.npy", "--targets t.npy"},
		"scores":         {"--example --scores a=s.npy", "--scores s.npy"},
		"latents":        {"--example --latents z=z.npy", "--latents z.npy"},
		"train-part":     {"--train f.npy --test g.npy --train-part a"},
		"tolerance":      {"--tolerance -1", "--tolerance 2", "--tolerance nan"},
		"false-alarm":    {"--false-alarm 0", "--false-alarm 0.5"},
		"write-split":    {"--example --write-split split.csv"},
		"fail-if-leaks":  {"--example --fail-if-leaks 1.5", "--example --fail-if-leaks -1"},
		"junit":          {"--example --junit a.xml", "--example --fail-if-leaks 1 --junit a.txt"},
	},
	"surprise": {
		"predictor":        {"--predictor p.onnx", "--predictor nobody=p.onnx", "--predictor z=p.onnx --predictor z=q.onnx"},
		"decoder-pool":     {"--decoder-pool first", "--decoder-pool nobody=mean"},
		"actions":          {"--example --actions example:acton"},
		"predicted":        {"--predicted p.npy", "--predicted nobody=p.npy", "--predicted z=p.npy --predictor z=p.onnx"},
		"predicted-frames": {"--predicted-frames p.npy", "--predicted-frames z=p.npy"},
		"errors":           {"--errors e.npy", "--example --errors a=e.npy --violations-of t.csv"},
		"violations-of":    {"--violations-of t.csv"},
		"violations":       {"--violations jump", "--violations skip,skip"},
		"sizes":            {"--sizes 0", "--sizes -1", "--sizes 1,1", "--sizes 0.5"},
		"at":               {"--at 1", "--at now"},
		"draws":            {"--draws 0"},
		"horizon":          {"--horizon 0"},
		"condition":        {"--condition time"},
		"predict-by":       {"--predict-by mean"},
		"object-threshold": {"--object-threshold 0", "--object-threshold 2"},
		"object-area":      {"--object-area 0"},
	},
	"similarity": {
		"measures":       {"--measures cka,ckA", "--measures cka,cka"},
		"layers":         {"--layers =conv*", "--layers a=", "--layers a=conv1,,b=conv1"},
		"k":              {"--k 0", "--k 5,5"},
		"bandwidth":      {"--bandwidth 0", "--bandwidth nan"},
		"layer-measures": {"--layer-measures cka,ckA", "--layer-measures cka,cka"},
		"reference":      nil, // the models name it
		"stitch":         {"--stitch"},
	},
	"reconstruction": {
		"predictions":       {"--predictions p.npy", "--predictions a=x.npy --predictions a=y.npy", "--predictions copy_last=x.npy"},
		"predictions-range": {"--predictions-range 1,0", "--predictions-range wide", "--predictions-range a=0,1", "--predictions-range 0,1 --predictions-range 0,2"},
		"moving-threshold":  {"--moving-threshold 0", "--moving-threshold 1", "--moving-threshold nan", "--moving-threshold x"},
		"object-threshold":  {"--object-threshold 0", "--object-threshold 2"},
		"decoder":           {"--decoder d.onnx", "--decoder a=x.onnx --decoder a=y.onnx"},
		"predictor":         {"--predictor p.onnx", "--predictor a=p.onnx"},
		"decoder-pool":      {"--decoder-pool first"},
		"actions":           {"--actions example:action", "--actions a.npy"},
		"rollout-steps":     {"--rollout-steps 3"},
		"save-frames":       {"--save-frames --predictions true=x.npy", "--save-frames --predictions a=x.npy --predictions a_error=y.npy"},
	},
	"reward": {
		"rewards": {"--example --rewards example:rewad", "--targets a/reward=x.npy"},
		"targets": {"--targets lives", "--targets a=x.npy --targets a=y.npy", "--targets lives=example:lives", "--example --targets a=example:livs",
			"--targets reward=x.npy", "--targets a/x=x.npy --targets b/x=y.npy"},
		"predicted": {"--predicted p.npy", "--predicted nobody=p.npy", "--predicted z=p.npy --predicted z=q.npy",
			"--predicted z=p.npy --predictor z=p.onnx"},
		"predicted-rewards": {"--predicted-rewards z=p.npy", "--predicted-rewards z:guessed=p.npy", "--predicted-rewards y:true=p.npy"},
		"predictor":         {"--predictor p.onnx", "--predictor nobody=p.onnx", "--predictor z=p.onnx --predictor z=q.onnx", "--latents mean=none.npy"},
		"head":              {"--head z=p.onnx", "--head z:guessed=p.onnx", "--head y:true=p.onnx"},
		"decoder-pool":      {"--decoder-pool first", "--decoder-pool nobody=mean"},
		"actions":           {"--example --actions example:acton"},
		"rollouts":          {"--rollouts p.npy", "--rollouts nobody=p.npy", "--rollouts z=p.npy --predictor z=p.onnx"},
		"rollout-starts":    {"--rollout-starts s.npy"},
		"horizon":           {"--horizon 0"},
		"regress":           {"--regress [a"},
		"table-layout":      {"--table-layout lewm --probes ridge", "--table-layout paper"},
		"min-entropy":       {"--min-entropy -1", "--min-entropy x"},
		"probes":            {"--probes linear", "--probes ridge,ridge"},
		"alpha":             {"--alpha -1", "--alpha x"},
		"label-efficiency":  {"--label-efficiency 0", "--label-efficiency 0.1,0.1", "--label-efficiency 2"},
	},
	"generation": {
		"metrics":               {"--metrics iou", "--metrics diversity,", "--metrics diversity,precision"},
		"reconstruction":        {"--reconstruction r.npz", "--reconstruction a=x.npz --reconstruction a=y.npz"},
		"generated":             {"--generated g.json", "--generated a=x.json --generated a=y.json"},
		"predictions":           {"--predictions p.csv", "--predictions a=x.csv --predictions a=y.csv"},
		"groups":                {"--groups g.npy", "--groups nobody=g.npy"},
		"real":                  {"--example --real none.json"},
		"holdout":               {"--holdout none.json"},
		"real-latents":          {"--example --real-latents none.npz"},
		"real-predictions":      {"--example --real-predictions none.csv"},
		"label-names":           {"--example --label-names none.json"},
		"encoder":               {"--encoder e.onnx", "--encoder a=e.onnx --encoder a=f.onnx"},
		"decoder":               {"--decoder d.onnx", "--decoder a=d.onnx --decoder a=f.onnx"},
		"classifier":            {"--classifier c.onnx"},
		"grids":                 {"--grids g.npz"},
		"temperature":           {"--temperature 0", "--temperature x"},
		"threshold":             {"--threshold 1", "--threshold -0.1", "--threshold x"},
		"documented-json":       {"--documented-json x.csv", "--documented-json="},
		"output":                {"--output x.csv"},
		"data":                  {"--example --data none.json", "--generated a=x.json --real y.json --data z.json"},
		"classifier-checkpoint": {"--classifier-checkpoint c.onnx", "--generated a=x.json --classifier-checkpoint c.pth"},
		"cpu":                   nil, // yes or no
	},
	"forecast": {
		"device":          {"--device gpu"},
		"target":          {"--example --target x.npy"},
		"forecast":        {"--forecast f.npy", "--forecast a=x.npy --forecast a=y.npy", "--forecast persistence=x.npy"},
		"model":           {"--model m.onnx", "--model a=x.onnx --model a=y.onnx", "--model a=x.onnx"},
		"input":           {"--example --input x.npy"},
		"leads":           {"--example --leads x.npy"},
		"groups":          {"--example --groups x.npy"},
		"weights":         {"--example --weights w.npy"},
		"lat":             nil, // a file
		"regions":         {"--regions r.npy", "--regions all=r.npy", "--regions a=x.npy --regions a=y.npy"},
		"climatology":     nil, // a file, or target
		"variables":       {"--variables a,,b", "--variables a,a"},
		"input-variables": {"--input-variables a"},
		"units":           {"--units m,,K", "--variables a,b --units K"},
		"lead-unit":       {"--lead-unit h"},
		"skip-members":    {"--skip-members"},
		"event-rule":      {"--event-rule over", "--event-rule above"},
		"variogram-p":     {"--variogram-p 0", "--variogram-p -1", "--variogram-p nan"},
		"max-distance":    {"--max-distance -1", "--max-distance x"},
		"thresholds":      {"--thresholds x", "--thresholds 1,1", "--thresholds inf"},
		"event-quantiles": {"--event-quantiles 0", "--event-quantiles 1.5", "--event-quantiles 0.9,0.9"},
		"fss-windows":     {"--thresholds 1 --fss-windows 0", "--thresholds 1 --fss-windows 3,3", "--fss-windows 3"},
		"quantiles":       {"--quantiles 1", "--quantiles 0.1,0.1", "--quantiles nan"},
		"intervals":       {"--intervals 0", "--intervals 0.5,0.5", "--intervals x"},
		"documented-json": {"--documented-json="},
		"save-results":    {"--save-results x.txt", "--save-results a.json --documented-json b.json"},
	},
	"sequence": {
		"dump":             {"--dump d.npz", "--dump d=other.npz", "--dump /x=d.npz", "--dump a/=d.npz", "--dump a/b/c=d.npz", "--dump d/late=e.npz --sequences late=s.csv"},
		"positions":        {"--positions p.csv", "--positions d=p.csv"},
		"model":            {"--model m.onnx", "--model d=m.onnx --sequences s.csv", "--model a=m.onnx", "--model a/x=m.onnx --sequences s.csv"},
		"sequences":        {"--sequences =s.csv", "--sequences a=x.csv --sequences a=y.csv", "--sequences a/b=x.csv", "--example --sequences x.csv"},
		"substitutions":    {"--substitutions s.csv", "--substitutions a=x.csv --substitutions a=y.csv", "--substitutions a/x=s.csv", "--substitutions a/=s.csv", "--example --substitutions a=x.csv"},
		"vocabulary":       nil, // any file
		"columns":          {"--columns heavy", "--columns heavi=x", "--columns heavy=x,heavy=y"},
		"inputs":           {"--inputs ids=x", "--inputs tokens"},
		"outputs":          {"--outputs scores=x", "--outputs logits="},
		"metrics":          {"--metrics acuracy", "--metrics masked_accuracy,"},
		"set":              {"--set depth=3", "--set masked_accuracy.depth=3", "--set masked_accuracy.depth", "--set probe.depth=3"},
		"mask":             {"--mask all"},
		"mask-rate":        {"--mask-rate 0", "--mask-rate 1.5", "--mask-rate x"},
		"mask-cdr":         {"--mask-cdr -1"},
		"mask-nongermline": {"--mask-nongermline -1", "--mask-nongermline inf"},
		"regions":          {"--regions cdr3", "--regions heavy,heavy"},
		"mask-plan":        {"--mask-plan p.npy", "--mask-plan p.npz"},
		"documented-json":  {"--documented-json=", "--documented-json x.txt"},
		"residues":         {"--residues lower", "--residues upper,upper"},
	},
	"canvas": {
		"base-dir":                   {"--example --base-dir x", "--base-dir= --task t --variant v"},
		"task":                       {"--task t", "--example --task t", "--task a/b --variant v", "--task .. --variant v"},
		"variant":                    {"--example --variant v", "--variant v"},
		"model":                      {"--model gpt", "--example --model gpt=x.onnx", "--example --model a,,b"},
		"ids":                        {"--ids gid1-1", "--example --ids ..", "--example --ids gid9-1..gid1-1", "--example --ids gid[1", "--example --ids a,,b"},
		"snapshots":                  {"--snapshots"},
		"eval-snapshots":             {"--eval-snapshots"},
		"reference-json":             {"--example --reference-json x.json"},
		"reference-node":             nil, // any node
		"generated-node":             nil, // any node
		"reference-image":            {"--reference-image x.png", "--example --reference-image x.png"},
		"generated-json":             {"--example --generated-json x.json"},
		"generated-image":            {"--example --generated-image x.png"},
		"trace":                      {"--example --trace x.json"},
		"expected-trace":             {"--expected-trace x.json"},
		"ratings":                    nil, // any file
		"metrics":                    {"--metrics pixels", "--metrics ssim,"},
		"resume":                     {"--resume"},
		"skip-all":                   {"--skip-all"},
		"alignment-tolerance":        {"--alignment-tolerance -1", "--alignment-tolerance x"},
		"alpha":                      {"--alpha black"},
		"ssim":                       {"--ssim box"},
		"perceptual-model":           nil, // any file
		"perceptual-scale":           {"--example --perceptual-scale raw", "--perceptual-scale wide"},
		"sentence-model":             {"--sentence-model a.onnx", "--sentence-model a.onnx --tokenizer t --embeddings-reference a --embeddings-generated b"},
		"tokenizer":                  {"--tokenizer t.json"},
		"sentence-pool":              {"--sentence-pool max"},
		"captioner":                  {"--captioner d"},
		"precompute-semantic":        {"--precompute-semantic"},
		"precompute-blip":            {"--precompute-blip"},
		"vision-model":               {"--vision-model a.onnx --image-embeddings-reference a --image-embeddings-generated b"},
		"vision-preprocessor":        {"--vision-preprocessor p.json"},
		"vision-size":                {"--vision-size -1", "--vision-size 224", "--vision-model a.onnx --vision-size 99999"},
		"vision-normalize":           {"--vision-normalize bert"},
		"vision-mean":                {"--vision-mean 1,2", "--vision-model a.onnx --vision-mean 127"},
		"vision-std":                 {"--vision-std x", "--vision-model a.onnx --vision-std 0"},
		"vision-pool":                {"--vision-pool max"},
		"captions":                   nil, // any file
		"embeddings-reference":       {"--embeddings-reference a.npy"},
		"embeddings-generated":       {"--embeddings-generated a.npy"},
		"embeddings-ids":             {"--embeddings-ids a.csv"},
		"image-embeddings-reference": {"--image-embeddings-reference a.npy"},
		"image-embeddings-generated": {"--image-embeddings-generated a.npy"},
		"fixations":                  {"--fixations top:0", "--fixations top:x", "--fixations {case}.csv"},
		"saliency-reference":         {"--saliency-reference {nobody}.png"},
		"saliency-generated":         {"--saliency-generated {nobody}.png"},
		"saliency-model":             nil, // any file
		"saliency-size":              {"--saliency-model m.onnx --saliency-size 0", "--saliency-model m.onnx --saliency-size x"},
		"saliency-channels":          {"--saliency-channels gbr"},
		"saliency-kl":                {"--saliency-kl none"},
		"saliency-mean":              {"--saliency-model m.onnx --saliency-mean x"},
		"saliency-std":               {"--saliency-model m.onnx --saliency-std 0"},
		"saliency-scale":             {"--saliency-model m.onnx --saliency-scale 0"},
		"text-similarity":            {"--text-similarity exact"},
	},
	"compare": {
		"results":       {"--results =x.json", "--results a@=x.json"},
		"task":          nil, // any text
		"columns":       {"--columns seed", "--columns group=g", "--columns model=a,model=b", "--columns =a"},
		"wide":          {"--wide rows", "--wide models --columns score=s"},
		"names":         {"--names =b", "--names a,,b"},
		"fixed":         {"--fixed a,,b"},
		"metrics":       {"--metrics mse,,mae"},
		"higher":        {"--higher mse --lower mse"},
		"lower":         {"--lower ,"},
		"orient":        {"--orient rows"},
		"table":         {"--table a.xls", "--table a.csv,a.csv"},
		"save-table":    {"--save-table a.csv --table a.csv"},
		"figure":        {"--figure a.jpg", "--figure a.png,a.png"},
		"plot":          {"--plot a"},
		"save-plot":     {"--save-plot a.png --plot a.png"},
		"fail-if-worse": {"--fail-if-worse mse", "--fail-if-worse >5", "--fail-if-worse mse>x", "--fail-if-worse mse>-1"},
		"junit":         {"--junit a.xml", "--junit a.json --fail-if-worse mse>5"},
		"scale":         nil, // read with the results
		"interval":      {"--interval t"},
		"losses":        {"--losses a.csv", "--losses =a.csv", "--losses a:=a.csv"},
		"loss-columns":  {"--loss-columns val_loss"},
		"select":        nil, // any text
	},
	"validate": {
		"outcome":         {"--outcome y --outcome-se y", "--example --outcome y"},
		"outcome-se":      {"--outcome-halves a,b --outcome-se s", "--outcome s --outcome-se s"},
		"outcome-halves":  {"--outcome-halves a", "--outcome-halves a,a", "--outcome-halves a,b --outcome-se s --outcome y"},
		"run":             {"--outcome y --run y"},
		"after":           {"--outcome y --after y"},
		"validation-loss": {"--outcome y --validation-loss y"},
		"numbers":         {"--outcome y --numbers a,,b"},
		"higher":          {"--outcome y --higher x --lower x"},
		"lower":           {"--outcome y --lower ,"},
		"permutations":    {"--outcome y --permutations -1", "--outcome y --permutations 5"},
	},
	"evaluate": {
		"only": {"--only [", "--only a,,b"},
		"skip": {"--skip [a"},
		"sort": {"--sort r2", "--sort .r2", "--sort reward."},
	},
	"scale": { // --example keeps merge and its shard away
		"shards":    {"plan --shards x -- manifold --example"},
		"within":    {"plan --within soon -- manifold --example", "plan --within 0s -- manifold --example"},
		"max-tasks": {"plan --max-tasks 0 -- manifold --example"},
		"cpus":      {"plan --cpus -1 -- manifold --example"},
		"poll":      {"slurm --poll never -- manifold --example"},
		"sbatch":    {"slurm --sbatch long -- manifold --example"},
		"at-most":   {"slurm --at-most -1 -- manifold --example"},
		"max-array": {"slurm --max-array -1 -- manifold --example"},
		"retries":   {"k8s --image i --claim c --retries -1 -- manifold --example"},
		"image":     {"k8s --claim c -- manifold --example"},
		"claim":     {"k8s --image i -- manifold --example"},
		"mount":     {"k8s --image i --claim c --mount data -- manifold --example"},
		"index":     {"task --index x --example"},
		"offset":    {"task --offset x --example"},
		"submit":    nil, "follow": nil, "resubmit": nil, // yes or no
		"rates": nil, "program": nil, "namespace": nil, // any text
	},
	"encode": {
		"to":     {"--to nyp", "--to npy --output {model}.npz"},
		"output": {"--output {model}", "--output {model}.txt", "--output a/{model}.npy", "--output .{model}.npy", "--output \u202e.npy"},
	},
}

// sharedWrong are wrong values of flags that all commands share, separated by bars.
var sharedWrong = []string{
	"--out=", "--out|a|--out|b", "--frames|other.npy", "--seed|-1", "--seed|x", "--threads|-1", "--batch|0", "--samples|-1", "--window|-1", "--layout|HX",
	"--pixel-range|foo", "--pixel-range|5,1", "--std|0", "--std|1|--std|2", "--mean|x", "--mean|1|--mean|2", "--resize|3", "--input-scale|one", "--pool|first", "--input|h0", "--input|h0=", "--input|nobody=h0=zeros", "--input|h0=0|--input|h0=1",
	"--pool|nobody=mean", "--device|tpu2", "--precision|fp7", "--config|missing.yaml", "--json=maybe", "--shard|x", "--shard|3/3", "--shard|-1/2", "--shard|1", "--shard|0/2|--json", "--model|x.onnx", "--model|a=x|--model|a=y", "--baseline|pac", "stray",
}

// missing are files that are not there: whoever opened one would exit with 1.
func missing(e Entry) string {
	switch e.Name {
	case "compare":
		return "none.json"
	case "validate":
		return "none.csv --outcome y"
	case "evaluate":
		return "none.yaml"
	case "scale":
		return "merge none.shard"
	case "audit":
		return "--frames none.npy --split none.npy"
	case "generation":
		return "--latents z=none.npz"
	case "sequence":
		return "--dump d=none.npz"
	case "canvas":
		return "--reference-json none.json --generated-json none.json"
	case "robustness", "encode":
		return "--frames none.npy --model m=none.onnx"
	case "forecast":
		return "--target none.npy --forecast f=none.npy"
	case "reward":
		return "--frames none.npy --latents z=none.npy --rewards none.npy"
	}
	return "--frames none.npy --latents z=none.npy"
}

func TestOwnFlagsAreCheckedFirst(t *testing.T) {
	runtest.Long(t, "it runs every program many times")
	t.Parallel()
	for _, e := range All() {
		declared := refuseDeclared(t, e)
		for _, name := range ownFlags(e.Command) {
			tests, ok := wrongValues[e.Name][name]
			if !ok && len(declared[name]) == 0 {
				t.Errorf("%s: nothing is said of --%s", e.Name, name)
			}
			for _, args := range tests {
				all := missing(e) + " " + args
				if strings.Contains(args, "--example") {
					all = args
				}
				var stdout, stderr bytes.Buffer
				code := run.Run(t.Context(), e.Command, append(strings.Fields(all), "--out", filepath.Join(t.TempDir(), "out")), &stdout, &stderr)
				if code != 2 || strings.Contains(stderr.String(), "none.") {
					t.Errorf("%s %s: exit %d, want 2: %s", e.Name, args, code, stderr.String())
				}
			}
		}
		for _, args := range sharedWrong {
			if (e.Arguments != "" || e.Commands != nil) && (args == "stray" || args == "--baseline|pac") {
				continue // an argument, and the name of a model
			}
			if e.Name == "forecast" && strings.HasPrefix(args, "--input|") {
				continue // an array of its own
			}
			var stdout, stderr bytes.Buffer
			code := run.Run(t.Context(), e.Command, strings.Split(strings.ReplaceAll(missing(e), " ", "|")+"|"+args, "|"), &stdout, &stderr)
			if code != 2 || strings.Contains(stderr.String(), "none.npy: no such file") || stdout.Len() > 0 {
				t.Errorf("%s %s: exit %d, want 2: %s", e.Name, args, code, stderr.String())
			}
		}
		var stdout, stderr bytes.Buffer
		if code := run.Run(t.Context(), e.Command, strings.Fields(missing(e)+" --out "+t.TempDir()), &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "none.") {
			t.Errorf("%s with files that are missing: exit %d, want 1: %s", e.Name, code, stderr.String())
		}
	}
}

// refuseDeclared gives a command, or each of its commands, the values that its declared flags refuse, and returns these.
func refuseDeclared(t *testing.T, e Entry) map[string][]string {
	t.Helper()
	before := strings.Fields(missing(e))
	commands := e.Commands
	if commands == nil {
		commands = []run.Command{e.Command}
	}
	for _, c := range commands {
		if e.Commands != nil {
			before = []string{c.Name}
		}
		for name, values := range run.WrongValues(c) {
			for _, value := range values {
				var stdout, stderr bytes.Buffer
				args := append(slices.Clone(before), "--"+name+"="+value, "--out", filepath.Join(t.TempDir(), "out"))
				if slices.Contains(c.Omit, "out") || c.Name == "task" {
					args = args[:len(args)-2]
				}
				if slices.Contains(c.Omit, name) {
					continue
				}
				code := run.Run(t.Context(), e.Command, args, &stdout, &stderr)
				if code != 2 || !strings.Contains(stderr.String(), "--"+name) || strings.Contains(stderr.String(), "none.") {
					t.Errorf("%s --%s=%s: exit %d, want 2 with the flag: %s", c.Name, name, value, code, stderr.String())
				}
			}
		}
	}
	return run.WrongValues(e.Command)
}

// ownFlags are the flags of a command that are not those of every command over
// states.
func ownFlags(c run.Command) []string {
	shared := run.FlagNames(run.Command{Name: "bare", Out: "out", Methods: func(*methods.Draft) {}, Setup: func(flags *run.Flags) run.Job {
		input.Register(flags, input.Needs{})
		return run.Job{Plan: func(context.Context, *run.Env) error { return nil }, Divides: true}
	}})
	var own []string
	for _, name := range run.FlagNames(c) {
		if !strings.Contains(" "+strings.Join(shared, " ")+" ", " "+name+" ") {
			own = append(own, name)
		}
	}
	return own
}
