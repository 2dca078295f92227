package tools

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

func listAttachments() mcptool.Tool {
	return mcptool.Spec[listAttachmentsIn, attachmentList]{
		Name:        "list_attachments",
		Title:       "List attachments",
		Description: "Lists the images and files that an Outline document shows or links to, in order, with their lines.[ read_attachment shows one.]",
		Endpoints:   []string{"documents.info"},
		Effect:      mcptool.Reads,
		Optional:    true,
		Run: onDocument(func(_ context.Context, env mcptool.Env, in listAttachmentsIn, document outline.Document) (attachmentList, error) {
			all := attachmentsIn(document.Text, env.Outline.ParseAttachmentID)
			list := attachmentList{
				nameOf(document.DocumentSummary), all[min(in.Offset, len(all)):], wholeList{Total: len(all), offset: in.Offset},
				document.Revision, stateOf(document.DocumentSummary),
			}
			list.show(len(list.Attachments))
			return list, nil
		}),
	}
}

type listAttachmentsIn struct {
	documentIn
	Offset int `json:"offset,omitempty" minimum:"0"`
}

// attachmentEntry is a place in a document that shows a file or links to it.
type attachmentEntry struct {
	AttachmentID string `json:"attachment_id" format:"uuid"`
	Kind         string `json:"kind" enum:"image,file"`
	Line         int    `json:"line" minimum:"1"`
	Name         string `json:"name" jsonschema:"Alt text of an image"`
	Size         int64  `json:"size,omitempty" jsonschema:"In bytes, if the document says so"`
}

func (a attachmentEntry) write(t *output.Text) {
	t.Printf("%s %s, %s, line %d", titleOf(a.Name), a.AttachmentID, a.Kind, a.Line)
	t.If(a.Size > 0).Printf(", %d bytes", a.Size)
}

type attachmentList struct {
	documentName
	Attachments []attachmentEntry `json:"attachments"`
	wholeList
	Revision int `json:"revision"`
	state
}

// Cuts implements output.Cuttable.
func (l *attachmentList) Cuts() []output.Cut { return cutEntries(&l.Attachments, l.show) }

func (l attachmentList) WriteText(t *output.Text) {
	heading := fmt.Sprintf("%s in %s %s, revision %d", output.Count(l.Total, "image or file", "images and files"), titleOf(l.Title), l.id(), l.Revision)
	writeList(t, heading+l.shown(), "Each line: alt text or name, attachment_id, kind, line of the document, size", l.Attachments)
	l.state.write(t)
	l.writeEnd(t)
}

// attachmentsIn returns the files of this Outline in the text of a document. parse
// returns the ID in an address.
func attachmentsIn(text string, parse func(string) (string, error)) []attachmentEntry {
	found := []attachmentEntry{}
	read, line := 0, 1
	add := func(kind, address, name, size string) {
		id, err := parse(address)
		if err != nil {
			return
		}
		// The tree does not know lines. The address is in the text as it is, in the
		// same order.
		if at := strings.Index(text[read:], address); at >= 0 {
			line += strings.Count(text[read:read+at], "\n")
			read += at
		}
		bytes, _ := strconv.ParseInt(size, 10, 64) // a video has its width and height
		found = append(found, attachmentEntry{id, kind, line, output.Excerpt(name, longestTitle), max(0, bytes)})
		read = min(len(text), read+1)
	}
	linked := "" // by the text before
	prosemirror.Walk(prosemirror.Parse(text), func(n *prosemirror.Node) bool {
		link, _ := n.Mark(prosemirror.Link)
		switch n.Type {
		case prosemirror.Image:
			add("image", n.Attrs.String("src"), n.Attrs.String("alt"), "")
		case prosemirror.Attachment:
			add("file", n.Attrs.String("href"), n.Attrs.String("title"), n.Attrs.String("size"))
		case prosemirror.Video:
			add("file", n.Attrs.String("src"), n.Attrs.String("title"), "")
		case prosemirror.Text:
			// A link with several marks is several texts.
			if href := link.Attrs.String("href"); href != linked {
				if linked = href; href != "" {
					add("file", href, n.Text, "")
				}
			}
			return false
		}
		linked = ""
		return true
	})
	return found
}
