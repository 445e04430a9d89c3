// The check of the tidy CSV files against the result file, which it reads by itself.

package runtest

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func tidy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: tidy FOLDER/ANALYSIS…")
	}
	for _, name := range args {
		ts.Check(checkTidy(ts.MkAbs(name)))
	}
}

// checkTidy returns an error unless name_metrics.csv has a row of its own for every model, metric and parameter, all
// intervals of name.json and no others, and its numbers, and name_comparisons.csv a row for each comparison.
func checkTidy(name string) error {
	data, err := os.ReadFile(name + ".json")
	if err != nil {
		return err
	}
	var result struct {
		Models      map[string]any
		Comparisons []any
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	if err := decoder.Decode(&result); err != nil {
		return err
	}
	rows, err := readTable(name + "_metrics.csv")
	if err != nil {
		return err
	}
	seen := map[[3]string]bool{}
	intervals, numbers := map[string][]string{}, map[string]map[string]bool{}
	for _, row := range rows {
		key := [3]string{row["Model"], row["Metric"], row["Parameter"]}
		if seen[key] {
			return fmt.Errorf("%s_metrics.csv: two rows of %v", name, key)
		}
		seen[key] = true
		model := row["Model"]
		if numbers[model] == nil {
			numbers[model] = map[string]bool{}
		}
		if row["Low"] != "" {
			intervals[model] = append(intervals[model], row["Low"]+" "+row["High"])
		}
		if row["Estimate"] == "" && row["Reason"] == "" {
			return fmt.Errorf("%s_metrics.csv: %v is undefined without a reason", name, key)
		}
		numbers[model][row["Estimate"]], numbers[model][row["Std_Error"]] = true, true
		for part := range strings.SplitSeq(row["Parameter"], ";") {
			_, value, _ := strings.Cut(part, "=")
			numbers[model][value] = true
		}
	}
	for model, part := range result.Models {
		var want []string
		var missing []string
		visit(part, func(low, high string) { want = append(want, low+" "+high) }, func(number string) {
			if !numbers[model][number] {
				missing = append(missing, number)
			}
		})
		slices.Sort(want)
		slices.Sort(intervals[model])
		if !slices.Equal(want, intervals[model]) {
			return fmt.Errorf("%s_metrics.csv: the intervals of %s are %v, in the result %v",
				name, model, intervals[model], want)
		}
		if len(missing) > 0 {
			return fmt.Errorf("%s_metrics.csv lacks the numbers %v of %s", name, missing, model)
		}
	}
	comparisons, err := readTable(name + "_comparisons.csv")
	if err == nil && len(comparisons) != len(result.Comparisons) {
		err = fmt.Errorf("%s_comparisons.csv has %d rows for %d comparisons", name, len(comparisons), len(result.Comparisons))
	}
	return err
}

// visit calls interval (for keys that end in _ci) and number for the values of a result, except in lists.
func visit(value any, interval func(low, high string), number func(string)) {
	switch v := value.(type) {
	case json.Number:
		number(v.String())
	case []any:
		for _, item := range v {
			if _, scalar := item.(json.Number); !scalar {
				visit(item, interval, number)
			}
		}
	case map[string]any:
		for key, item := range v {
			ends, ok := item.([]any)
			if !ok || !strings.HasSuffix(key, "_ci") {
				visit(item, interval, number)
				continue
			}
			text := [2]string{"-inf", "inf"}
			for i, end := range ends {
				if n, ok := end.(json.Number); ok {
					text[i] = n.String()
				}
			}
			interval(text[0], text[1])
		}
	}
}

// readTable reads a CSV file as a map for each row.
func readTable(path string) ([]map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, fmt.Errorf("%s: %d rows, %v", path, len(records), err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, column := range records[0] {
			row[column] = record[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}
