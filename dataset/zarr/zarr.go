// Package zarr reads Zarr stores of versions 2 and 3, in folders and zip files: groups, arrays with their attributes,
// and rows of their values. Sizes that a store states are checked before memory is taken, and nothing outside the store
// is opened.
//
//	store, err := zarr.Open("era5.zarr")
//	…
//	array, err := store.Array("2m_temperature")
//	…
//	raw := make([]byte, 8*array.RowBytes())
//	err = array.Read(raw, 0, 8) // rows 0 to 7
package zarr

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/bound"
	"repscope/internal/mmap"
	"repscope/internal/text"
)

// ErrNotFound reports a name that the store does not have as an array.
var ErrNotFound = errors.New("not in the store")

// Property is a value with a name: a text, a number ([json.Number]), a truth value, nil, or a list or map of such
// values.
type Property struct {
	Name  string
	Value any
}

// Store is an open store.
type Store struct {
	path    string
	objects objects
	nodes   map[string]*node // of consolidated metadata, by path; nil: without
}

// node is a group or an array as its metadata describe it.
type node struct {
	array, attributes json.RawMessage // array is nil for a group
	version           int
}

// The names of metadata.
const (
	metadata3    = "zarr.json"
	array2       = ".zarray"
	group2       = ".zgroup"
	attributes2  = ".zattrs"
	consolidated = ".zmetadata"
)

// Bounds of metadata.
const (
	mostMetadata = 64 << 20 // bytes of an object
	mostNodes    = 100_000
	deepest      = 64 // groups in groups
)

// Names reports whether a name in a folder or zip file belongs to Zarr's metadata.
func Names(name string) bool {
	return slices.Contains([]string{metadata3, array2, group2, consolidated}, name)
}

// Is reports whether a folder is a store, or a group or array of one.
func Is(folder string) bool {
	for _, name := range []string{metadata3, group2, array2, consolidated} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}

// Open opens a store in a folder.
func Open(folderPath string) (*Store, error) {
	root, err := os.OpenRoot(folderPath)
	if err != nil {
		return nil, err
	}
	return open(folderPath, folder{root})
}

// OpenZip opens a store in a zip file, which [Store.Close] closes.
func OpenZip(file *mmap.File, r *zip.Reader) (*Store, error) {
	return open(file.Path(), newArchive(file, r))
}

func open(name string, o objects) (*Store, error) {
	s := &Store{path: name, objects: o}
	if err := s.consolidated(); err != nil {
		_ = o.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// Path is the path that the store was opened with.
func (s *Store) Path() string { return s.path }

// Close releases the store.
func (s *Store) Close() error { return s.objects.close() }

// read reads an object of metadata; nil if there is none.
func (s *Store) read(key string) (json.RawMessage, error) {
	o, err := s.objects.open(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer o.close()
	data, err := o.read(nil, mostMetadata)
	if err == nil {
		data = quoted(data)
		if !json.Valid(data) {
			err = jsonError(data)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return data, nil
}

// consolidated reads the metadata of all nodes that the root may have.
func (s *Store) consolidated() error {
	data, err := s.read(consolidated)
	if err != nil {
		return err
	}
	if data != nil {
		return s.consolidated2(data)
	}
	if data, err = s.read(metadata3); err != nil || data == nil {
		return err
	}
	var root struct {
		Consolidated *struct {
			Metadata map[string]json.RawMessage `json:"metadata"`
		} `json:"consolidated_metadata"`
	}
	if err := text.Unmarshal(data, &root); err != nil {
		return fmt.Errorf("%s: corrupt: %w", metadata3, err)
	}
	if root.Consolidated == nil || root.Consolidated.Metadata == nil {
		return nil
	}
	s.nodes = map[string]*node{}
	for name, raw := range root.Consolidated.Metadata {
		if !fs.ValidPath(name) {
			return fmt.Errorf("%s: corrupt: %.80q is no path in a store", metadata3, name)
		}
		n, err := node3(raw)
		if err != nil {
			return fmt.Errorf("%s: %.80s: %w", metadata3, name, err)
		}
		s.nodes[name] = n
	}
	n, err := node3(data)
	s.nodes[""] = n
	return err
}

func (s *Store) consolidated2(data json.RawMessage) error {
	var all struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := text.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("%s: corrupt: %w", consolidated, err)
	}
	s.nodes = map[string]*node{}
	for key, raw := range all.Metadata {
		if !fs.ValidPath(key) {
			return fmt.Errorf("%s: corrupt: %.80q is no path in a store", consolidated, key)
		}
		dir, file := path.Split(key)
		name := strings.TrimSuffix(dir, "/")
		n := s.nodes[name]
		if n == nil {
			n = &node{version: 2}
			s.nodes[name] = n
		}
		switch file {
		case array2:
			n.array = raw
		case attributes2:
			n.attributes = raw
		}
	}
	return nil
}

// node3 separates the metadata of a node of version 3.
func node3(raw json.RawMessage) (*node, error) {
	var head struct {
		Version    int             `json:"zarr_format"`
		Type       string          `json:"node_type"`
		Attributes json.RawMessage `json:"attributes"`
	}
	if err := text.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("corrupt: %w", err)
	}
	if head.Version != 3 || head.Type != "array" && head.Type != "group" {
		return nil, fmt.Errorf("zarr_format %d, node_type %.20q, want 3, and array or group", head.Version, head.Type)
	}
	n := &node{version: 3, attributes: head.Attributes}
	if head.Type == "array" {
		n.array = raw
	}
	return n, nil
}

// node finds a node by its path; nil if there is none.
func (s *Store) node(name string) (*node, error) {
	if n := s.nodes[name]; n != nil {
		return n, nil
	}
	data, err := s.read(path.Join(name, metadata3))
	if err != nil {
		return nil, err
	}
	if data != nil {
		n, err := node3(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(name, metadata3), err)
		}
		return n, nil
	}
	n := &node{version: 2}
	if n.array, err = s.read(path.Join(name, array2)); err != nil {
		return nil, err
	}
	if n.array == nil {
		if group, err := s.read(path.Join(name, group2)); err != nil || group == nil {
			return nil, err
		}
	}
	n.attributes, err = s.read(path.Join(name, attributes2))
	return n, err
}

// Attributes are the attributes of the root.
func (s *Store) Attributes() ([]Property, error) {
	n, err := s.node("")
	if err != nil || n == nil {
		return nil, err
	}
	return attributes(n.attributes)
}

// Array returns the array of a path, whose slashes at the ends do not count.
func (s *Store) Array(name string) (*Array, error) {
	name = strings.Trim(name, "/")
	if name != "" && !fs.ValidPath(name) {
		return nil, fmt.Errorf("%s: %w: %.80q is no path in a store", s.path, ErrNotFound, name)
	}
	n, err := s.node(name)
	if err == nil && (n == nil || n.array == nil) {
		err = fmt.Errorf("%w: %.80q", ErrNotFound, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	a, err := s.array(name, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.label(name), err)
	}
	return a, nil
}

// label names an array in messages.
func (s *Store) label(name string) string {
	if name == "" {
		return s.path
	}
	return s.path + ":" + name
}

// Member is an array of a store, or why its metadata cannot be read.
type Member struct {
	Path  string
	Array *Array
	Err   error
}

// Entries are the arrays of a store in the order of their paths. The consolidated metadata lists them, or else the
// folders of the store.
func (s *Store) Entries() ([]Member, error) {
	names, err := s.names()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	var out []Member
	for _, name := range names {
		a, err := s.Array(name)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		out = append(out, Member{name, a, err})
	}
	return out, nil
}

func (s *Store) names() ([]string, error) {
	if s.nodes != nil {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
			if s.nodes[name].array != nil {
				names = append(names, name)
			}
		}
		return names, nil
	}
	var names []string
	budget := mostNodes
	var visit func(prefix string, depth int) error
	visit = func(prefix string, depth int) error {
		var below []string
		array := false
		err := s.objects.list(prefix, func(name string, dir bool) error {
			switch {
			case !dir:
				array = array || name == array2 || name == metadata3 && s.isArray(path.Join(prefix, name))
			case depth < deepest && !array:
				if budget--; budget < 0 {
					return fmt.Errorf("more than %d folders", mostNodes)
				}
				below = append(below, name)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if array {
			names = append(names, prefix)
			return nil
		}
		for _, name := range below {
			if err := visit(path.Join(prefix, name), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	err := visit("", 0)
	slices.Sort(names)
	return names, err
}

// isArray reports whether an object of metadata is of an array, or damaged.
func (s *Store) isArray(key string) bool {
	data, err := s.read(key)
	if err != nil {
		return true
	}
	n, err := node3(data)
	return err != nil || n.array != nil
}

// attributes reads a map of attributes, in the order of their names.
func attributes(raw json.RawMessage) ([]Property, error) {
	if raw == nil {
		return nil, nil
	}
	var values map[string]any
	if err := unmarshal(raw, &values); err != nil {
		return nil, fmt.Errorf("attributes: corrupt: %w", err)
	}
	var out []Property
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, Property{name, values[name]})
	}
	return out, nil
}

// unmarshal keeps numbers as they are written.
func unmarshal(raw json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
}

// jsonError is why data are no JSON.
func jsonError(data []byte) error {
	var v any
	err := json.Unmarshal(data, &v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset >= int64(len(data)) && strings.Contains(syntax.Error(), "unexpected end") {
		return truncated("JSON ends after %d bytes", len(data))
	}
	return fmt.Errorf("corrupt: %w", err)
}

// quoted puts NaN and Infinity, which Python writes as numbers, in quotes.
func quoted(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	out := make([]byte, 0, len(data)+64)
	inside := false
	for i := 0; i < len(data); {
		if inside && data[i] == '\\' && i+1 < len(data) {
			out = append(out, data[i], data[i+1])
			i += 2
			continue
		}
		if data[i] == '"' {
			inside = !inside
		}
		word := ""
		if !inside {
			for _, w := range []string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(data[i:], []byte(w)) {
					word = w
				}
			}
		}
		if word != "" {
			out = append(append(append(out, '"'), word...), '"')
			i += len(word)
			continue
		}
		out = append(out, data[i])
		i++
	}
	return out
}

// stored is the number of bytes of the objects below a prefix, counted up to enough.
func (s *Store) stored(prefix string, enough int64, depth int) (total int64, err error) {
	err = s.objects.list(prefix, func(name string, dir bool) error {
		key := path.Join(prefix, name)
		switch {
		case total >= enough:
			return errEnough
		case dir && depth < deepest:
			n, err := s.stored(key, enough-total, depth+1)
			total += n
			return err
		case !dir:
			o, err := s.objects.open(key)
			if err != nil {
				return err
			}
			total += o.size
			return o.close()
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return total, err
}

var errEnough = errors.New("enough")

// checkSize compares the size of an array with what its chunks store.
func (a *Array) checkSize() error {
	enough := bound.StoredFor(int64(a.Rows()) * int64(a.RowBytes()))
	if enough == 0 {
		return nil
	}
	stored, err := a.store.stored(a.Path, enough, 0)
	if err == nil && stored < enough {
		err = fmt.Errorf("shape %v of elements of %d bytes is more than %d bytes of chunks hold",
			a.Shape, a.Type.Size, stored)
	}
	return err
}
