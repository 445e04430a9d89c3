// The power law of the spectrum (αReQ).

package manifold

import (
	"fmt"
	"strings"

	"repscope/internal/text"
	"repscope/measure/spectrum"
	"repscope/points"
	"repscope/report"
	"repscope/stat"
)

// leastRSquared is R² of a fit below which a spectrum counts as no power law, as in the published analyses.
const leastRSquared = 0.95

// PowerLaw is the fit of a power law to the eigenvalues; see [spectrum.FitPowerLaw].
type PowerLaw struct {
	Alpha    report.Estimate `json:"alpha"`
	RSquared report.Value    `json:"r_squared"`
	// Low and High are the first and the last rank of the eigenvalues of the fit.
	Low  int `json:"low"`
	High int `json:"high"`
	// Doubt says that the eigenvalues follow no power law; empty if they do.
	Doubt string `json:"doubt,omitempty"`
}

// CheckPowerLaw is an error unless ranks are none, or two that ascend by at least 4.
func CheckPowerLaw(ranks []int) error {
	if len(ranks) == 0 || len(ranks) == 2 && ranks[0] >= 1 && ranks[1] >= ranks[0]+4 {
		return nil
	}
	return fmt.Errorf("ranks %s: want LOW,HIGH with HIGH at least LOW + 4",
		strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ranks)), ","), "[]"))
}

// powerLawRanks are the ranks that are fitted of the latents z, without a fit.
func (p *plan) powerLawRanks(z points.Points) PowerLaw {
	if len(p.o.PowerLaw) == 2 {
		return PowerLaw{Low: p.o.PowerLaw[0], High: p.o.PowerLaw[1]}
	}
	low, high := spectrum.PowerLawRanks(z.N, z.Dim)
	return PowerLaw{Low: low, High: high}
}

// powerLaw fills in the fit between the ranks of the model.
func (m *Model) powerLaw(eigenvalues []float64) {
	law, err := spectrum.FitPowerLaw(eigenvalues, m.AlphaReQ.Low, m.AlphaReQ.High)
	if err != nil {
		reason := stat.Reason(err)
		m.AlphaReQ.Alpha, m.AlphaReQ.RSquared = report.NoEstimate("%s", reason), report.Undefined("%s", reason)
		return
	}
	m.AlphaReQ.Alpha.Value, m.AlphaReQ.RSquared = report.Number(law.Alpha), report.Number(law.RSquared)
	if law.RSquared < leastRSquared {
		m.AlphaReQ.Doubt = fmt.Sprintf("R² %.2f is below %v: the eigenvalues of ranks %d to %d follow no power law",
			law.RSquared, leastRSquared, m.AlphaReQ.Low, m.AlphaReQ.High)
	}
}

// powerLawWarning is one for the models whose spectrum is no power law between the ranks that were asked for.
func (p *plan) powerLawWarning(models []Model) string {
	var names []string
	for _, m := range models {
		if m.AlphaReQ.Doubt != "" {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 || p.o.PowerLaw == nil {
		return ""
	}
	return fmt.Sprintf("%s: the eigenvalues of ranks %d to %d follow no power law (R² below %v): αReQ does not "+
		"describe them; choose other ranks with --power-law, or compare spectra",
		text.Names(names), p.o.PowerLaw[0], p.o.PowerLaw[1], leastRSquared)
}
