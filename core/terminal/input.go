package terminal

import (
	"fmt"
	"strings"

	"termbay/core"
	"termbay/core/screen"
	"termbay/core/settle"
)

// Input is what is typed into a Terminal, in this order and as one: Text, Paste, Bytes, Keys, Mouse (L19, D8). The zero
// Input types nothing: it is a poll (L18).
type Input struct {
	Text  string // typed; a line feed is the Enter key
	Paste string // bracketed when the program asked for it
	Bytes []byte // exact
	Keys  []string
	Mouse *screen.Mouse
}

// Empty says whether nothing is typed.
func (in Input) Empty() bool {
	return in.Text == "" && in.Paste == "" && len(in.Bytes) == 0 && len(in.Keys) == 0 && in.Mouse == nil
}

// String names an input by its size and keys, never by its text.
func (in Input) String() string {
	var parts []string
	if n := len(in.Text) + len(in.Paste) + len(in.Bytes); n > 0 {
		parts = append(parts, core.Count(n, "byte", "bytes"))
	}
	parts = append(parts, in.Keys...)
	if in.Mouse != nil {
		parts = append(parts, "mouse "+in.Mouse.Action)
	}
	return strings.Join(parts, " ")
}

// Check refuses an input that names an unknown key, before anything is typed (L57).
func (in Input) Check() error {
	for _, k := range in.Keys {
		if err := screen.CheckKey(k); err != nil {
			return err
		}
	}
	return nil
}

// Typing is an input on its way to the program.
type Typing struct {
	terminal *Terminal
	unit     *unit
	text     string

	// set when it is queued, and again right before the first byte is written
	place screen.Place
	echo  bool
}

// Type queues an input. The keys follow the modes that the program has set. Errors: Invalid, NotRunning.
func (t *Terminal) Type(in Input) (*Typing, error) {
	b, err := t.encode(in)
	if err != nil {
		return nil, err
	}
	y := &Typing{terminal: t, text: in.Text + in.Paste}
	y.unit = &unit{bytes: b, done: make(chan struct{}), before: y.mark}
	y.mark() // it may never be written
	switch {
	case t.writer.send(y.unit):
		return y, nil
	case closed(t.writer.quit):
		return nil, &core.Error{Code: core.NotRunning, Detail: "The program has exited; it takes no more input."}
	}
	return nil, &core.Error{Code: core.Invalid, Field: "text", Detail: fmt.Sprintf("%d inputs are waiting already because the program does not read; try again later.", maxQueue)}
}

// mark remembers the screen as it is before the input.
func (y *Typing) mark() {
	y.place = y.terminal.screen.Place()
	y.echo = y.terminal.pty.Echoes()
}

// Wait returns when the PTY has taken the input, or the program has not read for deafAfter. It is not bound to a
// context: what was begun is typed exactly once, also when the client has left.
func (y *Typing) Wait() (taken, of int) {
	select {
	case <-y.unit.done:
	case <-y.terminal.done: // queued in the moment of the exit
	}
	return y.unit.taken, len(y.unit.bytes)
}

// Place is where the cursor stood, and which revision the screen had, before the input. Valid after Wait.
func (y *Typing) Place() screen.Place { return y.place }

// Echo is what of this input may be seen on the screen without being output. Valid after Wait.
func (y *Typing) Echo() settle.Echo {
	if !y.echo {
		return settle.Echo{}
	}
	return settle.Echo{Text: y.text, Place: y.place}
}

func (t *Terminal) encode(in Input) ([]byte, error) {
	modes := t.screen.Modes()
	b := screen.EncodeText(in.Text)
	if in.Paste != "" {
		b = append(b, screen.EncodePaste(in.Paste, modes)...)
	}
	b = append(b, in.Bytes...)
	for _, k := range in.Keys {
		p, err := screen.EncodeKey(k, modes)
		if err != nil {
			return nil, err
		}
		b = append(b, p...)
	}
	if in.Mouse == nil {
		return b, nil
	}
	p, err := screen.EncodeMouse(*in.Mouse, t.screen.Head().Viewport, modes)
	if err != nil {
		return nil, err
	}
	return append(b, p...), nil
}
