package grep

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// explained says what is wrong with an expression, and at which character. The
// parser tells only what it stopped at.
func explained(pattern string, err error) error {
	problem, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return fmt.Errorf("the regular expression cannot be used: %w", err)
	}
	at := flaw(pattern, problem.Expr)
	text := fmt.Sprintf("the regular expression has an error at character %d: %s", utf8.RuneCountInString(pattern[:at])+1, problem.Code)
	switch problem.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen: // the parser names the whole expression
	case syntax.ErrInvalidPerlOp:
		text += fmt.Sprintf(" %q; RE2 has no lookahead, lookbehind or backreferences", problem.Expr)
	default:
		text += fmt.Sprintf(" %q", problem.Expr)
	}
	return errors.New(text)
}

// matchesOnlyEmpty reports whether an expression matches no character, as ^ or \b.
func matchesOnlyEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !matchesOnlyEmpty(sub) })
}

// flaw returns the offset of what the parser does not accept: where the expression
// stops being one, or the beginning of what the parser names there.
func flaw(pattern, named string) int {
	valid := len(pattern)
	for valid > 0 {
		_, size := utf8.DecodeLastRuneInString(pattern[:valid])
		valid -= size
		if _, err := syntax.Parse(pattern[:valid], syntax.Perl); err == nil {
			break
		}
	}
	if named == "" || named == pattern {
		return valid
	}
	for at := 0; ; at++ {
		n := strings.Index(pattern[at:], named)
		if n < 0 {
			return valid
		}
		if at += n; at+len(named) > valid {
			return at
		}
	}
}
