package spool

import (
	"bytes"
	"io"
	"os"
	"strings"
	"time"

	"termbay/core"
	"termbay/core/clip"
)

const (
	// maxMarker is more than any line of ours takes.
	maxMarker = 256
	// borderReach is how far the border of a line is looked for.
	borderReach = 4 << 10
)

// compact makes room in a file that has reached its cap: its first quarter stays, and of what follows the newest half,
// with one line between them that says what is missing. l.writing is held.
func (l *Log) compact() error {
	if err := l.crowded.over(); err != nil {
		return err
	}
	head := l.borderBefore(l.limit / 4)
	tail := l.borderAfter(max(head, l.size-l.limit*3/8))
	err := l.rewrite(head, tail)
	if err != nil {
		l.crowded = pause{time.Now(), err}
	}
	return err
}

// rewrite makes a new file of what stands before the head's end and from the tail's beginning on, beside the old one, and
// renames it over that, so that whoever reads the old one goes on undisturbed.
func (l *Log) rewrite(head, tail int64) error {
	before, after := clipped(l.kept, 0, head), clipped(l.kept, tail, l.size)
	line := marker("%s of output omitted here", core.Size(begin(after, l.end)-end(before)))
	if !l.atLineStart(head) {
		line = "\n" + line
	}
	for i := range after {
		after[i].at += head + int64(len(line)) - tail
	}
	file, name, err := l.spool.create(l.id + "-new")
	if err != nil {
		return err
	}
	size := head + int64(len(line)) + l.size - tail
	n, err := io.Copy(file, io.MultiReader(
		io.NewSectionReader(l.file, 0, head), strings.NewReader(line), io.NewSectionReader(l.file, tail, l.size-tail)))
	if err == nil && n != size { // somebody cut it at this moment
		err = io.ErrUnexpectedEOF
	}
	var info os.FileInfo
	if err == nil {
		info, err = file.Stat()
	}
	if err == nil && l.named() {
		if err = l.spool.root.Rename(name, l.name); err == nil {
			name = l.name
		}
	}
	if err != nil {
		file.Close()
		_ = l.spool.root.Remove(name)
		return err
	}
	if l.output.id != "" {
		l.spool.keep(l.output, name)
	}
	l.mu.Lock()
	old := l.file
	l.file, l.name, l.info, l.size = file, name, info, size
	l.kept, l.truncated = append(before, after...), true
	l.layout++
	l.mu.Unlock()
	old.Close()
	return nil
}

// begin is the first offset in extents, otherwise when there are none.
func begin(extents []extent, otherwise int64) int64 {
	if len(extents) == 0 {
		return otherwise
	}
	return extents[0].from
}

// end is the offset behind extents.
func end(extents []extent) int64 {
	if len(extents) == 0 {
		return 0
	}
	return extents[len(extents)-1].to
}

// named says whether the file still has its name: what somebody put in its place is not ours to replace (O-G3).
func (l *Log) named() bool {
	now, err := l.spool.root.Lstat(l.name)
	return err == nil && os.SameFile(now, l.info)
}

// borderBefore is the last end of a line in front of a place in the file, the end of a character when none is near.
func (l *Log) borderBefore(place int64) int64 {
	from := max(0, place-borderReach)
	p := make([]byte, place-from)
	n, _ := l.file.ReadAt(p, from)
	p = p[:n]
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		return from + int64(i) + 1
	}
	return from + int64(clip.Whole(p))
}

// borderAfter is the first beginning of a line behind a place in the file, of a character when none is near.
func (l *Log) borderAfter(place int64) int64 {
	p := make([]byte, borderReach)
	n, _ := l.file.ReadAt(p, place)
	p = p[:n]
	if i := bytes.IndexByte(p, '\n'); i >= 0 {
		return place + int64(i) + 1
	}
	return place + int64(clip.Rest(p))
}
