// Command zzsim is temporary.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sort"

	"repscope/measure/probe"
	"repscope/measure/score"
	"repscope/points"
	"repscope/stat"
)

type cell struct{ est, lo, hi []float64 }

func main() {
	draws := flag.Int("draws", 60, "")
	design := flag.String("design", "icc12", "")
	flag.Parse()
	cells := map[string]*cell{}
	add := func(name string, e, lo, hi float64) {
		if cells[name] == nil {
			cells[name] = &cell{}
		}
		c := cells[name]
		c.est, c.lo, c.hi = append(c.est, e), append(c.lo, lo), append(c.hi, hi)
	}
	for d := range *draws {
		r := rand.New(rand.NewPCG(uint64(d)+1, 77))
		g, sigma, icc, ar := 12, 1.0, .3, .6
		switch *design {
		case "icc8":
			g, sigma = 8, .6
		case "ar":
			g, sigma, icc, ar = 12, 0, 0, .9
		case "g20":
			g, sigma, icc, ar = 20, .5, .2, .6
		}
		const D = 8
		var X, y []float64
		var class, ep []int
		for e := range g {
			n := int(50 * math.Exp(sigma*r.NormFloat64()-sigma*sigma/2))
			n = max(n, 8)
			mu := make([]float64, D+1)
			z := make([]float64, D+1)
			for k := range mu {
				mu[k] = math.Sqrt(icc) * r.NormFloat64()
				z[k] = r.NormFloat64()
			}
			for range n {
				for k := range z {
					z[k] = ar*z[k] + math.Sqrt(1-ar*ar)*r.NormFloat64()
				}
				s := make([]float64, D+1)
				for k := range s {
					s[k] = mu[k] + math.Sqrt(1-icc)*z[k]
				}
				v := s[0] + .5*s[1]*s[1] + .7*s[D] // s[D] is unseen
				y = append(y, v)
				c := 0
				if s[0]+.5*s[D] > .5 {
					c = 1
				}
				if s[1]+.5*s[D] > 1 {
					c = 2
				}
				class = append(class, c)
				X = append(X, s[:D]...)
				ep = append(ep, e)
			}
		}
		n := len(y)
		folds, err := probe.GroupFolds(ep, 5)
		die(err)
		x := points.Float64(X, D)
		data := probe.Data{X: x, Groups: ep, Folds: folds}
		ctx := context.Background()
		reg, err := probe.CrossFitMLP(ctx, data, points.Float64(y, 1), probe.MLPOptions{Seed: uint64(d), Threads: 1})
		die(err)
		cls, err := probe.CrossFitMLPClassifier(ctx, data, class, 3, probe.MLPOptions{Seed: uint64(d), Threads: 1})
		die(err)
		pc := make([]int, n)
		for i := range pc {
			p := cls.Predicted[0][3*i : 3*i+3]
			for k := range p {
				if p[k] > p[pc[i]] {
					pc[i] = k
				}
			}
		}
		scores := func(keep func(i int) bool) map[string]float64 {
			var a, b []float64
			var c, q []int
			for i := range n {
				if keep(i) {
					a, b, c, q = append(a, y[i]), append(b, reg.Predicted[0][i]), append(c, class[i]), append(q, pc[i])
				}
			}
			rg, err := score.Regress(a, b)
			die(err)
			cf, err := score.NewConfusion(3, c, q)
			die(err)
			return map[string]float64{"mse": rg.MSE, "nmse": rg.NMSE, "f1": cf.MacroF1(), "balanced": cf.BalancedAccuracy(), "accuracy": cf.Accuracy()}
		}
		all := scores(func(int) bool { return true })
		jack := func(label []int, count int, stretch float64, tag string) {
			sizes := make([]int, count)
			reps := make([]map[string]float64, count)
			for j := range count {
				for _, l := range label {
					if l == j {
						sizes[j]++
					}
				}
				reps[j] = scores(func(i int) bool { return label[i] != j })
			}
			for name, e := range all {
				rs := make([]float64, count)
				for j := range rs {
					rs[j] = e + stretch*(reps[j][name]-e)
				}
				v, err := stat.DeleteBlockJackknife(e, rs, sizes, .95)
				die(err)
				if tag[0] == 'D' {
					v.WithTails()
				}
				if name == "mse" || name == "nmse" {
					v.OnLogScale()
				} else {
					v.Within(0, 1)
				}
				add(name+" "+tag, e, v.Interval.Low, v.Interval.High)
			}
		}
		jack(ep, g, 1, "A cond")
		jack(folds, 5, 1, "B fold")
		jack(folds, 5, math.Sqrt(1.5), "B2 fold*1.22")
		jack(folds, 5, 1.5, "C fold*1.5")
		jack(folds, 5, 1.5, "D fold*1.5 tails")
	}
	var names []string
	for k := range cells {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		c := cells[k]
		m := stat.Mean(c.est)
		hit, w := 0, 0.0
		und := 0
		for i := range c.est {
			if math.IsNaN(c.lo[i]) {
				und++
				continue
			}
			if c.lo[i] <= m && m <= c.hi[i] {
				hit++
			}
			w += (c.hi[i] - c.lo[i]) / 2
		}
		nn := float64(len(c.est) - und)
		fmt.Printf("%-24s cover %5.1f  half %.4f  1.96 sd %.4f  ratio %.2f\n", k, 100*float64(hit)/nn, w/nn, 1.96*stat.StandardDeviation(c.est), w/nn/1.96/stat.StandardDeviation(c.est))
	}
}

func die(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
