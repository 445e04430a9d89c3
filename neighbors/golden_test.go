// Scores against scikit-learn; see testdata/README.md.

package neighbors

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"repscope/points"
)

type goldenPoints struct {
	Dim  int       `json:"dim"`
	Data []float64 `json:"data"`
}

type goldenCase struct {
	Name            string       `json:"name"`
	N               int          `json:"n"`
	Ks              []int        `json:"ks"`
	Trustworthiness []float64    `json:"trustworthiness"`
	Continuity      []float64    `json:"continuity"`
	QNX             []float64    `json:"q_nx"`
	RNX             []float64    `json:"r_nx"`
	MRREFalse       []float64    `json:"mrre_false"`
	MRREMissing     []float64    `json:"mrre_missing"`
	AUC             float64      `json:"auc_r_nx"`
	KStar           int          `json:"k_star"`
	QLocal          float64      `json:"q_local"`
	QGlobal         float64      `json:"q_global"`
	O               goldenPoints `json:"original"`
	E               goldenPoints `json:"embedded"`
}

func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range golden.Cases {
		original := points.Float64(c.O.Data, c.O.Dim)
		embedded := points.Float64(c.E.Data, c.E.Dim)
		if c.Name == "uint8" {
			data := make([]uint8, len(c.O.Data))
			for i, v := range c.O.Data {
				data[i] = uint8(v)
			}
			original = points.Uint8(data, c.O.Dim)
		}
		result, err := Compare(context.Background(), original, []points.Points{embedded}, Options{Ks: c.Ks, Ties: TiesIndex})
		if err != nil {
			t.Fatal(err)
		}
		const tolerance = 1e-12
		for q, k := range c.Ks {
			got := result[0].ByK[q]
			where := fmt.Sprintf("%s, k=%d: ", c.Name, k)
			near(t, where+"trustworthiness", got.Trustworthiness, c.Trustworthiness[q], tolerance)
			near(t, where+"continuity", got.Continuity, c.Continuity[q], tolerance)
			near(t, where+"Q_NX", got.QNX, c.QNX[q], tolerance)
			near(t, where+"R_NX", got.RNX, c.RNX[q], tolerance)
			near(t, where+"false MRRE", got.MRREFalse, c.MRREFalse[q], tolerance)
			near(t, where+"missing MRRE", got.MRREMissing, c.MRREMissing[q], tolerance)
		}
		curves := result[0].Curves
		near(t, c.Name+": AUC", curves.AUCRNX, c.AUC, tolerance)
		near(t, c.Name+": q_local", curves.QLocal, c.QLocal, tolerance)
		near(t, c.Name+": q_global", curves.QGlobal, c.QGlobal, tolerance)
		if curves.KStar != c.KStar {
			t.Errorf("%s: K* = %d, want %d", c.Name, curves.KStar, c.KStar)
		}
	}
}
