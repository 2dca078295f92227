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

// iconNames are the names in Outline's icon library.
const iconNames = `academicCap bicycle beaker buildingBlocks bookmark browser notebook coins camera carrot clock cloud code
	database done email eye feedback flame graph globe hashtag info icecream image internet leaf library lightbulb
	lightning letter math moon notepad padlock palette pencil plane promote ramen question server sun shapes sport
	smiley target team terminal thumbsup truck tools vehicle warning

	bag-shopping book brush cake-candles cat clapperboard compact-disc cookie-bite crow crown cube dna dog
	dollar-sign display droplet face-dizzy face-grin-stars face-laugh face-meh face-smile-beam face-smile-wink
	face-surprise feather fish folder-closed flask-vial gamepad gauge gem gift hammer hands-clapping heart industry
	kit-medical laptop laptop-code magnet map microchip mountain-sun mug-hot network-wired newspaper paint-roller
	passport paw pen-ruler peso-sign phone-volume pizza-slice prescription puzzle-piece rainbow record-vinyl road
	robot rocket sailboat scissors seedling shield shirt shop snowflake socks solar-panel spa star-and-crescent
	star-of-life sterling-sign swatchbook tent tooth tower-cell tractor train tree trophy umbrella umbrella-beach
	universal-access user-graduate utensils vault wand-sparkles web-awesome wheelchair-move worm yen-sign apple
	windows android square-js python x-twitter bluesky github gitlab discord docker codepen dropbox paypal shopify
	swift slack circle square pentagon hexagon diamond spiral`

// nearestIcons is how many names a failure lists.
const nearestIcons = 6

// iconOf returns the icon that a caller means: an emoji, the shortcode of one, such as
// :rocket:, or a name in Outline's library in any case, with or without signs between its
// words. Names in the library go before shortcodes without colons.
func iconOf(given string) (string, error) {
	named := strings.TrimSpace(given)
	if named == "" || named == "none" || outline.IsUUID(named) || strings.ContainsFunc(named, isSymbol) {
		return named, nil
	}
	library, emoji, wanted := strings.Fields(iconNames), prosemirror.EmojiByName(), lettersOf(named)
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

// isSymbol reports whether a character is an emoji or a symbol that Outline takes for one.
func isSymbol(r rune) bool {
	return unicode.Is(unicode.So, r) || r >= 0x1F3FB && r <= 0x1F3FF || r == 0x20E3
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
