package screen

import (
	"reflect"
	"unsafe"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// parserBytes is what x/vt's parser needs of a buffer for strings: it never gets one from us.
const parserBytes = 64

// slim takes away the 4 MB that x/vt v0.1.0 gives its parser. They are never used, but the garbage collector counts
// them as ours, and memory that was used before is zeroed, and so occupied, before it is reserved again. The parser has
// no getter; when an upgrade renames it, TestTrapParserBuffer fails and the buffer stays.
func slim(e *vt.Emulator) {
	field := reflect.ValueOf(e).Elem().FieldByName("parser")
	if field.IsValid() && field.Type() == reflect.TypeFor[*ansi.Parser]() {
		(*(**ansi.Parser)(unsafe.Pointer(field.UnsafeAddr()))).SetDataSize(parserBytes)
	}
}
