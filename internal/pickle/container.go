// Tuples, lists, dicts and sets of a pickle.

package pickle

// marked makes a container of the items above the mark.
func (m *machine) marked(make func(items []any) any) error {
	items, err := m.popMark()
	if err != nil {
		return err
	}
	return m.push(make(items), costContainer)
}

// shortTuple makes a tuple of the n topmost values.
func (m *machine) shortTuple(n int) error {
	if len(m.stack)-m.floor() < n {
		return corrupt("a tuple of %d with %d values on the stack", n, len(m.stack)-m.floor())
	}
	items := append([]any(nil), m.stack[len(m.stack)-n:]...)
	m.stack = m.stack[:len(m.stack)-n]
	return m.push(&Tuple{items}, costContainer+int64(n)*costItem)
}

// dict makes a dict of the keys and values above the mark.
func (m *machine) dict() error {
	items, err := m.popMark()
	if err != nil {
		return err
	}
	d := NewDict()
	if err := m.setItems(d, items); err != nil {
		return err
	}
	return m.push(d, costContainer)
}

// setItem is SETITEM: target, key, value.
func (m *machine) setItem() error {
	value, err := m.pop()
	if err != nil {
		return err
	}
	key, err := m.pop()
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	return m.setItems(target, []any{key, value})
}

// setMarked is SETITEMS: target, mark, keys and values.
func (m *machine) setMarked() error {
	items, err := m.popMark()
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	return m.setItems(target, items)
}

// addItems is ADDITEMS: a set, mark, items.
func (m *machine) addItems() error {
	items, err := m.popMark()
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	set, ok := target.(*Set)
	if !ok {
		return corrupt("adding items to a %s, not a set", TypeName(target))
	}
	set.Items = append(set.Items, items...)
	return m.in.charge(int64(len(items)) * costItem)
}

// appendItems is APPEND ('a') and APPENDS ('e').
func (m *machine) appendItems(op byte) error {
	var items []any
	var err error
	if op == 'a' {
		var v any
		v, err = m.pop()
		items = []any{v}
	} else {
		items, err = m.popMark()
	}
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	list, ok := target.(*List)
	if !ok {
		return corrupt("appending to a %s, not a list", TypeName(target))
	}
	list.Items = append(list.Items, items...)
	return m.in.charge(int64(len(items)) * costItem)
}

// setItems stores alternating keys and values in a dict.
func (m *machine) setItems(target any, items []any) error {
	d, ok := target.(*Dict)
	if !ok {
		return corrupt("setting items of a %s, not a dict", TypeName(target))
	}
	if len(items)%2 != 0 {
		return corrupt("a dict key without a value")
	}
	if err := m.in.charge(int64(len(items)/2) * costDictItem); err != nil {
		return err
	}
	for i := 0; i < len(items); i += 2 {
		switch items[i].(type) {
		case *Tuple, []byte:
			if err := m.in.charge(maxKey); err != nil {
				return err
			}
		}
		if err := d.Set(items[i], items[i+1]); err != nil {
			return err
		}
	}
	return nil
}
