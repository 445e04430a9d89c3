// Fuzzing of arguments and of small files.

package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Arguments are taken apart without loss, and a bound is a metric and a share from 0.
func FuzzSpec(f *testing.F) {
	for _, s := range []string{"pong@1=a.json", "@2=b", "a=b=c", "a@=b", "=x", "runs/a.json", "mse>5", "mse > 5 %", ">1", "a>b>2", "n:loss=log.csv", "n=epoch=1-step=100.ckpt"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseSpec(text); err == nil {
			whole := s.Path
			if s.Task != "" || s.Run != "" {
				whole = s.Task + "=" + s.Path
				if s.Run != "" {
					whole = s.Task + "@" + s.Run + "=" + s.Path
				}
			}
			if whole != text {
				t.Errorf("%q is %+v", text, s)
			}
		}
		if s, err := ParseLossSpec(text); err == nil {
			whole := s.Name + "=" + s.Path
			if s.Column != "" {
				whole = s.Name + ":" + s.Column + "=" + s.Path
			}
			if whole != text {
				t.Errorf("%q is %+v", text, s)
			}
		}
		if metric, percent, err := parseBound(text); err == nil && (!(percent >= 0) || percent > 1e308 || !strings.HasPrefix(strings.TrimSpace(text), metric)) {
			t.Errorf("%q is %q and %v", text, metric, percent)
		}
	})
}

// A table of scales has finite ends, or an error that names the file.
func FuzzReadScale(f *testing.F) {
	for _, s := range []string{"task,worst,best\npong,-20.7,14.6\n", "Task,metric,Worst,Best\na,mse,1,0\n", "task,worst,best\n", "", "task,worst\n", "task,worst,best\na,nan,1\n", "\"", "\ufefftask,worst,best\na,0,1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "scale.csv")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		scales, err := ReadScale(path)
		if err != nil {
			if !strings.Contains(err.Error(), "scale.csv") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for _, s := range scales {
			if s.Worst-s.Worst != 0 || s.Best-s.Best != 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}
