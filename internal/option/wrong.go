// Values that options refuse, for tests of commands.

package option

import "strconv"

// Wrong returns texts that the option refuses by its type, choices and bounds; none for an option that takes every text
// or has a value of its own kind.
func (o *Option) Wrong() []string {
	if choices := append(o.explained, o.Choices...); len(choices) > 0 {
		wrong := []string{"none-of-these", ""}
		if _, list := o.Field.(*[]string); list {
			wrong = append(wrong, choices[0]+","+choices[0])
		}
		return wrong
	}
	wrong := o.wrongType()
	if o.Least != nil {
		wrong = append(wrong, strconv.Itoa(*o.Least-1))
	}
	if o.Most != nil {
		wrong = append(wrong, strconv.Itoa(*o.Most+1))
	}
	if o.distinct {
		wrong = append(wrong, "7,7")
	}
	return wrong
}

// wrongType are texts that the type refuses.
func (o *Option) wrongType() []string {
	switch o.Field.(type) {
	case *bool:
		return []string{"maybe"}
	case *int:
		return []string{"x", "1.5"}
	case *float64:
		return []string{"x", "nan", "inf"}
	case *[]int:
		return []string{"x", "1,,2"}
	case *[]float64:
		return []string{"x", "nan"}
	case *[]string:
		if o.Whole {
			return []string{" "}
		}
		return []string{"a,,b"}
	}
	return nil
}
