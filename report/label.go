// Paths of numbers as readers see them.

package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PathParts splits the path of a number into its steps and its bracketed row selectors, for display.
type PathParts struct {
	Steps      []string // without the lists whose rows are named, except before an id, which says nothing by itself
	Rows       []string // "k = 10"
	Key        string   // of the last row that is a number
	Value      float64
	Group      string // the path without that number
	Parametric bool   // there is such a row
}

// SplitPath takes a path apart: by_k[k=10].trustworthiness is trustworthiness (k = 10).
func SplitPath(path string) PathParts {
	p := PathParts{Group: path}
	rest := path
	for rest != "" {
		i := strings.IndexAny(rest, ".[")
		if i < 0 {
			p.Steps = append(p.Steps, rest)
			break
		}
		step := rest[:i]
		if rest[i] == '.' {
			if step != "" {
				p.Steps = append(p.Steps, step)
			}
			rest = rest[i+1:]
			continue
		}
		inside, after, _ := strings.Cut(rest[i+1:], "]")
		if after == "" || after == ".id" { // no later step names the number
			p.Steps = append(p.Steps, step)
		}
		before := path[:len(path)-len(rest)+i]
		for row := range strings.SplitSeq(inside, ";") {
			key, value, named := strings.Cut(row, "=")
			switch number, err := strconv.ParseFloat(value, 64); {
			case !named:
				p.Rows = append(p.Rows, "row "+row)
			case key == "name" || key == "source":
				p.Rows = append(p.Rows, value)
			default:
				p.Rows = append(p.Rows, Words(key)+" = "+value)
				if err == nil && inside == row {
					p.Key, p.Value, p.Parametric = key, number, true
					p.Group = before + "[" + key + "]" + after
				}
			}
		}
		rest = strings.TrimPrefix(after, ".")
	}
	return p
}

// Words are a name as a text has it: underscores are spaces.
func Words(text string) string { return strings.ReplaceAll(text, "_", " ") }

// Name is the metric in words: its steps and, in brackets, its rows.
func (p PathParts) Name(rows bool) string {
	text := Words(strings.Join(p.Steps, " "))
	if rows && len(p.Rows) > 0 {
		text += " (" + strings.Join(p.Rows, ", ") + ")"
	}
	return text
}

// Label is a path in words.
func Label(path string) string { return SplitPath(path).Name(true) }

// symbols are words of labels that have a spelling of their own.
var symbols = func() map[string]string {
	out := map[string]string{"frechet": "Fréchet", "rankme": "RankMe", "corp": "CORP", "jaccard": "Jaccard",
		"judd": "Judd", "borji": "Borji", "gride": "Gride", "id": "ID",
		"vendi": "Vendi", "brier": "Brier", "spearman": "Spearman", "twcrps": "twCRPS", "vrmse": "VRMSE", "r2": "R²", "tau": "τ"}
	for _, word := range strings.Fields("mse rmse mae nmse nrmse psnr ssim crps fss nmi ami ari auc auroc roc kid mmd iou bleu cer gmsd lcs cdr mlp pca " +
		"mle cka rsa lcmc mrre ece nll pod pofd far csi ets hss sedi cc kl nss sim aa") {
		out[word] = strings.ToUpper(word)
	}
	return out
}()

// terms are names of several words that have a spelling of their own.
var terms = []struct{ words, term string }{
	{"r squared", "R²"}, {"auc r nx", "AUC R_NX"}, {"r nx", "R_NX"}, {"q nx", "Q_NX"}, {"two nn", "Two-NN"}, {"theil sen",
		"Theil–Sen"},
	{"ms ssim", "MS-SSIM"}, {"p at l", "P@L"}, {"lb mle", "Levina–Bickel"},
}

// Title is a path as a table of a paper has it: in words, with a capital and the usual
// spelling of terms: by_k[k=10].r_nx is "R_NX (k = 10)", two_nn.mle "Two-NN MLE", probes.mse "Probes MSE".
func Title(path string) string {
	label := " " + Label(path)
	for _, t := range terms {
		if i := strings.Index(label, " "+t.words); i >= 0 && !inWord(label[i+1+len(t.words):]) {
			label = label[:i+1] + t.term + label[i+1+len(t.words):]
		}
	}
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(label, func(r rune) bool { return r == ' ' }) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		lead, core := "", word
		if rest, ok := strings.CutPrefix(core, "("); ok {
			lead, core = "(", rest
		}
		name, tail := core, ""
		if i := strings.IndexAny(core, ",)"); i >= 0 {
			name, tail = core[:i], core[i:]
		}
		if symbol, ok := symbols[name]; ok {
			name = symbol
		}
		b.WriteString(lead + name + tail)
	}
	title := b.String()
	if first, size := utf8.DecodeRuneInString(title); unicode.IsLower(first) && size == 1 && len(title) > 1 {
		title = string(unicode.ToUpper(first)) + title[size:]
	}
	return title
}

// inWord reports whether a text begins within a word.
func inWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
