// Data frames of runs as the manual of Weights & Biases saves them with to_csv.

package tracker

import (
	"slices"
	"strings"
	"testing"

	"repscope/internal/tabular"
)

const summariesText = `,summary,config,name
0,"{'loss': 0.25, 'acc': 1, '_step': 9, '_wandb': {'runtime': 5}, 'val': {'auc': 0.75}, 'note': ""it's"", 'bad': nan, 'tab': {'_type': 'table-file', 'ncols': 3}, 'l': [1, 2]}","{'lr': 0.001, 'opt': 'adam', 'net': {'width': 64}}",sweet-1
1,"{""loss"": 0.35, ""ok"": true, ""bad"": null, ""inf"": ""Infinity""}","{'lr': 0.01, 'opt': None}",wild-2
2,"{'loss': np.float64(0.5), 'acc': -inf}",{},wild-2
`

func summaries(text string, asked ...string) (*Project, error) {
	rows, names, err := tabular.Open("runs.csv", strings.NewReader(text), tabular.Options{})
	if err != nil || !IsSummaries(names) {
		return nil, err
	}
	return ReadSummaries(rows, names, asked)
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	p, err := summaries(summariesText, SummaryName)
	if err != nil {
		t.Fatal(err)
	}
	want := "name,acc,bad,loss,val.auc,inf,ok\nsweet-1,1,NaN,0.25,0.75,,\nwild-2,,,0.35,,+Inf,true\nwild-2,-Inf,,0.5,,,\n"
	if string(p.Text) != want || p.Runs != 3 || !slices.Equal(p.Config, []string{"config.lr", "config.net.width", "config.opt"}) {
		t.Errorf("%s, %+v", p.Text, p)
	}
	p, err = summaries(summariesText, "config.opt", "config.net.width")
	if err != nil || !strings.HasPrefix(string(p.Text), "config.opt,config.net.width,acc,bad,loss,val.auc,inf,ok\nadam,64,1,") {
		t.Errorf("%s, %v", p.Text, err)
	}
	for text, want := range map[string]string{
		"summary,config,name\n[1],{},a\n":           "line 2: the column summary holds \"[1]\", want a dict such as {'loss': 0.5}: it is a tuple",
		"summary,config,name\n{'a': 1},\"{'b\",a\n": "line 2: the column config holds \"{'b\", want a dict such as {'loss': 0.5}: a string without a closing quote",
	} {
		if _, err := summaries(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
