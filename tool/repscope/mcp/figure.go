// Figures as images that a client can show: PNG files of a run, scaled.

package mcp

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"

	"golang.org/x/image/draw"

	"repscope/internal/regular"
)

const (
	mostFigures  = 4
	figureWidth  = 1200     // pixels
	mostPixels   = 64 << 20 // of a figure that is read
	mostFileSize = 32 << 20
	mostImage    = 1 << 20 // bytes of an image that is sent
)

// scaled reads a PNG file and returns it with at most figureWidth columns, encoded again.
func scaled(path string) ([]byte, error) {
	data, err := regular.Read(path, mostFileSize)
	if err != nil {
		return nil, err
	}
	header, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if int64(header.Width)*int64(header.Height) > mostPixels {
		return nil, fmt.Errorf("%s: %d × %d pixels are more than are read", path, header.Width, header.Height)
	}
	if header.Width <= figureWidth && len(data) <= mostImage {
		return data, nil
	}
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for width := min(figureWidth, header.Width); width >= figureWidth/8; width /= 2 {
		to := image.NewRGBA(image.Rect(0, 0, width, max(1, header.Height*width/header.Width)))
		draw.CatmullRom.Scale(to, to.Bounds(), from, from.Bounds(), draw.Src, nil)
		var out bytes.Buffer
		if err := png.Encode(&out, to); err != nil {
			return nil, err
		}
		if out.Len() <= mostImage {
			return out.Bytes(), nil
		}
	}
	return nil, errors.New(path + ": the figure is too large to send")
}

// images are the figures of a run as content, and a note for each that is left out.
func images(paths []string) (content []object, notes []string) {
	for i, path := range paths {
		if i == mostFigures {
			return content, append(notes, fmt.Sprintf("%d more figures are files only", len(paths)-i))
		}
		data, err := scaled(path)
		if err != nil {
			if !errors.Is(err, os.ErrNotExist) {
				notes = append(notes, err.Error())
			}
			continue
		}
		content = append(content, object{"type": "image", "mimeType": "image/png",
			"data": base64.StdEncoding.EncodeToString(data)})
	}
	return content, notes
}
