// What values options may have.

package metrics

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// positive wants a finite number above 0.
func positive(value any) error {
	if v, ok := value.(float64); !ok || !(v > 0) || math.IsInf(v, 1) {
		return errors.New("want a number above 0")
	}
	return nil
}

// atLeast wants a whole number that is not below another.
func atLeast(least int) func(value any) error {
	return func(value any) error {
		if n, ok := value.(int); !ok || n < least {
			return fmt.Errorf("want a whole number of at least %d", least)
		}
		return nil
	}
}

// atLeastOrNull is atLeast, or null.
func atLeastOrNull(least int) func(value any) error {
	check := atLeast(least)
	return func(value any) error {
		if value == nil {
			return nil
		}
		return check(value)
	}
}

// oneOf wants one of some texts.
func oneOf(texts ...string) func(value any) error {
	return func(value any) error {
		for _, text := range texts {
			if value == text {
				return nil
			}
		}
		return fmt.Errorf("want %s", strings.Join(texts, ", "))
	}
}
