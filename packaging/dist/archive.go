// Archives whose bytes follow from their content.

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// A file is packed under a name with forward slashes.
type file struct {
	name    string
	content []byte
	mode    fs.FileMode
}

// pack writes an archive of files in the order of their names, below one folder.
func pack(to, folder string, files []file, moment time.Time,
	write func(io.Writer, []file, time.Time) error) (string, error) {
	files = slices.Clone(files)
	for i := range files {
		files[i].name = path.Join(folder, files[i].name)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var b bytes.Buffer
	if err := write(&b, files, moment); err != nil {
		return "", err
	}
	return to, os.WriteFile(to, b.Bytes(), 0o644)
}

func writeTar(w io.Writer, files []file, moment time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	packed.ModTime = moment
	out := tar.NewWriter(packed)
	for _, f := range files {
		head := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.content)), ModTime: moment, Format: tar.FormatUSTAR}
		if err := out.WriteHeader(head); err != nil {
			return err
		}
		if _, err := out.Write(f.content); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func writeZip(w io.Writer, files []file, moment time.Time) error {
	out := zip.NewWriter(w)
	for _, f := range files {
		head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: moment}
		head.SetMode(f.mode)
		part, err := out.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.content); err != nil {
			return err
		}
	}
	return out.Close()
}
