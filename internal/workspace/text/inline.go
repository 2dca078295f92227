package text

import (
	"outline-mcp/internal/workspace/ident"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// inline returns the content of a paragraph or heading on one line.
func (m *markdownWriter) inline(n ast.Node) string {
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		segment := lines.At(i)
		line := strings.TrimRight(string(segment.Value(m.source)), "\n")
		if i == lines.Len()-1 {
			b.WriteString(strings.Trim(line, " \t"))
			break
		}
		trimmed := strings.Trim(line, " \t")
		slashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
		switch {
		case strings.HasSuffix(line, "  "):
			b.WriteString(trimmed + `\n`)
		case slashes%2 == 1 && trimmed == strings.TrimLeft(line, " \t"):
			b.WriteString(trimmed + "n")
		default:
			b.WriteString(trimmed + " ")
		}
	}
	return m.rewriteInline(b.String())
}

var (
	// protected matches what is not rewritten: code, mathematics, escapes, and
	// addresses in links, in angle brackets and on their own.
	protected = pattern("``[^`].*?``|`[^`]+`|\\$\\$.+?\\$\\$|\\]\\([^()\\s]*(?:\\([^()\\s]*\\)[^()\\s]*)*(?:[ \t]+\"[^\"]*\")?\\)|<[^<>\\s]+>|https?://\\S+|\\\\.")

	underscored = pattern(`(^|[\s("'>])_([^_*\s](?:[^_*]*[^_*\s])?)_($|[\s)"'.,;:!?])`)
	reference   = pattern(`\[([^\[\]]+)\](?:\[([^\[\]]*)\])?`)
	mention     = pattern(`(@\[[^\[\]]*\]\(mention://)([a-z_]+/[0-9a-f-]{36}\))`)
)

// rewriteInline returns a line in Outline's form: emphasis with asterisks,
// references as inline links, and mentions with an ID.
func (m *markdownWriter) rewriteInline(line string) string {
	line = mention().ReplaceAllStringFunc(line, func(text string) string {
		parts := mention().FindStringSubmatch(text)
		return parts[1] + ident.DerivedUUID("mention", text) + "/" + parts[2]
	})
	var b strings.Builder
	last := 0
	for _, at := range protected().FindAllStringIndex(line, -1) {
		b.WriteString(m.rewriteSegment(line[last:at[0]], line[at[0]:]))
		b.WriteString(line[at[0]:at[1]])
		last = at[1]
	}
	b.WriteString(m.rewriteSegment(line[last:], ""))
	return b.String()
}

// rewriteSegment rewrites a part of a line without code and addresses. rest is
// the remainder of the line.
func (m *markdownWriter) rewriteSegment(part, rest string) string {
	if strings.Contains(part, "_") {
		part = underscored().ReplaceAllString(part, "$1*$2*$3")
	}
	if len(m.links) == 0 || !strings.Contains(part, "[") {
		return part
	}
	return reference().ReplaceAllStringFunc(part, func(text string) string {
		if strings.HasSuffix(part, text) && (strings.HasPrefix(rest, "](") || strings.HasPrefix(rest, "(")) {
			return text
		}
		parts := reference().FindStringSubmatch(text)
		label := parts[2]
		if label == "" {
			label = parts[1]
		}
		target, ok := m.links[util.ToLinkReference([]byte(label))]
		if !ok {
			return text
		}
		return "[" + parts[1] + "](" + target + ")"
	})
}

var definition = pattern(`(?m)^[ >]*\[[^\]]+\]:`)

// references returns the targets of the link references that a text defines, by
// normalized label.
func references(blocks parser.Parser, markdown string) map[string]string {
	if !definition().MatchString(markdown) {
		return nil
	}
	context := parser.NewContext()
	blocks.Parse(text.NewReader([]byte(markdown)), parser.WithContext(context))
	links := make(map[string]string)
	for _, r := range context.References() {
		target := string(r.Destination())
		if title := string(r.Title()); title != "" {
			target += ` "` + title + `"`
		}
		links[util.ToLinkReference(r.Label())] = target
	}
	return links
}
