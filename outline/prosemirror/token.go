package prosemirror

// A token is a piece of Markdown between the parser and the tree. Blocks are a
// flat list of opening and closing tokens; an inline token contains the tokens
// of a line of text. Outline rewrites this list in several passes before it
// becomes a tree (rewrite.go), so its form is part of the behavior.
type token struct {
	kind     tokenKind
	flag     tokenFlag
	level    int32  // nesting of a block token
	number   int32  // heading level, start of a list, where a link starts or ends
	line     int32  // first source line of a block; for a closing token, the line after it
	content  string // text, code, the source of an inline token
	detail   *detail
	children []token
}

// detail is what only few tokens have.
type detail struct {
	info  string // words after a fence or callout, the URL of a link or file
	title string // of a link or image; size of a file
}

func (t *token) info() string {
	if t.detail == nil {
		return ""
	}
	return t.detail.info
}

func (t *token) title() string {
	if t.detail == nil {
		return ""
	}
	return t.detail.title
}

// A tokenFlag distinguishes tokens of one kind.
type tokenFlag uint8

const (
	plain tokenFlag = iota

	// Of a cell.
	alignedLeft
	alignedRight
	alignedCenter

	// Of an ordered list: how its first item is numbered.
	lowerAlpha
	upperAlpha

	checked    // a checkbox item
	autolinked // a link whose text is its URL, in which no emoji are looked for

	// undefined is the text of JavaScript's undefined, the value of an empty
	// label of a checkbox. Joined with other text, it is a word.
	undefined
)

type tokenKind uint8

const (
	noToken tokenKind = iota

	// Blocks that open and close.
	paragraphOpen
	headingOpen
	quoteOpen
	bulletListOpen
	orderedListOpen
	checkboxListOpen
	listItemOpen
	checkboxItemOpen
	tableOpen
	rowOpen
	headerOpen
	cellOpen
	noticeOpen
	toggleOpen

	paragraphClose
	headingClose
	quoteClose
	bulletListClose
	orderedListClose
	checkboxListClose
	listItemClose
	checkboxItemClose
	tableClose
	rowClose
	headerClose
	cellClose
	noticeClose
	toggleClose

	// Blocks that stand alone.
	inlineToken
	codeToken
	fenceToken
	mathBlockToken
	ruleToken
	attachmentToken
	videoToken

	// Inline.
	textToken
	specialToken // an escape or an entity: text that no rule may interpret
	softBreakToken
	hardBreakToken
	breakToken
	codeInlineToken
	mathInlineToken
	imageToken
	emojiToken
	mentionToken

	linkOpen
	strongOpen
	emOpen
	underlineOpen
	strikeOpen
	highlightOpen
	placeholderOpen

	linkClose
	strongClose
	emClose
	underlineClose
	strikeClose
	highlightClose
	placeholderClose
)

// closeBlock and closeMark are the distance from an opening kind to its
// closing kind.
const (
	closeBlock = paragraphClose - paragraphOpen
	closeMark  = linkClose - linkOpen
)
