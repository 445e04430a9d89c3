// The motion of predictions next to the true one.

package reconstruction

import "math"

// motion is what the motion of a prediction is compared by, of one sample: the squared
// lengths of the true step next − now and of the predicted one, predicted − now, and
// their scalar product.
type motion struct{ truth, predicted, both float64 }

// motionOf compares the predicted step with the true one.
func motionOf(now, next, predicted []float64) motion {
	var m motion
	next, predicted = next[:len(now)], predicted[:len(now)]
	for i, v := range now {
		t, p := next[i]-v, predicted[i]-v
		m.truth += float64(t * t)
		m.predicted += float64(p * p)
		m.both += float64(t * p)
	}
	return m
}

// cosine is the cosine of the angle between the steps, in [−1, 1]. NaN where nothing moves or
// is predicted to.
func (m motion) cosine() float64 {
	if m.truth == 0 || m.predicted == 0 {
		return math.NaN()
	}
	return min(1, max(-1, m.both/(math.Sqrt(m.truth)*math.Sqrt(m.predicted))))
}
