// Output formats: PNG with its density, SVG with font fallbacks, PDF.

package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"repscope/internal/escape"
)

// mm is one millimeter.
const mm = vg.Millimeter

// page is a canvas that can be written as a file.
type page interface {
	vg.Canvas
	encode(w io.Writer) error
}

// newPage makes an empty white page.
func newPage(format string, width, height vg.Length, title string) (page, error) {
	switch format {
	case "png":
		return pngPage{newRaster(width, height, color.White), new(moves)}, nil
	case "svg":
		return svgPage{vgsvg.NewWith(vgsvg.UseWH(width, height)), title}, nil
	case "pdf":
		return newPDFPage(width, height, title)
	}
	return nil, fmt.Errorf("plots: format %q is not known", format)
}

// newRaster is a canvas of pixels at DPI.
func newRaster(width, height vg.Length, background color.Color) *vgimg.Canvas {
	return vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(DPI), vgimg.UseBackgroundColor(background))
}

// pngPage is a page of pixels, which draws images by itself.
type pngPage struct {
	*vgimg.Canvas
	moves *moves
}

func (p pngPage) encode(w io.Writer) error {
	file, err := encodePNG(p.Image().(*image.RGBA))
	if err != nil {
		return fmt.Errorf("plots: PNG: %w", err)
	}
	_, err = w.Write(file)
	return err
}

type svgPage struct {
	*vgsvg.Canvas
	title string
}

// encode names fonts of equal metrics after Liberation Sans, which readers may
// lack, corrects the type of embedded images, and adds the title.
func (p svgPage) encode(w io.Writer) error {
	var buffer bytes.Buffer
	if _, err := p.WriteTo(&buffer); err != nil {
		return fmt.Errorf("plots: SVG: %w", err)
	}
	out := bytes.ReplaceAll(buffer.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	out = bytes.ReplaceAll(out, []byte("data:image/jpg;base64,"), []byte("data:image/png;base64,"))
	// Runs of one line keep the spaces at their ends.
	out = bytes.ReplaceAll(out, []byte("<text "), []byte(`<text xml:space="preserve" `))
	head := []byte(`xmlns:xlink="http://www.w3.org/1999/xlink">` + "\n")
	extra := `<rect width="100%" height="100%" fill="#ffffff"/>` + "\n"
	if p.title != "" {
		extra = "<title>" + escape.HTML(p.title) + "</title>\n" + extra
	}
	out = bytes.Replace(out, head, append(bytes.Clone(head), extra...), 1)
	_, err := w.Write(out)
	return err
}
