// Globals, instances and references of a pickle.

package pickle

import (
	"errors"
	"fmt"
)

// global looks a name up; it is a value like any other.
func (m *machine) global(op byte) error {
	var module, name string
	var err error
	if op == 'c' {
		if module, err = m.in.line(); err == nil {
			name, err = m.in.line()
		}
	} else {
		var a, b any
		if b, err = m.pop(); err == nil {
			a, err = m.pop()
		}
		if err == nil {
			var ok1, ok2 bool
			module, ok1 = a.(string)
			name, ok2 = b.(string)
			if !ok1 || !ok2 {
				err = corrupt("the name of a global is a %s and a %s, want strings", TypeName(a), TypeName(b))
			}
		}
	}
	if err != nil {
		return err
	}
	g, err := m.find(module, name)
	if err != nil {
		return err
	}
	return m.push(g, costValue)
}

func (m *machine) find(module, name string) (Global, error) {
	if m.options.Find == nil {
		return nil, fmt.Errorf("refers to %q, want a pickle without names", module+"."+name)
	}
	return m.options.Find(module, name)
}

// object is REDUCE, BUILD, NEWOBJ, NEWOBJ_EX, INST and OBJ: all make or fill an
// instance, and all go through the Global or the StateSetter.
func (m *machine) object(op byte) error {
	if err := m.in.charge(costReduce); err != nil {
		return err
	}
	switch op {
	case 'b':
		state, err := m.pop()
		if err != nil {
			return err
		}
		target, err := m.top()
		if err != nil {
			return err
		}
		switch t := target.(type) {
		case *Dict:
			t.Attributes = state
			return nil
		case StateSetter:
			return t.SetState(state)
		}
		return corrupt("setting the state of a %s", TypeName(target))
	case 'i', 'o':
		items, err := m.popInstance(op)
		if err != nil {
			return err
		}
		return m.call(items[0], items[1:])
	}
	var keywords any
	var err error
	if op == 0x92 {
		if keywords, err = m.pop(); err != nil {
			return err
		}
	}
	args, err := m.pop()
	if err != nil {
		return err
	}
	function, err := m.pop()
	if err != nil {
		return err
	}
	tuple, ok := args.(*Tuple)
	if !ok {
		return corrupt("the arguments of a call are a %s, not a tuple", TypeName(args))
	}
	items := tuple.Items
	if d, ok := keywords.(*Dict); keywords != nil && (!ok || d.Len() > 0) {
		items = append(append([]any(nil), items...), keywords)
	}
	return m.call(function, items)
}

// popInstance returns a class and its arguments, as INST and OBJ leave them.
func (m *machine) popInstance(op byte) ([]any, error) {
	var class Global
	if op == 'i' {
		module, err := m.in.line()
		if err != nil {
			return nil, err
		}
		name, err := m.in.line()
		if err != nil {
			return nil, err
		}
		if class, err = m.find(module, name); err != nil {
			return nil, err
		}
	}
	items, err := m.popMark()
	if err != nil {
		return nil, err
	}
	if op == 'i' {
		return append([]any{class}, items...), nil
	}
	if len(items) == 0 {
		return nil, corrupt("an instance without a class")
	}
	return items, nil
}

func (m *machine) call(function any, args []any) error {
	g, ok := function.(Global)
	if !ok {
		return corrupt("calling a %s", TypeName(function))
	}
	// A call may copy its arguments, and they may be shared with other calls.
	cost := int64(len(args)) * costItem
	for _, a := range args {
		switch a := a.(type) {
		case *List:
			cost += int64(len(a.Items)) * costDictItem
		case *Tuple:
			cost += int64(len(a.Items)) * costDictItem
		case *Dict:
			cost += int64(a.Len()) * costDictItem
		case []byte:
			cost += int64(len(a))
		case string:
			cost += int64(len(a))
		}
	}
	if err := m.in.charge(cost); err != nil {
		return err
	}
	v, err := g.Call(args)
	if err != nil {
		return err
	}
	return m.push(v, costReduce)
}

func (m *machine) persistent(op byte) error {
	if err := m.in.charge(costReduce); err != nil {
		return err
	}
	var id any
	var err error
	if op == 'P' {
		id, err = m.in.line()
	} else {
		id, err = m.pop()
	}
	if err != nil {
		return err
	}
	if m.options.Persistent == nil {
		return errors.New("refers to an object outside the pickle")
	}
	v, err := m.options.Persistent(id)
	if err != nil {
		return err
	}
	return m.push(v, costValue)
}
