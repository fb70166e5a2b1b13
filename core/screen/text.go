package screen

import "strings"

// Text is the screen as plain text: its rows without trailing blanks, each ended by a line feed; blank rows at the end
// are left out.
func (s Snapshot) Text() string {
	var b strings.Builder
	blank := 0 // rows since the last text
	for _, row := range s.Rows {
		var line strings.Builder
		for _, run := range row {
			line.WriteString(run.Text)
		}
		text := strings.TrimRight(line.String(), " ")
		if text == "" {
			blank++
			continue
		}
		b.WriteString(strings.Repeat("\n", blank) + text + "\n")
		blank = 0
	}
	return b.String()
}
