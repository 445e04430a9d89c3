// Folders of images as arrays [N,H,W] (gray) or [N,3,H,W] (color), and folders of such folders,
// which are episodes.

package dataset

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/parallel"
	"repscope/internal/regular"
	"repscope/internal/resize"
	"repscope/internal/samefile"
	"repscope/internal/text"
)

// maxDecoded is the size up to which a folder is decoded once and kept; a larger
// one is decoded as it is read.
const maxDecoded = 1 << 30

// ImageOptions say how images of several sizes become frames of one. Without a size all
// images must be of one; where they are, nothing is resized.
type ImageOptions struct {
	Height, Width int
	Nearest       bool // the nearest pixel; otherwise bilinear, rounded to whole values
}

// imageEndings are the endings of the files of a folder that are read.
var imageEndings = []string{".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff"}

// imageFolder is the content of a folder.
type imageFolder struct {
	files   []string // images, in natural order of their names
	folders []string // other folders, likewise; hidden ones are none
	others  string   // the ending of most of the other files, for messages
}

// readFolder lists a folder.
func readFolder(folder string) (*imageFolder, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	f := &imageFolder{}
	endings := map[string]int{}
	for _, e := range entries {
		ending := strings.ToLower(filepath.Ext(e.Name()))
		path := filepath.Join(folder, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case isFolder(e, path):
			f.folders = append(f.folders, path)
		case slices.Contains(imageEndings, ending):
			f.files = append(f.files, path)
		case ending != "":
			if endings[ending]++; f.others == "" || endings[ending] > endings[f.others] {
				f.others = ending
			}
		}
	}
	slices.SortFunc(f.files, text.CompareNatural)
	slices.SortFunc(f.folders, text.CompareNatural)
	return f, nil
}

// openImages opens the images of a folder, in natural order of their names (frame2 before frame10). In a folder without
// images, each subfolder is an episode, in natural order of names. 16-bit images give uint16 values.
func openImages(folder string, o ImageOptions) (*Recording, error) {
	if what, recipe := format.Folder(folder); what != "" {
		return nil, &ForeignError{folder, "is " + what, recipe}
	}
	f, err := readFolder(folder)
	if err != nil {
		return nil, err
	}
	files, episodes, names, err := f.images(folder)
	if err != nil {
		return nil, err
	}
	states, err := statesOf(folder, files, func() ([]string, error) { return imagesIn(folder) })
	if err != nil {
		return nil, err
	}
	opened := make([]imageFile, len(files))
	for i, path := range files {
		opened[i] = imageFile{path: path, open: onDisk}
	}
	a, err := imageArray(folder, opened, o)
	if err != nil {
		return nil, err
	}
	if len(f.files) > 0 && len(f.folders) > 0 {
		a.notes = append(a.notes, fmt.Sprintf("its folders are not read, because it contains images itself: %s", list(baseNames(f.folders))))
	}
	a.identify(func() (string, error) {
		return hashFiles(files, len(names) > 0, a.source.(*images).resized())
	}, states.unchanged)
	r := &Recording{Frames: a, Episodes: episodes, Folders: names, file: a}
	if episodes != nil {
		r.Kind = "folders"
	}
	return r, nil
}

// imageArray presents images as the rows of an array, under the name of what holds them.
func imageArray(name string, files []imageFile, o ImageOptions) (*Array, error) {
	s, err := newImages(name, files, o)
	if err != nil {
		return nil, err
	}
	shape := append([]int{len(files)}, s.kind.shape()...)
	t := s.kind.dtype()
	if _, err := dtype.ArraySize(shape, t); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.row = rowBytes(shape, t)
	a := newArray(name, name, "", shape, t, dtype.LittleEndian, s)
	a.notes = s.notes
	return a, nil
}

// FilesOf are the files that [Open] reads for a "FILE" or "FILE:key", of a folder all its images. There are none where
// there is no such file.
func FilesOf(spec string) []string {
	path, _ := SplitSpec(spec)
	if files, err := shards(path); files != nil && err == nil {
		return files
	}
	info, err := stat(path)
	if err != nil {
		return nil
	}
	if !info.IsDir() {
		return []string{path}
	}
	if IsStore(path) {
		return samefile.Below(path)
	}
	if t, err := parquetFolder(path, ""); t != nil && err == nil {
		return t.paths
	}
	f, err := readFolder(path)
	if err != nil {
		return nil
	}
	if len(f.files) > 0 {
		return f.files
	}
	files, _, _, _ := episodeFolders(path, f.folders)
	return files
}

// Holds reports whether a new file would become a part of what [Open] reads for a "FILE" or "FILE:key": a file in a
// Zarr store, an image next to others, or an episode without images. Of a folder of episodes it is each new folder.
func Holds(spec, file string) bool {
	folder, _ := SplitSpec(spec)
	if info, err := stat(folder); err != nil || !info.IsDir() {
		return false
	}
	inside, err := samefile.Inside(folder, file)
	if err != nil || inside == "" {
		return false
	}
	if IsStore(folder) {
		return true
	}
	f, err := readFolder(folder)
	if err != nil || len(f.files)+len(f.folders) == 0 {
		return false
	}
	image := slices.Contains(imageEndings, strings.ToLower(filepath.Ext(inside)))
	parts := strings.Split(inside, string(filepath.Separator))
	if len(parts) == 1 || len(f.files) > 0 {
		return len(parts) == 1 && image
	}
	if _, _, _, err := episodeFolders(folder, f.folders); err != nil || strings.HasPrefix(parts[0], ".") {
		return false // not a folder of episodes
	}
	episode := slices.ContainsFunc(f.folders, func(path string) bool { return filepath.Base(path) == parts[0] })
	return !episode || len(parts) == 2 && image
}

// isFolder reports whether an entry is a folder or a symbolic link to one.
func isFolder(e os.DirEntry, path string) bool {
	if e.Type()&os.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// empty is the error for a folder without images and folders.
func (f *imageFolder) empty(folder string) error {
	other := ""
	if f.others != "" {
		other = fmt.Sprintf("; its files end in %s", f.others)
		if slices.Contains([]string{".npz", ".safetensors", ".pt", ".pth", ".h5", ".hdf5", ".nc", ".tsv"}, f.others) {
			other += ": give one of them"
		}
		if recipe := format.FolderRecipe(folder, f.others); recipe != "" {
			return &ForeignError{folder, "contains no .png, .jpg, .webp or .tif files, but files that end in " +
				f.others, recipe}
		}
	}
	return fmt.Errorf("%s: no .png, .jpg, .webp or .tif files in this folder%s", folder, other)
}

// images are the images of a folder, or of its folders, which are episodes then.
func (f *imageFolder) images(folder string) (files []string, episodes []int64, names []string, err error) {
	switch {
	case len(f.files) > 0:
		return f.files, nil, nil, nil
	case len(f.folders) > 0:
		return episodeFolders(folder, f.folders)
	}
	return nil, nil, nil, f.empty(folder)
}

// imagesIn lists the images of a folder.
func imagesIn(folder string) ([]string, error) {
	f, err := readFolder(folder)
	if err != nil {
		return nil, err
	}
	files, _, _, err := f.images(folder)
	return files, err
}

// episodeFolders lists the images of the folders of a folder.
func episodeFolders(folder string, folders []string) (files []string, episodes []int64, names []string, err error) {
	var empty []string
	for i, sub := range folders {
		f, err := readFolder(sub)
		if err != nil {
			return nil, nil, nil, err
		}
		if len(f.files) == 0 {
			empty = append(empty, filepath.Base(sub))
			continue
		}
		for range f.files {
			episodes = append(episodes, int64(i))
		}
		files = append(files, f.files...)
		names = append(names, filepath.Base(sub))
	}
	switch {
	case len(files) == 0:
		err = fmt.Errorf("%s: no .png, .jpg, .webp or .tif files in this folder, nor in its %d folders", folder, len(folders))
		if slices.ContainsFunc(folders, func(sub string) bool { return strings.Contains(filepath.Base(sub), "=") }) {
			err = text.WithHint(err, "a table in partitions NAME=VALUE: write it as one file: "+
				"pyarrow.parquet.write_table(pyarrow.parquet.read_table(DIR), FILE)")
		}
	case len(empty) > 0:
		err = fmt.Errorf("%s: no .png, .jpg, .webp or .tif files in its folders %s; each folder would be an episode",
			folder, list(empty))
	}
	return files, episodes, names, err
}

func baseNames(paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = filepath.Base(path)
	}
	return names
}

// newImages reads the headers of files and decides on the kind that all of them become.
func newImages(folder string, files []imageFile, o ImageOptions) (*images, error) {
	s := &images{files: files, nearest: o.Nearest}
	err := parallel.Try(context.Background(), 0, len(files), func(_, i int) error { return files[i].inspect() })
	if err != nil {
		return nil, err
	}
	widenPalettes(s.files)
	s.kind = s.files[0].kind
	sizes := false
	for _, f := range s.files {
		if f.kind.color != s.kind.color || f.kind.deep != s.kind.deep || !f.kind.sameSize(s.kind) && o.Height == 0 {
			err := fmt.Errorf("%s is %v, but %s is %v: all images of a folder must agree", f.path, f.kind, files[0].path, s.kind)
			if f.kind.color == s.kind.color && f.kind.deep == s.kind.deep {
				err = fmt.Errorf("%w (width×height), or --resize HxW (height first) must set one size", err)
			}
			return nil, err
		}
		sizes = sizes || !f.kind.sameSize(s.kind)
	}
	if sizes {
		s.kind.width, s.kind.height = o.Width, o.Height
		s.notes = append(s.notes, fmt.Sprintf("its images have several sizes and were resized to %dx%d (height x width)", o.Height, o.Width))
	}
	s.notes = append(s.notes, leftOut(s.files, "images")...)
	if s.kind.width > maxPixels || s.kind.height > maxPixels || int64(s.kind.width)*int64(s.kind.height) > maxPixels {
		return nil, fmt.Errorf("%s: images of %v, want at most %d pixels", folder, s.kind, maxPixels)
	}
	return s, nil
}

// widenPalettes turns palettes of grays into colors if other files have colors: a black frame has no other.
func widenPalettes(files []imageFile) {
	if !slices.ContainsFunc(files, func(f imageFile) bool { return f.kind.color }) {
		return
	}
	for i := range files {
		files[i].kind.color = files[i].kind.color || files[i].palette > 0
	}
}

// leftOut lists the data of the files that are ignored, and the images that are turned; what names the files.
func leftOut(files []imageFile, what string) (notes []string) {
	var alpha, marked, gamma, rotated int
	stated := uint32(0)
	for _, f := range files {
		if f.alpha {
			alpha++
		}
		if f.marked {
			marked++
		}
		if f.turn > 1 {
			rotated++
		}
		if f.gamma > 0 {
			gamma, stated = gamma+1, f.gamma
		}
	}
	share := fmt.Sprintf("of %d %s", len(files), what)
	if rotated > 0 {
		notes = append(notes, fmt.Sprintf("%d %s are rotated or mirrored as their Exif orientation says", rotated, share))
	}
	if alpha > 0 {
		notes = append(notes, fmt.Sprintf("the alpha channel of %d %s is ignored; a pixel that is not opaque is an error",
			alpha, share))
	}
	if marked > 0 {
		notes = append(notes, fmt.Sprintf("%d %s mark a color as transparent (tRNS), which is ignored; a pixel of that color is an error", marked, share))
	}
	if gamma > 0 {
		notes = append(notes, fmt.Sprintf("%d %s state a gamma (gAMA, such as %g), which is ignored: stored samples are used unchanged",
			gamma, share, float64(stated)/100000))
	}
	return notes
}

// resized describes the resizing of images, for the digest; empty if there was none.
func (s *images) resized() string {
	for _, f := range s.files {
		if !f.kind.sameSize(s.kind) {
			return fmt.Sprintf("%dx%d nearest=%v", s.kind.height, s.kind.width, s.nearest)
		}
	}
	return ""
}

// images is a list of image files as a source.
type images struct {
	files   []imageFile
	kind    imageKind // of every row
	nearest bool      // how files of other sizes are resized
	row     int
	notes   []string

	once sync.Once
	all  []byte
	bad  []error // of each file
}

func (s *images) use(lo, hi int, fn func(raw []byte) error) error {
	if int64(len(s.files))*int64(s.row) <= maxDecoded {
		s.once.Do(func() { s.all, s.bad = s.decode(0, len(s.files)) })
		if err := first(s.bad[lo:hi]); err != nil {
			return err
		}
		return fn(s.all[lo*s.row : hi*s.row])
	}
	raw, bad := s.decode(lo, hi)
	if err := first(bad); err != nil {
		return err
	}
	return fn(raw)
}

// first is the first error of a list.
func first(list []error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// decode decodes some files; a damaged one spoils its own row only.
func (s *images) decode(lo, hi int) (raw []byte, bad []error) {
	raw, bad = make([]byte, (hi-lo)*s.row), make([]error, hi-lo)
	_ = parallel.Try(context.Background(), 0, hi-lo, func(_, i int) error {
		bad[i] = s.decodeOne(raw[i*s.row:(i+1)*s.row], &s.files[lo+i])
		return nil
	})
	return raw, bad
}

// decodeOne writes the pixels of a file to dst, brought to the size of all.
func (s *images) decodeOne(dst []byte, f *imageFile) error {
	if f.kind.sameSize(s.kind) {
		return f.decode(dst)
	}
	native := make([]byte, rowBytes(append([]int{1}, f.kind.shape()...), f.kind.dtype()))
	if err := f.decode(native); err != nil {
		return err
	}
	in, out := f.kind.width*f.kind.height, s.kind.width*s.kind.height
	from, to := make([]float32, in), make([]float32, out)
	r := resize.New(f.kind.height, f.kind.width, s.kind.height, s.kind.width, s.nearest)
	size := f.kind.dtype().Size()
	for len(native) > 0 {
		for i := range from {
			if from[i] = float32(native[i*size]); size == 2 {
				from[i] += 256 * float32(native[2*i+1])
			}
		}
		r.Frame(to, from)
		for i, v := range to {
			n := uint16(math.RoundToEven(float64(v)))
			if dst[i*size] = byte(n); size == 2 {
				dst[2*i+1] = byte(n >> 8)
			}
		}
		native, dst = native[in*size:], dst[out*size:]
	}
	return nil
}

// hashFiles is the digest of a folder: names, sizes and contents in order, with the names of
// the folders in which they lie where these are episodes, and how they were resized.
func hashFiles(files []string, folders bool, resized string) (string, error) {
	h := sha256.New()
	for _, path := range files {
		name := filepath.Base(path)
		if folders {
			name = filepath.Base(filepath.Dir(path)) + "/" + name
		}
		if err := hashContent(h, name, path); err != nil {
			return "", err
		}
	}
	if resized != "" {
		fmt.Fprintf(h, "resized\x00%s", resized)
	}
	return hexDigest(h), nil
}

// hashContent adds a file to the digest, under a name.
func hashContent(h io.Writer, name, path string) error {
	file, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(h, "%s\x00%d\x00", name, info.Size())
	_, err = io.CopyN(h, file, info.Size())
	return err
}
