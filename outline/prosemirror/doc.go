// Package prosemirror is Outline's document model: the tree of nodes and marks
// in which Outline keeps a document, what Outline makes of Markdown, and the
// Markdown that it makes of a tree.
//
// The API of Outline speaks Markdown, but each text sent to it is parsed into a
// tree, and each text received was written from one. Both directions lose and
// change things. Code that edits documents has to know the tree that a text
// becomes, and which text a passage is searched in. This package answers both
// without asking the server:
//
//   - [Parse] is the tree that Outline stores for a text.
//   - [Dialect.Serialize] is the raw text that Outline stores for a tree, and that it
//     searches when it patches; [ToText] is the text that its API shows.
//     [Dialect.ToMarkdown] gives both, with the place of each top-level block, and maps
//     places in one to the other.
//   - [ParseComment] and [CommentText] do both for comments.
//   - [Markdown.Patch], [Dialect.Append] and [Dialect.Prepend] do what an update does on the
//     server, its bugs included.
//   - [Sections] and [Words] say what a reader of a text sees: its headings with
//     what belongs to them, and the number of words.
//   - [Dropped] is what Outline would lose of a text without an error, and
//     [IsolateFileLinks] avoids the most common such loss.
//   - [Decode] reads a tree from the JSON that Outline sends in data, and
//     [Equal] compares trees, [SameContent] texts.
//
// # Fidelity
//
// The model was made after Outline 1.9.1 and is held against recordings of a real
// server: 756 documents, 3,030 patches and 709 other writes. It gives the same text and
// the same tree in all but eight. A [Dialect] is what the versions of Outline differ in.
// The main branch and 1.9.2 have each recorded 5,543 whole texts, with what becomes of the
// text that they give back, and the text of 516 trees. On both, the model gives all of the
// texts and all but eight of the trees.
//
// The tests name the exceptions; they concern what the server does outside the model, such
// as storing embedded images, or strings that Go cannot hold. A code block whose language
// is null is one that 1.9.2 fails to show; the model writes it. Two things in a text are not
// in the tree: the labels of date mentions leave out the current year, and a mention written
// without an id gets a random one.
//
// # Why not goldmark
//
// Outline parses with markdown-it 14.2, whose structure block.go and inline.go follow. Its
// own syntax is built on what that parser produces: passes rewrite a flat list of tokens
// (rewrite.go), in which text is split where an escape or an entity stood. That is how \n
// becomes a break and \: does not begin an emoji, how a line with a backslash turns the
// block around it into paragraphs, and how a checkbox swallows the words before it. A tree
// such as goldmark's no longer shows where those splits were. Of the 756 recorded documents,
// 575 hold nothing but CommonMark and tables; goldmark agrees with Outline on 523 of them.
// The parser here is about as fast.
//
// # Limits
//
// Any text can be parsed. The time is linear in its length, blocks nest up to
// 100 levels deep as in markdown-it, and a tree read from JSON up to 1,000.
package prosemirror
