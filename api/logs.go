package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"termbay/api/stream"
	"termbay/core"
	"termbay/core/clip"
	"termbay/core/settle"
	"termbay/core/spool"
)

const (
	// tailBytes is the most that a tail holds.
	tailBytes = 128 << 10
	// partBytes is how much is read at an offset when nothing else is said.
	partBytes = 64 << 10
	// pieceBytes is the most of a log in one event.
	pieceBytes = 32 << 10
	// rangeBytes is the most of a range of a log that has lost bytes: it is read whole before it is promised.
	rangeBytes = 1 << 20
)

// GetLog is a log: the whole file, its tail, what stands at an offset, or a range.
func (s Service) GetLog(ctx context.Context, q GetLogRequestObject) (GetLogResponseObject, error) {
	p := q.Params
	log, dry, err := s.Registry.Log(caller(p.TermbaySession), q.ID)
	if err != nil {
		return nil, err
	}
	at := p.Offset != nil || p.Limit != nil || p.WaitMS != nil
	switch {
	case p.Tail > 0 && at:
		return nil, invalid("tail", "does not go with offset, limit or wait_ms; leave it or them out")
	case p.Tail > 0:
		text, _, err := log.Tail(p.Tail, tailBytes)
		return bytesPart(text), err
	case at:
		return nextPart(ctx, log, dry, p)
	}
	return rangePart(log, p.Range)
}

// nextPart is what stands at an offset, once there is something, nothing can come any more, or the wait is over.
func nextPart(ctx context.Context, log *spool.Log, dry <-chan struct{}, p GetLogParams) (GetLogResponseObject, error) {
	t, wait := track{log: log, dry: dry, room: make([]byte, partBytes)}, time.Duration(0)
	if p.Limit != nil {
		t.room = make([]byte, *p.Limit)
	}
	if p.Offset != nil {
		t.at = *p.Offset
	}
	if p.WaitMS != nil {
		wait = min(milliseconds(*p.WaitMS), settle.MaxWait)
	}
	waiting, done := context.WithTimeout(ctx, wait)
	defer done()
	b, err := t.next(waiting)
	nothing := errors.Is(err, io.EOF) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && !nothing {
		return nil, err
	}
	part := bytesPart(b)
	part.header.Set("Termbay-Offset", strconv.FormatInt(t.at, 10))
	part.header.Set("Termbay-Next-Offset", strconv.FormatInt(t.at+int64(len(b)), 10))
	return part, nil
}

// FollowLog is a log as it grows.
func (s Service) FollowLog(ctx context.Context, q FollowLogRequestObject) (FollowLogResponseObject, error) {
	p := q.Params
	log, dry, err := s.Registry.Log(caller(p.TermbaySession), q.ID)
	if err != nil {
		return nil, err
	}
	t := track{log: log, dry: dry, at: p.Offset, room: make([]byte, pieceBytes), text: true}
	if p.LastEventID != nil {
		t.at = *p.LastEventID
	}
	if _, t.at, err = log.ReadAt(t.room, t.at); err != nil { // it was deleted, which the headers could not tell any more
		return nil, err
	}
	return Events{Context: ctx, Pump: t.tell}, nil
}

// track reads a log bit by bit, from an offset on.
type track struct {
	log  *spool.Log
	dry  <-chan struct{} // closed once nothing more can come
	at   int64           // offset of what next returned, which its caller moves on
	room []byte
	text bool // cut between characters only
}

// next is what stands at the offset, or behind it where bytes are not kept; it waits for it. io.EOF says that nothing
// more can come; other errors are the context's and the disk's.
func (t *track) next(ctx context.Context) (p []byte, err error) {
	for {
		changed, over, end := t.log.Changed(), isClosed(t.dry), t.log.State().Bytes // in this order before the look
		n, at, err := t.log.ReadAt(t.room, t.at)
		if err != nil {
			return nil, err
		}
		t.at, p = at, t.room[:n]
		if last := !over && at+int64(n) >= end; t.text && (last || n == len(t.room)) {
			p = p[:clip.Whole(p)] // the rest of the character is to come
		}
		switch {
		case len(p) > 0:
			return p, nil
		case over:
			return nil, io.EOF
		}
		select {
		case <-changed:
		case <-t.dry:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// outputAt is the data of an event of a log.
type outputAt struct {
	Offset int64 `json:"offset"`
	piece
}

// tell sends the log until nothing more can come.
func (t *track) tell(ctx context.Context, send stream.Send) error {
	for {
		p, err := t.next(ctx)
		if errors.Is(err, io.EOF) {
			return send(stream.Event{ID: strconv.FormatInt(t.at, 10), Name: "end", Data: struct{}{}})
		}
		if err != nil {
			return err
		}
		from := t.at
		t.at += int64(len(p))
		if err := send(stream.Event{ID: strconv.FormatInt(t.at, 10), Name: "output", Data: outputAt{from, pieceOf(p)}}); err != nil {
			return err
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// rangePart is a range of a log, or all of it as it is on the disk when there is no range that is understood.
func rangePart(log *spool.Log, header string) (GetLogResponseObject, error) {
	file, err := log.Open()
	if err != nil {
		return nil, err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	whole := logPart{status: http.StatusOK, header: http.Header{"Accept-Ranges": {"bytes"}}, length: size, body: file}
	state := log.State() // after Open: what has lost nothing until now stands in the file at its offsets
	gaps := state.Dropped > 0 || size > state.Bytes
	if gaps {
		size = state.Bytes
	}
	from, to, understood := parseRange(header, size)
	switch {
	case !understood:
		from = 0
	case from >= size:
		return nowhere(size), file.Close()
	case gaps:
		file.Close()
		return keptPart(log, from, to)
	default:
		whole.narrow(from, to, size)
	}
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return whole, nil
}

// keptPart is what is kept of a range of a log that has lost bytes.
func keptPart(log *spool.Log, from, to int64) (GetLogResponseObject, error) {
	b := make([]byte, min(to-from, rangeBytes))
	n, at, err := log.ReadAt(b, from)
	if err != nil {
		return nil, err
	}
	end := log.State().Bytes
	if n == 0 || at >= to {
		return nowhere(end), nil
	}
	part := bytesPart(b[:min(int64(n), to-at)])
	part.narrow(at, at+part.length, end)
	return part, nil
}

// parseRange is the one range of bytes in a header, from a byte to before another, of a size. It begins at the size
// when nothing of it is there. Anything else is not understood: whoever asks so gets all.
func parseRange(header string, size int64) (from, to int64, understood bool) {
	unit, set, _ := strings.Cut(header, "=")
	first, last, isRange := strings.Cut(set, "-")
	if !strings.EqualFold(unit, "bytes") || !isRange {
		return 0, 0, false
	}
	from, hasFrom := offset(first)
	to, hasTo := offset(last)
	switch {
	case hasFrom && hasTo && from <= to:
		return min(from, size), min(to, size-1) + 1, true
	case hasFrom && last == "":
		return min(from, size), size, true
	case first == "" && hasTo:
		return max(size-to, 0), size, true
	}
	return 0, 0, false
}

// offset reads digits; a number that is too large is the largest one.
func offset(digits string) (n int64, ok bool) {
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	return n, true
}

// logPart is a part of a log as an answer.
type logPart struct {
	status int
	header http.Header
	body   io.Reader // closed afterwards when it can be
	length int64
}

func bytesPart(b []byte) logPart {
	return logPart{status: http.StatusOK, header: http.Header{}, body: bytes.NewReader(b), length: int64(len(b))}
}

// narrow makes it the answer to a range.
func (p *logPart) narrow(from, to, size int64) {
	p.status, p.length = http.StatusPartialContent, to-from
	p.header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, size))
}

// VisitGetLogResponse sends the part.
func (p logPart) VisitGetLogResponse(w http.ResponseWriter) error {
	if c, ok := p.body.(io.Closer); ok {
		defer c.Close()
	}
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.FormatInt(p.length, 10))
	w.WriteHeader(p.status)
	_, err := io.CopyN(w, p.body, p.length) // less when somebody cuts the file meanwhile
	return err
}

// nowhere answers a range of which nothing is there, with the size of the log.
type nowhere int64

// VisitGetLogResponse refuses the range.
func (size nowhere) VisitGetLogResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", int64(size)))
	return &core.Error{Code: rangeNotSatisfiable, Detail: fmt.Sprintf("Nothing of this range is there; the log had %d bytes so far.", int64(size))}
}
