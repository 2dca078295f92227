package tools

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// pictures returns the addresses of pictures beside a file of this machine that its text
// shows, if the caller may upload them.
func (in importIn) pictures(env mcptool.Env, text string) (addresses []string) {
	if in.Path == "" {
		return nil
	}
	prosemirror.Walk(prosemirror.Parse(text), func(n *prosemirror.Node) bool {
		address := n.Attrs.String("src")
		if n.Type != prosemirror.Image || len(addresses) == maxPictures || !localAddress().MatchString(address) || slices.Contains(addresses, address) {
			return true
		}
		if file, err := (fileIn{Path: in.beside(address)}).open(env, nil); err == nil {
			file.close()
			if strings.HasPrefix(file.contentType, "image/") {
				addresses = append(addresses, address)
			}
		}
		return true
	})
	return addresses
}

// maxPictures is how many pictures are uploaded with a file.
const maxPictures = 100

// beside returns the path of the file that an address in the file names.
func (in importIn) beside(address string) string {
	if name, err := url.PathUnescape(address); err == nil {
		address = name
	}
	return filepath.Join(filepath.Dir(in.Path), filepath.FromSlash(address))
}

// link uploads pictures for a new document, and has it show them. The user has agreed.
func (in importIn) link(ctx context.Context, env mcptool.Env, document outline.Document, addresses []string) (notes []string) {
	env.Person, env.PlannedID = nil, nil
	change := editing{env: env}
	// Longer ones come first: one may begin another, as a.svg begins a.svg.png.
	slices.SortFunc(addresses, func(a, b string) int { return len(b) - len(a) })
	for _, address := range addresses {
		picture, err := uploadIn{fileIn: fileIn{Path: in.beside(address)}, Insert: "none"}.upload(ctx, env, document)
		if err != nil {
			notes = append(notes, fmt.Sprintf("the picture %s was not uploaded: %v", output.Quote(address), err))
			continue
		}
		_, linked, _ := strings.Cut(picture.Markdown, "](")
		change.in.Edits = append(change.in.Edits, textEdit{OldText: "](" + address, NewText: "](" + strings.TrimSuffix(linked, ")"), AllOccurrences: true})
		change.own = append(change.own, len(change.own))
	}
	if len(change.own) == 0 {
		return notes
	}
	if _, err := change.runAlone(ctx, document.ID); err != nil {
		return append(notes, fmt.Sprintf("the pictures are uploaded, but the document does not show them: %s", strings.TrimSuffix(err.Error(), ".")))
	}
	return append(notes, fmt.Sprintf("pictures uploaded: %d", len(change.own)))
}
