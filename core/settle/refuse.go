package settle

import (
	"errors"
	"fmt"
	"regexp/syntax"

	"termbay/core"
)

// field is where callers name the text to wait for.
const field = "wait_for_text"

// badPattern is the error for a pattern: it and why it is refused make the sentence.
func badPattern(text, why string, err error) error {
	return &core.Error{Code: core.BadPattern, Field: field, Detail: display(text) + " " + why, Err: err}
}

// uses refuses what RE2 does not have.
func uses(construct string) string {
	return fmt.Sprintf("uses %s, which is not supported here; write it without.", construct)
}

// mistake says what RE2 found wrong.
func mistake(err error) string {
	wrong := new(syntax.Error)
	if !errors.As(err, &wrong) {
		return uses("what RE2 cannot match")
	}
	switch wrong.Code {
	case syntax.ErrMissingBracket:
		return `has an unmatched [; close it, or write \[ for the character.`
	case syntax.ErrMissingParen:
		return `has an unmatched (; close it, or write \( for the character.`
	case syntax.ErrUnexpectedParen:
		return `has an unmatched ); open it, or write \) for the character.`
	case syntax.ErrInvalidRepeatSize:
		return fmt.Sprintf("has the repeat count %s; counts go up, and to 1000 in all.", wrong.Expr)
	case syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp:
		return fmt.Sprintf(`has nothing to repeat before %s; write a backslash before the character itself.`, wrong.Expr)
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		return "is too large; wait for something shorter."
	}
	return uses(display(wrong.Expr))
}
