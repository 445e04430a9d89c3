// The rules that problems follow, and the defects of the models, counted one by one.

package boards

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"testing"
)

// The example is the same on every machine.
func TestExampleIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	e := Example()
	hash := sha256.New()
	for _, s := range []*Set{&e.Train, &e.HeldOut} {
		hash.Write(s.Cells)
	}
	for _, m := range e.Models {
		hash.Write(m.Generated.Cells)
		for _, label := range m.Predicted {
			hash.Write([]byte{byte(label)})
		}
	}
	const want = "e344dd3fb05718dd"
	if got := hex.EncodeToString(hash.Sum(nil)[:8]); got != want {
		t.Errorf("problems and predictions have the hash %s, want %s", got, want)
	}
}

// counts are the holds of a problem by channel.
func counts(p []uint8) (n [Channels]int) {
	for k, v := range p {
		n[k/(Rows*Columns)] += int(v)
	}
	return n
}

func TestProblemsFollowTheRule(t *testing.T) {
	t.Parallel()
	e := Example()
	mean := make([]float64, len(Grades))
	for _, s := range []*Set{&e.Train, &e.HeldOut, &e.Models[0].Generated} {
		if s.Len() != PerGrade*len(Grades) || len(s.Cells) != s.Len()*Cells {
			t.Fatalf("%d problems of %d cells", s.Len(), len(s.Cells))
		}
		for i := range s.Len() {
			n := counts(s.Problem(i))
			if n[start] < 1 || n[start] > 2 || n[end] < 1 || n[end] > 2 || n[middle] < 3 {
				t.Errorf("problem %d has %v holds to start, between and to end", i, n)
			}
			for k := range Rows * Columns {
				if p := s.Problem(i); p[k]+p[Rows*Columns+k]+p[2*Rows*Columns+k] > 1 {
					t.Errorf("problem %d has a hold in two channels", i)
				}
				if s.Problem(i)[k] == 1 && k/Columns > 6 {
					t.Errorf("problem %d starts in row %d", i, k/Columns+1)
				}
			}
			mean[s.grade[i]] += float64(n[middle])
			if s.Label[i] != FirstLabel+s.grade[i] {
				t.Errorf("problem %d of grade %d has the label %d", i, s.grade[i], s.Label[i])
			}
		}
	}
	for g := 1; g < len(mean); g++ {
		if mean[g] >= mean[g-1] {
			t.Errorf("%s has no fewer holds than %s", Grades[g], Grades[g-1])
		}
	}
}

// Every model has its own defect, by a plain count, and no other has it.
func TestDefects(t *testing.T) {
	t.Parallel()
	e := Example()
	grades := map[string]bool{}
	for i := range e.Train.Len() {
		grades[string(e.Train.Problem(i))] = true
	}
	for _, m := range e.Models {
		g := &m.Generated
		distinct, copied, valid, asked, holds := map[string]bool{}, 0, 0, 0, 0
		for i := range g.Len() {
			p := g.Problem(i)
			distinct[string(p)] = true
			if grades[string(p)] {
				copied++
			}
			n := counts(p)
			if n[start] > 0 && n[middle] > 2 && n[end] > 0 {
				valid++
			}
			if g.Label[i] == FirstLabel+g.grade[i] {
				asked++
			}
			holds += n[start] + n[middle] + n[end]
		}
		for _, c := range []struct {
			what  string
			has   bool
			owner string
		}{
			{"few distinct problems", len(distinct) < g.Len()/5, Collapsed},
			{"copies of the training set", copied > 0, Copying},
			{"invalid problems", valid < g.Len(), Invalid},
			{"problems of other grades", asked < g.Len(), Unconditioned},
			{"too many holds", float64(holds)/float64(g.Len()) > 10, Shifted},
			{"blurred reconstructions", iou(e.HeldOut.Cells, m.Reconstructed) < 0.6, Blurred},
			{"grades that are close to each other", apart(e.HeldOut.grade, m.Latents) < 1, Tangled},
		} {
			if c.has != (m.Name == c.owner) {
				t.Errorf("%s: %s: %v", m.Name, c.what, c.has)
			}
		}
	}
}

// iou is the mean intersection over union of whole grids.
func iou(truth []uint8, p []float32) float64 {
	sum := 0.
	for i := 0; i < len(truth); i += Cells {
		both, either := 0., 0.
		for k := i; k < i+Cells; k++ {
			a, b := truth[k] == 1, p[k] > 0.5
			if a && b {
				both++
			}
			if a || b {
				either++
			}
		}
		sum += both / either
	}
	return sum / float64(len(truth)/Cells)
}

// apart is the mean distance of the centroids of grades that follow each other.
func apart(grade []int, z []float64) float64 {
	centroid := make([][LatentDim]float64, len(Grades))
	for i, g := range grade {
		for d := range LatentDim {
			centroid[g][d] += z[i*LatentDim+d] / PerGrade
		}
	}
	sum := 0.
	for g := 1; g < len(Grades); g++ {
		d2 := 0.
		for d := range LatentDim {
			d2 += math.Pow(centroid[g][d]-centroid[g-1][d], 2)
		}
		sum += math.Sqrt(d2)
	}
	return sum / float64(len(Grades)-1)
}

// The classifier confuses as often as it says.
func TestClassifierHasItsConfusion(t *testing.T) {
	t.Parallel()
	grades := slices.Repeat([]int{2}, 20_000)
	exact, near := 0, 0
	for _, p := range classify(random(99), grades) {
		switch d := p - FirstLabel - 2; d {
		case 0:
			exact++
		case -1, 1:
			near++
		}
	}
	// 8 % are any of the six grades
	for _, c := range []struct {
		got  int
		want float64
	}{{exact, 0.62 + 0.08/6}, {near, 0.30 + 0.08/3}} {
		if got := float64(c.got) / 20_000; math.Abs(got-c.want) > 4*math.Sqrt(c.want*(1-c.want)/20_000) {
			t.Errorf("share %g, want %g", got, c.want)
		}
	}
}
