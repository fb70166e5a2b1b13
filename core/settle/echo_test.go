package settle_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"termbay/core"
	"termbay/core/settle"
)

func TestAnEchoIsNotTheText(t *testing.T) {
	timeout := end{settle.Timeout, 30 * time.Second}
	runWaits(t, []waitCase{
		{
			name: "the output after the echo is", before: "$ ", rule: typing("sleep 2; echo DONE\r", "DONE"),
			steps: []step{write(5*ms, "sleep 2; echo DONE\r\n"), write(2*time.Second, "DONE\r\n$ ")},
			want:  end{settle.Text, 2 * time.Second},
		},
		{
			name: "drawn in parts", before: "$ ", rule: typing("echo DONE!\r", "DONE"),
			steps: []step{write(5*ms, "echo D"), write(105*ms, "ONE"), write(205*ms, "!\r\n"), write(305*ms, "DONE!\r\n")},
			want:  end{settle.Text, 305 * ms},
		},
		{
			name: "never drawn to its end", before: "$ ", rule: typing("echo DONE and more\r", "DONE"),
			steps: []step{write(5*ms, "echo DONE an")},
			want:  timeout,
		},
		{
			name: "on a line of its own", before: "$ ", rule: typing("echo tag7\r", "/^tag7$/m"),
			steps: []step{write(5*ms, "echo tag7\r\n"), write(30*ms, "tag7\r\n$ ")},
			want:  end{settle.Text, 30 * ms},
		},
		{
			name: "typed again by the program it is", rule: typing("hello\r", "hello"),
			steps: []step{write(5*ms, "hello\r\n"), write(30*ms, "hello\r\n")},
			want:  end{settle.Text, 30 * ms},
		},
		{
			name: "alone it is none, also with the blanks around it", before: "$ ", rule: typing("echo DONE\r", `/\sDONE\s*/`),
			steps: []step{write(5*ms, "echo DONE\r\nwaiting")},
			want:  timeout,
		},
		{
			name: "with something before or after it it is", before: "$ ", rule: typing("make\r", "/\\$ make/"),
			steps: []step{write(5*ms, "make\r\n")},
			want:  end{settle.Text, 5 * ms},
		},
		{
			name: "each typed line has one", before: "$ ", rule: typing("echo A\necho DONE\ntrue\n", "DONE"),
			steps: []step{
				write(5*ms, "echo A\r\nA\r\n$ "), write(10*ms, "echo DONE\r\n"), write(300*ms, "DONE\r\n$ "), write(310*ms, "true\r\n$ "),
			},
			want: end{settle.Text, 300 * ms},
		},
		{
			name: "the same line typed twice has two", rule: typing("y\ny\n", "y"),
			steps: []step{write(5*ms, "y\r\ny\r\n"), write(300*ms, "yes\r\n")},
			want:  end{settle.Text, 300 * ms},
		},
		{
			name: "a tab is not echoed as itself", before: "$ ", rule: typing("echo\tDONE\r", "DONE"),
			steps: []step{write(5*ms, "echo    DONE\r\n"), write(200*ms, "DONE\r\n")},
			want:  end{settle.Text, 200 * ms},
		},
		{
			name: "soft-wrapped", size: core.Viewport{Cols: 12, Rows: 6}, before: "$ ", rule: typing("sleep 2; echo DONE\r", "DONE"),
			steps: []step{write(5*ms, "sleep 2; echo DONE\r\n"), write(2*time.Second, "DONE\r\n$ ")},
			want:  end{settle.Text, 2 * time.Second},
		},
		{
			name: "scrolled off by other output", size: core.Viewport{Cols: 40, Rows: 2}, before: "$ ", rule: typing("echo DONE\r", "DONE"),
			steps: []step{write(5*ms, "echo DONE\r\n"), write(50*ms, lines(0, 30)), write(200*ms, "DONE\r\n")},
			want:  end{settle.Text, 200 * ms},
		},
		{
			name: "scrolled off long ago", before: "$ ", rule: typing("cat\r", "cat"),
			steps: []step{write(5*ms, "cat\r\n"), write(50*ms, lines(0, 5000)), write(100*ms, lines(0, 5000)), write(200*ms, "cat\r\n")},
			want:  end{settle.Text, 200 * ms},
		},
		{
			name: "comes long after the typing", before: "$ ", rule: typing("echo DONE\r", "DONE"),
			steps: []step{write(50*ms, lines(0, 5000)), write(100*ms, lines(0, 5000)), write(200*ms, "$ echo DONE\r\n"), write(300*ms, "DONE\r\n")},
			want:  end{settle.Text, 300 * ms},
		},
		{
			name: "in an input box above the cursor", before: "\x1b[?1049h\x1b[2;1H[      ]\x1b[6;1H", rule: typing("DONE", "DONE"),
			steps: []step{write(5*ms, "\x1b[2;2HDONE\x1b[6;1H"), write(400*ms, "\x1b[4;1H> DONE\x1b[6;1H")},
			want:  end{settle.Text, 400 * ms},
		},
		{
			name: "in an input box above the cursor, below an older one", before: "\x1b[?1049h\x1b[2;1Hsaid DONE\x1b[6;1H",
			rule:  typing("DONE", "/^DONE$/m"),
			steps: []step{write(5*ms, "\x1b[4;1HDONE\x1b[6;1H")},
			want:  timeout,
		},
		{
			name: "is at the cursor, not in the lines above", before: "DONE!\r\n> ", rule: typing("DONE", "/DONE$/m"),
			steps: []step{write(5*ms, "DONE")},
			want:  timeout,
		},
		{
			name: "is at the cursor, not before it", before: "DONE> ", rule: typing("DONE", "/DONE$/m"),
			steps: []step{write(5*ms, "DONE")},
			want:  timeout,
		},
		{
			name: "ends where the blanks at its end begin", rule: typing("y \ny \n", "y"),
			steps: []step{write(5*ms, "y \r\ny \r\n"), write(300*ms, "yes\r\n")},
			want:  end{settle.Text, 300 * ms},
		},
		{
			name: "text that stood there counts once the screen has changed", before: "DONE\r\n$ ", rule: typing("echo DONE\r", "DONE"),
			steps: []step{write(5*ms, "echo DONE\r\n")},
			want:  end{settle.Text, 5 * ms},
		},
		{
			name: "none is expected", before: "Password: ",
			rule: func(p *program) settle.Rule {
				r := typing("DONE\r", "DONE")(p)
				r.Echo = settle.Echo{}
				return r
			},
			steps: []step{write(700*ms, "\r\nDONE\r\n")},
			want:  end{settle.Text, 700 * ms},
		},
	})
}

func TestTheEchoOfALongPasteIsNotTheText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(wide, "")
		typed := strings.ReplaceAll(lines(0, 20_000), "\r", "")
		r := typing(typed, "line 19999")(p)
		begin := p.matches
		var steps []step
		for i := range 200 {
			steps = append(steps, write(time.Duration(i)*10*ms, lines(100*i, 100*i+100)))
		}
		steps = append(steps, write(5*time.Second, "line 19999\r\n"))
		if got := settles(t, p, r, steps...); got != (end{settle.Text, 5 * time.Second}) {
			t.Errorf("%+v after %d looks", got, p.matches-begin)
		}
	})
}
