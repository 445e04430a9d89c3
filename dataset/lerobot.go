// Folders of Parquet files that are one table: datasets of Hugging Face, and of LeRobot.

package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/regular"
	"repscope/internal/text"
)

// parquetFiles are the files of a folder that are one table, and the wanted column.
type parquetFiles struct {
	root   string
	paths  []string
	key    string
	info   *lerobotInfo // of a dataset of LeRobot
	splits []string     // where there are several and none is named
}

// lerobotInfo is the file meta/info.json of a dataset of LeRobot.
type lerobotInfo struct {
	Frames   int64 `json:"total_frames"`
	Episodes int64 `json:"total_episodes"`
	Features map[string]struct {
		DType string `json:"dtype"`
	} `json:"features"`
}

// Columns of a dataset of LeRobot that number the episodes, and the frames of each.
const (
	episodeColumn = "episode_index"
	frameColumn   = "frame_index"
)

// parquetFolder finds the Parquet files of a folder: below data of a dataset of LeRobot, else in the folder itself, or
// in its folder data. It returns nil for other folders, and those with images.
func parquetFolder(root, key string) (*parquetFiles, error) {
	t := &parquetFiles{root: root, key: key}
	info, err := readInfo(filepath.Join(root, "meta", "info.json"))
	if err != nil {
		return nil, err
	}
	if info != nil {
		t.info = info
		t.paths, err = chunkFiles(filepath.Join(root, "data"))
		if err == nil && len(t.paths) == 0 {
			err = fmt.Errorf("%s: is a dataset of LeRobot without data/chunk-*/*.parquet", root)
		}
		return t, err
	}
	for _, folder := range []string{root, filepath.Join(root, "data")} {
		if t.paths, err = parquetNames(folder); len(t.paths) > 0 || err != nil {
			break
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || len(t.paths) == 0 {
		return nil, err
	}
	if f, err := readFolder(root); err != nil || len(f.files) > 0 {
		return nil, err
	}
	return t, t.choose()
}

// readInfo reads meta/info.json; nil where there is none of LeRobot.
func readInfo(path string) (*lerobotInfo, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	const largest = 16 << 20
	var info lerobotInfo
	if err := json.NewDecoder(io.LimitReader(f, largest)).Decode(&info); err != nil {
		return nil, fmt.Errorf("%s: %w", path, JSONError(err))
	}
	if len(info.Features) == 0 {
		return nil, nil
	}
	return &info, nil
}

// listed are the entries of a folder that are selected, in natural order.
func listed(folder string, selected func(fs.DirEntry) bool) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if selected(e) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	slices.SortFunc(paths, text.CompareNatural)
	return paths, regular.PathError(err)
}

// chunkFiles are the Parquet files in the folders chunk-* of a folder.
func chunkFiles(folder string) (paths []string, err error) {
	chunks, err := listed(folder, func(e fs.DirEntry) bool {
		return e.IsDir() && strings.HasPrefix(e.Name(), "chunk-")
	})
	for _, chunk := range chunks {
		files, err := parquetNames(chunk)
		if err != nil {
			return nil, err
		}
		paths = append(paths, files...)
	}
	return paths, err
}

func parquetNames(folder string) ([]string, error) {
	return listed(folder, func(e fs.DirEntry) bool {
		return isParquet(e.Name()) && !strings.HasPrefix(e.Name(), ".") && !e.IsDir()
	})
}

// shardName is the name of a file of Hugging Face: its split, its number, and how many there are.
var shardName = regexp.MustCompile(`^(.+)-(\d{5})-of-(\d{5})\.parquet$`)

// choose chooses the files of one split, where the names state splits: the split is the name or the first part of it.
func (t *parquetFiles) choose() error {
	bySplit := map[string][]string{}
	for _, path := range t.paths {
		m := shardName.FindStringSubmatch(filepath.Base(path))
		if m == nil {
			return nil
		}
		bySplit[m[1]] = append(bySplit[m[1]], path)
		if n, _ := strconv.Atoi(m[3]); n < len(bySplit[m[1]]) {
			return fmt.Errorf("%s: has %d files of split %s, their names say %d", t.root, len(bySplit[m[1]]), m[1], n)
		}
	}
	names := make([]string, 0, len(bySplit))
	for name, files := range bySplit {
		names = append(names, name)
		m := shardName.FindStringSubmatch(filepath.Base(files[0]))
		if n, _ := strconv.Atoi(m[3]); n != len(files) {
			return fmt.Errorf("%s: has %d of the %d files of split %s", t.root, len(files), n, name)
		}
	}
	slices.Sort(names)
	if len(names) == 1 {
		return nil
	}
	split, rest, _ := strings.Cut(t.key, "/")
	if !slices.Contains(names, split) {
		t.splits = names
		return nil
	}
	t.paths, t.key = bySplit[split], rest
	return nil
}

// set opens the files.
func (t *parquetFiles) set() (*parquetSet, error) {
	if t.splits != nil {
		return nil, fmt.Errorf("%s: has the splits %s; name one and a column as %s:%s/COLUMN", t.root,
			list(t.splits), t.root, t.splits[0])
	}
	s, err := openParquetFiles(t.root, t.paths)
	if err != nil {
		return nil, err
	}
	if t.info != nil && t.info.Frames != int64(s.file.Rows) {
		s.close()
		return nil, fmt.Errorf("%s: its %d data files have %d rows, meta/info.json says %d: "+
			"the download is incomplete, or of several versions",
			t.root, len(t.paths), s.file.Rows, t.info.Frames)
	}
	return s, nil
}

// record opens the column with the episodes of a dataset of LeRobot.
func (t *parquetFiles) record(o ImageOptions) (*Recording, error) {
	if t.info != nil && t.info.Features[t.key].DType == "video" {
		return nil, text.WithHint(fmt.Errorf("%s:%s: is stored as videos, which binaries do not decode; "+
			"want a column of numbers or images", t.root, t.key), "decode it in Python: frames = [d[i][\""+t.key+
			"\"] for i in range(len(d))] of LeRobotDataset, as frames of a function of repscope")
	}
	s, err := t.set()
	if err != nil {
		return nil, err
	}
	a, err := s.open(t.key, o)
	if err != nil {
		s.close()
		return nil, err
	}
	r := &Recording{Frames: a, file: a}
	if t.info != nil && t.key != episodeColumn {
		if err := t.episodes(s, r); err != nil {
			s.close()
			return nil, err
		}
	}
	return r, nil
}

// episodes sets the episodes by their numbers.
func (t *parquetFiles) episodes(s *parquetSet, r *Recording) error {
	c := s.file.Column(episodeColumn)
	if c == nil {
		return fmt.Errorf("%s: has no column %q", t.root, episodeColumn)
	}
	var err error
	if r.Episodes, err = s.whole(episodeColumn); err != nil {
		return err
	}
	lengths := make([]int64, min(max(t.info.Episodes, 0), int64(len(r.Episodes))))
	for i, n := range r.Episodes {
		switch {
		case n < 0 || n >= t.info.Episodes:
			return fmt.Errorf("%s: row %d is of episode %d, meta/info.json says %d episodes", t.root, i, n, t.info.Episodes)
		case n >= int64(len(lengths)):
			return fmt.Errorf("%s: has episode %d, but %d rows", t.root, n, len(r.Episodes))
		case lengths[n] > 0 && r.Episodes[i-1] != n:
			return fmt.Errorf("%s: row %d is of episode %d again, want the rows of an episode next to each other", t.root, i, n)
		}
		lengths[n]++
	}
	if n := slices.Index(lengths, 0); n >= 0 || t.info.Episodes > int64(len(lengths)) {
		if n < 0 {
			n = len(lengths)
		}
		return fmt.Errorf("%s: has no rows of episode %d, meta/info.json says %d episodes: "+
			"the download is incomplete, or of several versions", t.root, n, t.info.Episodes)
	}
	if err := t.inOrder(s, r.Episodes); err != nil {
		return err
	}
	if err := t.agree(lengths); err != nil {
		return err
	}
	r.Kind = "LeRobot"
	for n := range lengths {
		r.Folders = append(r.Folders, fmt.Sprint("episode ", n))
	}
	return nil
}

// inOrder checks that the frames of each episode count up from 0, where a column numbers them.
func (t *parquetFiles) inOrder(s *parquetSet, episodes []int64) error {
	if s.file.Column(frameColumn) == nil {
		return nil
	}
	frames, err := s.whole(frameColumn)
	if err != nil {
		return err
	}
	want := int64(0)
	for i, frame := range frames {
		if want++; i == 0 || episodes[i] != episodes[i-1] {
			want = 0
		}
		if frame != want {
			return fmt.Errorf("%s: row %d of episode %d has the %s %d, want %d: frames are missing, or in another order",
				t.root, i, episodes[i], frameColumn, frame, want)
		}
	}
	return nil
}

// agree compares the lengths of episodes with those in meta: episodes.jsonl of version 2, Parquet files of version 3.
func (t *parquetFiles) agree(lengths []int64) error {
	check := func(path string, episode, length int64) error {
		rows := int64(0)
		if episode >= 0 && episode < int64(len(lengths)) {
			rows = lengths[episode] // at least 1
		}
		if rows == 0 || rows != length {
			return fmt.Errorf("%s: episode %d has length %d there, the data files have %d rows of it", path, episode,
				length, rows)
		}
		return nil
	}
	path := filepath.Join(t.root, "meta", "episodes.jsonl")
	data, err := regular.Read(path, regular.Table)
	if err == nil {
		number := 0
		for line := range bytes.Lines(data) {
			number++
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			var e struct {
				Episode *int64 `json:"episode_index"`
				Length  *int64 `json:"length"`
			}
			if err := text.Unmarshal(line, &e); err != nil {
				return fmt.Errorf("%s:%d: %w", path, number, err)
			}
			if e.Episode == nil || e.Length == nil {
				return fmt.Errorf("%s:%d: want an object with %s and length", path, number, episodeColumn)
			}
			if err := check(path, *e.Episode, *e.Length); err != nil {
				return err
			}
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder := filepath.Join(t.root, "meta", "episodes")
	files, err := chunkFiles(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := openParquetFiles(folder, files)
	if err != nil {
		return err
	}
	defer s.close()
	numbers, err := s.whole(episodeColumn)
	if err != nil {
		return err
	}
	listed, err := s.whole("length")
	if err != nil {
		return err
	}
	for i, n := range numbers {
		if err := check(folder, n, listed[i]); err != nil {
			return err
		}
	}
	return nil
}

// whole are the whole numbers of a column with one for each row.
func (s *parquetSet) whole(name string) ([]int64, error) {
	a, err := s.open(name, ImageOptions{})
	if err != nil {
		return nil, err
	}
	if err := a.plain(); err != nil {
		return nil, err
	}
	if a.RowLen() != 1 {
		return nil, fmt.Errorf("%s: has shape %v, want one number in each row", a.Name(), a.Shape())
	}
	values := make([]int64, a.Len())
	return values, a.ReadInt64(values, 0, a.Len())
}

// list lists the columns, and the videos.
func (t *parquetFiles) list(l *Listing) error {
	if t.splits != nil {
		for _, split := range t.splits {
			one, err := parquetFolder(t.root, split)
			if err != nil {
				return err
			}
			part := &Listing{}
			if err := one.list(part); err != nil {
				return err
			}
			for _, i := range part.Items {
				i.Name = split + "/" + i.Name
				l.Items = append(l.Items, i)
			}
		}
		return nil
	}
	s, err := t.set()
	if err != nil {
		return err
	}
	defer s.close()
	s.list(l)
	if t.info == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(t.info.Features)) {
		if t.info.Features[name].DType != "video" {
			continue
		}
		l.Items = append(l.Items, Item{Name: name, Type: "video", Shape: []int{s.file.Rows},
			Problem: "videos are decoded in Python"})
	}
	return nil
}

// openParquetColumn opens a column of a file with one value per row, also with null; nil for other columns.
func openParquetColumn(path, key string) (*Array, error) {
	before, err := stat(path)
	if err != nil {
		return nil, err
	}
	s, err := openParquetFiles(path, []string{path})
	if err != nil {
		return nil, err
	}
	defer s.close()
	name, err := chooseName(path, "column", key, s.names())
	if err != nil {
		return nil, err
	}
	c := s.file.Column(name)
	if c == nil || c.Lists > 0 || c.Time != "" || c.Binary {
		return nil, nil
	}
	column, err := s.column(c)
	if err != nil {
		return nil, err
	}
	a, err := column.Array(path)
	if err == nil {
		a.path, a.key = path, name
		fromPath(a, path, before)
	}
	return a, err
}
