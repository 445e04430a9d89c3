// Values that several cases ask for.

package source

import (
	"container/list"
	"sync"
)

// Cache holds the values by key that were asked for last, up to a number of bytes. Whoever asks for one
// that is being computed waits for it; errors are not kept.
type Cache[T any] struct {
	lock  sync.Mutex
	most  int64
	bytes int64
	order *list.List // of *cached, those asked for last in front
	byKey map[string]*list.Element
}

// cached is a value of a [Cache].
type cached[T any] struct {
	key   string
	bytes int64
	of    Lazy[T]
}

// NewCache returns an empty cache of at most that many bytes, or values if they have no size.
func NewCache[T any](most int64) *Cache[T] {
	return &Cache[T]{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

// Get is the value of a key; size is the size of a value in bytes, nil: each counts one.
func (k *Cache[T]) Get(key string, compute func() (T, error), size func(T) int64) (T, error) {
	k.lock.Lock()
	element := k.byKey[key]
	if element == nil {
		element = k.order.PushFront(&cached[T]{key: key})
		k.byKey[key] = element
	} else {
		k.order.MoveToFront(element)
	}
	entry := element.Value.(*cached[T])
	k.lock.Unlock()
	first := false
	v, err := entry.of.Get(func() (T, error) {
		first = true
		return compute()
	})
	if first {
		k.finished(element, entry, v, err, size)
	}
	return v, err
}

// finished counts a value that was computed, and drops those that were asked for longest ago.
func (k *Cache[T]) finished(element *list.Element, entry *cached[T], v T, err error, size func(T) int64) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.byKey[entry.key] != element {
		return // dropped meanwhile
	}
	if err != nil {
		k.drop(element)
		return
	}
	entry.bytes = 1
	if size != nil {
		entry.bytes = size(v)
	}
	k.bytes += entry.bytes
	for k.bytes > k.most {
		k.drop(k.order.Back())
	}
}

func (k *Cache[T]) drop(element *list.Element) {
	entry := element.Value.(*cached[T])
	k.order.Remove(element)
	delete(k.byKey, entry.key)
	k.bytes -= entry.bytes
}
