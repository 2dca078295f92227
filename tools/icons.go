package tools

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/names"
)

// nearestIcons is how many names a failure lists.
const nearestIcons = 6

// iconOf returns the icon that a caller means: an emoji, the shortcode of one, such as
// :rocket:, or a name in Outline's library in any case, with or without signs between its
// words. Names in the library go before shortcodes without colons.
func iconOf(given string) (string, error) {
	named := strings.TrimSpace(given)
	if named == "" || named == "none" || outline.IsUUID(named) || strings.ContainsFunc(named, prosemirror.IsEmoji) {
		return named, nil
	}
	library, emoji, wanted := prosemirror.IconNames(), prosemirror.EmojiByName(), lettersOf(named)
	if slices.Contains(library, named) {
		return named, nil
	}
	if code := strings.Trim(named, ":"); code != named && emoji[strings.ToLower(code)] != "" {
		return emoji[strings.ToLower(code)], nil
	}
	for _, name := range library {
		if lettersOf(name) == wanted {
			return name, nil
		}
	}
	shortcodes := slices.Sorted(maps.Keys(emoji))
	for _, name := range shortcodes {
		if lettersOf(name) == wanted {
			return emoji[name], nil
		}
	}
	all := append(library, entriesOf(shortcodes, func(name string) string { return ":" + name + ":" })...)
	nearest := entriesOf(names.Nearest(all, named, nearestIcons), func(i int) string { return all[i] })
	return "", output.Invalid("nothing was written: icon %s is neither an emoji nor the name of an icon. The nearest are %s",
		output.Quote(output.Excerpt(given, 60)), strings.Join(nearest, ", "))
}

// lettersOf returns the letters and digits of a name in lower case. A plus counts: +1 is no 1.
func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
