// A flag of texts.

package run

import (
	"errors"
	"strings"
)

// Texts is a flag of texts, separated by commas, that may repeat.
type Texts struct {
	Values *[]string
	Check  func(string) error // returns the error of one of them; may be nil
	Whole  bool               // a value is one text, commas and all
}

// String is the texts, separated by commas.
func (t *Texts) String() string {
	if t.Values == nil {
		return ""
	}
	return strings.Join(*t.Values, ",")
}

// Get is the texts.
func (t *Texts) Get() any { return *t.Values }

// Repeats says that every value adds texts.
func (t *Texts) Repeats() bool { return true }

// Set adds texts.
func (t *Texts) Set(value string) error {
	parts := []string{value}
	if !t.Whole {
		parts = strings.Split(value, ",")
	}
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if part == "" {
			return errors.New("one of the names is empty")
		}
		if t.Check != nil {
			if err := t.Check(part); err != nil {
				return err
			}
		}
		*t.Values = append(*t.Values, part)
	}
	return nil
}
