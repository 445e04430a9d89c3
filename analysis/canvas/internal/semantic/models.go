// Models that make captions of screens, and embeddings of captions and of screens.

package semantic

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"repscope/analysis/canvas/internal/design"
	"repscope/analysis/canvas/internal/screenshot"
	"repscope/analysis/canvas/internal/source"
	"repscope/dataset"
	"repscope/internal/regular"
	"repscope/internal/text"
	"repscope/internal/tokenizer"
	"repscope/latent"
)

// openModels opens the models and enters their files.
func (s *opened) openModels(read source.Reader, threads int) error {
	for _, open := range []func(source.Reader, int) error{s.openSentence, s.openCaptioner, s.openVision} {
		if err := open(read, threads); err != nil {
			return err
		}
	}
	return nil
}

func (s *opened) openSentence(read source.Reader, threads int) error {
	if s.o.Sentence == "" {
		return nil
	}
	data, err := read(s.o.Tokenizer)
	if err != nil {
		return fmt.Errorf("--tokenizer: %w", regular.PathError(err))
	}
	if s.tokens, err = tokenizer.Parse(s.o.Tokenizer, data); err != nil {
		return fmt.Errorf("--tokenizer: %w", err)
	}
	if s.sentence, err = latent.OpenSentences(s.o.Sentence, latent.SentenceOptions{Pool: s.o.Pool, Threads: threads}); err != nil {
		return fmt.Errorf("--sentence-model: %w", err)
	}
	s.Closers = append(s.Closers, s.sentence.Close)
	s.Enter("sentence model", s.o.Sentence, s.sentence.SHA256)
	s.Enter("tokenizer", s.o.Tokenizer, source.DigestOf(data))
	s.Notes = append(s.Notes, fmt.Sprintf("%s: %s, pooled by %s", s.o.Sentence, s.sentence.Output, s.sentence.Pool))
	return nil
}

func (s *opened) openCaptioner(_ source.Reader, threads int) error {
	if s.o.Captioner == "" {
		return nil
	}
	c, err := latent.OpenCaptioner(s.o.Captioner, latent.CaptionerOptions{Tokens: s.o.CaptionTokens, Threads: threads})
	if err != nil {
		return fmt.Errorf("--captioner: %w", err)
	}
	s.captioner = c
	s.Closers = append(s.Closers, c.Close)
	for i, name := range c.Files {
		s.Enter("captioner", filepath.Join(s.o.Captioner, name), c.SHA256[i])
	}
	for _, note := range c.Notes {
		s.Notes = append(s.Notes, s.o.Captioner+": "+note)
	}
	return nil
}

func (s *opened) openVision(read source.Reader, threads int) error {
	v := &s.o.Vision
	if v.Path == "" {
		return nil
	}
	pictures, sum, err := v.processor(read)
	if err != nil {
		return err
	}
	if s.vision, err = latent.OpenVision(v.Path, latent.VisionOptions{Pictures: pictures, Pool: v.Pool, Threads: threads}); err != nil {
		return fmt.Errorf("--vision-model: %w", err)
	}
	s.Closers = append(s.Closers, s.vision.Close)
	p := &s.vision.Pictures
	if p.Height == 0 && p.Shortest == 0 {
		return text.WithHint(fmt.Errorf("--vision-model %s: the file does not fix the image size", v.Path),
			"set it, for example with --vision-size 224")
	}
	s.Enter("vision model", v.Path, s.vision.SHA256)
	if sum != "" {
		s.Enter("vision preprocessor", v.Processor, sum)
	}
	s.Notes = append(s.Notes, fmt.Sprintf("%s: screens are prepared by %s", v.Path, p))
	return nil
}

// compare is the cosine of the embeddings of two captions.
func (s *opened) compare(ctx context.Context, id string, captions [2]string) (float64, error) {
	var v [2][]float64
	for k, caption := range captions {
		if caption == "" {
			return 0, source.Absentf("%s has no caption of the %s design", id, Sides[k])
		}
		var err error
		if v[k], err = s.embedText(ctx, caption); err != nil {
			return 0, err
		}
	}
	return cosine(v[0], v[1])
}

// embedText is the embedding of a caption.
func (s *opened) embedText(ctx context.Context, caption string) ([]float64, error) {
	return s.sentences.Get(caption, func() ([]float64, error) {
		e, err := s.tokens.Encode(caption)
		if err != nil {
			return nil, fmt.Errorf("%s: the caption %.60q: %w", s.o.Tokenizer, caption, err)
		}
		s.sentenceMutex.Lock()
		defer s.sentenceMutex.Unlock()
		v, err := s.sentence.Embed(ctx, latent.SentenceTokens{IDs: e.IDs, Types: e.Types, Mask: e.Mask})
		return widen(v), err
	}, nil)
}

// widen is a vector in float64.
func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// pixelsOf are the pixels of a screen without alpha, and their key.
func pixelsOf(p *design.Screens, v *design.View) (*dataset.Screen, []uint8, string, error) {
	screen, err := v.Screen()
	if err != nil {
		return nil, nil, "", err
	}
	pixels := screenshot.Opaque(screen, p.DropAlpha)
	h := sha256.New()
	var size [16]byte
	binary.LittleEndian.PutUint64(size[:], uint64(screen.Width))
	binary.LittleEndian.PutUint64(size[8:], uint64(screen.Height))
	h.Write(size[:])
	h.Write(pixels)
	return screen, pixels, string(h.Sum(nil)), nil
}

// embedScreen is the embedding of a screen.
func (s *opened) embedScreen(p *design.Screens, v *design.View) ([]float64, error) {
	screen, pixels, key, err := pixelsOf(p, v)
	if err != nil {
		return nil, err
	}
	return s.screens.Get(key, func() ([]float64, error) {
		s.visionMutex.Lock()
		defer s.visionMutex.Unlock()
		e, err := s.vision.Embed(p.Context, pixels, screen.Height, screen.Width)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Side.Image, err)
		}
		return widen(e), nil
	}, nil)
}

// captionOf describes a screen; empty if the model says nothing of it. A screen that nobody gave
// has no caption.
func (s *opened) captionOf(p *design.Screens, v *design.View) (string, error) {
	screen, pixels, key, err := pixelsOf(p, v)
	if errors.As(err, new(source.Absent)) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return s.captionsMade.Get(key, func() (string, error) {
		s.captionMutex.Lock()
		defer s.captionMutex.Unlock()
		text, _, err := s.captioner.Caption(p.Context, pixels, screen.Height, screen.Width)
		if err != nil {
			return "", fmt.Errorf("%s: %w", v.Side.Image, err)
		}
		return text, nil
	}, nil)
}
