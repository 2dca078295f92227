package prosemirror

import (
	"strings"
	"unicode"
)

// IconNames returns the names in Outline's icon library, which documents, collections
// and templates can have as their icon in place of an emoji.
func IconNames() []string {
	return strings.Fields(`
	academicCap bicycle beaker buildingBlocks bookmark browser notebook coins camera carrot clock cloud code
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
	swift slack circle square pentagon hexagon diamond spiral
	`)
}

// IsEmoji reports whether Outline takes a character for an emoji, or the beginning of
// one. It also takes a few symbols that are none.
func IsEmoji(r rune) bool {
	return unicode.Is(unicode.So, r) || r >= 0x1F3FB && r <= 0x1F3FF || r == 0x20E3
}
