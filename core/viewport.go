package core

import "fmt"

const (
	// DefaultCols and DefaultRows are the size of a Terminal that names none (L16, L239).
	DefaultCols, DefaultRows = 120, 40
	// MaxSide is the largest number of columns or rows (L239). 1000×1000 cells cost 224 MB.
	MaxSide = 1000
)

// Viewport is the size of a Terminal in cells.
type Viewport struct {
	Cols int // 1–1000
	Rows int // 1–1000
}

// DefaultViewport is 120×40.
func DefaultViewport() Viewport { return Viewport{DefaultCols, DefaultRows} }

// Valid says whether both sides are within 1–1000.
func (v Viewport) Valid() bool {
	return v.Cols >= 1 && v.Cols <= MaxSide && v.Rows >= 1 && v.Rows <= MaxSide
}

// String is the size as people write it: 120×40.
func (v Viewport) String() string { return fmt.Sprintf("%d×%d", v.Cols, v.Rows) }
