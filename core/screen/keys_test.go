package screen_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"termbay/core"
	"termbay/core/screen"
)

// terminfo is what xterm-256color says that keys send while the program has the cursor keys in application mode.
const terminfo = `
Enter=\r Escape=\e Tab=\t Shift+Tab=\e[Z Backspace=\x7f Space=\x20
ArrowUp=\eOA ArrowDown=\eOB ArrowRight=\eOC ArrowLeft=\eOD Home=\eOH End=\eOF
Insert=\e[2~ Delete=\e[3~ PageUp=\e[5~ PageDown=\e[6~
F1=\eOP F2=\eOQ F3=\eOR F4=\eOS F5=\e[15~ F6=\e[17~ F7=\e[18~ F8=\e[19~ F9=\e[20~ F10=\e[21~ F11=\e[23~ F12=\e[24~
Shift+ArrowUp=\e[1;2A Shift+ArrowDown=\e[1;2B Shift+ArrowRight=\e[1;2C Shift+ArrowLeft=\e[1;2D
Shift+Home=\e[1;2H Shift+End=\e[1;2F Shift+Insert=\e[2;2~ Shift+Delete=\e[3;2~ Shift+PageUp=\e[5;2~ Shift+PageDown=\e[6;2~
Shift+F1=\e[1;2P Shift+F4=\e[1;2S Shift+F5=\e[15;2~ Shift+F12=\e[24;2~
Control+ArrowUp=\e[1;5A Control+ArrowDown=\e[1;5B Control+ArrowRight=\e[1;5C Control+ArrowLeft=\e[1;5D
Control+Home=\e[1;5H Control+End=\e[1;5F Control+Insert=\e[2;5~ Control+Delete=\e[3;5~
Control+PageUp=\e[5;5~ Control+PageDown=\e[6;5~ Control+F1=\e[1;5P Control+F3=\e[1;5R Control+F5=\e[15;5~ Control+F12=\e[24;5~
Alt+ArrowUp=\e[1;3A Alt+Home=\e[1;3H Alt+Delete=\e[3;3~ Alt+F2=\e[1;3Q Alt+F12=\e[24;3~
Shift+Alt+ArrowLeft=\e[1;4D Control+Shift+ArrowUp=\e[1;6A Shift+Control+ArrowUp=\e[1;6A Control+Shift+F6=\e[17;6~
Control+Alt+ArrowRight=\e[1;7C Shift+Alt+Control+End=\e[1;8F
Control+Space=\x00 Control+[=\e Control+\=\x1c Control+]=\x1d Control+_=\x1f
Alt+Enter=\e\r Alt+Escape=\e\e Alt+Tab=\e\t Alt+Backspace=\e\x7f Alt+Space=\e\x20
Alt+x=\ex Alt+X=\eX Alt+.=\e. Alt++=\e+ Alt+é=\eé Control+Alt+c=\e\x03 Alt+Control+[=\e\e`

func TestKeysSendWhatTerminfoSays(t *testing.T) {
	m := screen.Modes{CursorKeys: true}
	for _, entry := range strings.Fields(terminfo) {
		i := strings.LastIndex(entry, `=\`)
		name, want := entry[:i], strings.NewReplacer(`\e`, "\x1b", `\r`, "\r", `\t`, "\t", `\x`, `\x`).Replace(entry[i+1:])
		for _, hex := range []string{"00", "03", "1c", "1d", "1f", "20", "7f"} {
			var b byte
			_, _ = fmt.Sscanf(hex, "%02x", &b)
			want = strings.ReplaceAll(want, `\x`+hex, string(rune(b)))
		}
		for _, n := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			if n != name && strings.HasPrefix(name, "Alt+") && utf8.RuneCountInString(name) == len("Alt+x") {
				continue // Alt+x is not Alt+X
			}
			if got, err := screen.EncodeKey(n, m); err != nil || string(got) != want {
				t.Errorf("%s: want %q, got %q, %v", n, want, got, err)
			}
			if err := screen.CheckKey(n); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestControlAndALetter(t *testing.T) {
	for c := byte('A'); c <= 'Z'; c++ {
		if got, err := screen.EncodeKey("Control+"+string(rune(c)), screen.Modes{}); err != nil || string(got) != string(rune(c-'A'+1)) {
			t.Errorf("Control+%c sends %q, %v", c, got, err)
		}
	}
}

// Only unmodified keys that move the cursor follow DECCKM (L56).
func TestWhichKeysFollowTheCursorKeyMode(t *testing.T) {
	follow := []string{"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"}
	for _, name := range validKeys(t) {
		off, err := screen.EncodeKey(name, screen.Modes{Keypad: true, BracketedPaste: true})
		on, err2 := screen.EncodeKey(name, screen.Modes{CursorKeys: true})
		if err != nil || err2 != nil || len(off) == 0 {
			t.Fatalf("%s: %v, %v", name, err, err2)
		}
		want := string(on)
		if slices.Contains(follow, name) {
			want = strings.Replace(want, "\x1bO", "\x1b[", 1)
			if string(on) == string(off) {
				t.Errorf("%s is %q in both modes", name, on)
			}
		}
		if string(off) != want {
			t.Errorf("%s sends %q, and %q in application mode", name, off, on)
		}
	}
}

// An unknown key is refused with every name, and with the one that was meant when it can be guessed (L57, L58).
func TestUnknownKeysAreRefused(t *testing.T) {
	for name, meant := range map[string]string{
		"CtrlC": "Control+C", "Ctrl+C": "Control+C", "^C": "Control+C", "C-c": "Control+C", "ctrl-x": "Control+X",
		"Up": "ArrowUp", "down": "ArrowDown", "Left Arrow": "ArrowLeft", "Esc": "Escape", "Return": "Enter", "Entre": "Enter",
		"pgdn": "PageDown", "Page_Up": "PageUp", "Del": "Delete", "BackSpce": "Backspace", "M-x": "Alt+x", "Meta+Left": "Alt+ArrowLeft",
		"ShiftTab": "Shift+Tab", "Ctrl+Shift+Up": "Control+Shift+ArrowUp", "M-X": "Alt+X", "Contrl+C": "Control+C", "ctrl_c": "Control+C", "F13": "F1", "Spacebar": "Space",
		"": "", "x": "", "xyzzy": "", "Control+": "", "Ctrl": "", "Shift+Enter": "", "Control+1": "", "Control+é": "", "Alt+ab": "",
		"Alt+\x07": "", "Control+Control+C": "Control+C", "+": "", "Hyper+C": "", "\xff": "", strings.Repeat("é", 1000): "",
	} {
		_, err := screen.EncodeKey(name, screen.Modes{})
		var e *core.Error
		if !errors.As(err, &e) || e.Code != core.Invalid || e.Field != "keys" || len(e.Valid) < 80 || screen.CheckKey(name) == nil {
			t.Errorf("%q: %#v", name, err)
			continue
		}
		want := fmt.Sprintf("%q is not a key. Keys: Enter, Escape, ", name)
		if meant != "" {
			want = fmt.Sprintf("%q is not a key. Did you mean %q? Keys: Enter, Escape, ", name, meant)
		}
		if len(name) < 32 && !strings.HasPrefix(e.Detail, want) && (meant != "" || strings.Contains(e.Detail, "mean")) {
			t.Errorf("%q: want %q\n got %q", name, want, e.Detail)
		}
		if len(e.Detail) > 600 {
			t.Errorf("%d bytes of detail", len(e.Detail))
		}
	}
}

// validKeys are the names that an error lists. Every one is a key, and no two send the same but those that always did.
func validKeys(t testing.TB) []string {
	var e *core.Error
	if !errors.As(screen.CheckKey(""), &e) {
		t.Fatal("no error")
	}
	return e.Valid
}

func TestEveryNameThatIsListedIsAKeyOfItsOwn(t *testing.T) {
	sent := map[string]string{}
	for _, name := range validKeys(t) {
		b, err := screen.EncodeKey(name, screen.Modes{})
		if err != nil {
			t.Fatal(err)
		}
		if other := sent[string(b)]; other != "" && !slices.Contains([]string{"Tab Control+I", "Enter Control+M", "Escape Control+["}, other+" "+name) {
			t.Errorf("%s sends what %s sends: %q", name, other, b)
		}
		sent[string(b)] = name
	}
}

// FuzzKey: any name is a key or a short error, and a suggestion is a key.
func FuzzKey(f *testing.F) {
	for _, name := range append(validKeys(f), "CtrlC", "Alt+x", "Alt++", "C-M-S-x", "Control+Alt+Shift+Hyper", "^", "\xff", "ééé") {
		f.Add(name, true)
	}
	f.Fuzz(func(t *testing.T, name string, app bool) {
		b, err := screen.EncodeKey(name, screen.Modes{CursorKeys: app})
		if (err == nil) != (len(b) > 0) || (err == nil) != (screen.CheckKey(name) == nil) || len(b) > 16 {
			t.Fatalf("%q sends %q, %v", name, b, err)
		}
		if err == nil {
			return
		}
		detail := err.Error()
		if len(detail) > 1000 || !utf8.ValidString(detail) {
			t.Fatalf("%q", detail)
		}
		if _, rest, ok := strings.Cut(detail, " Did you mean "); ok {
			var meant string
			if _, err := fmt.Sscanf(rest, "%q", &meant); err != nil || screen.CheckKey(meant) != nil {
				t.Fatalf("%q is no suggestion", rest)
			}
		}
	})
}
