package prosemirror

import "strings"

// isFileURL reports the URL of a file that Outline stores, unless it asks to
// stay a link.
func isFileURL(href string) bool {
	return !strings.Contains(href, "display=link") &&
		(strings.HasPrefix(href, "/api/attachments.redirect") || strings.HasPrefix(href, "/api/files.get"))
}

// linksToFiles turns a paragraph that links to a stored file into an attachment
// or a video. All other text of the paragraph is lost. The last word of the
// link's first text is the size in bytes, or width x height.
func linksToFiles(list []token, drops *drops) []token {
	var out []token
	inside := "" // the URL of the enclosing link, which continues after its paragraph
	for i := 0; i < len(list); i++ {
		file := token{}
		if i > 0 && i < len(list)-1 && list[i].kind == inlineToken && list[i-1].kind == paragraphOpen {
			children := list[i].children
			for j := 0; j < len(children)-1; j++ {
				switch t := &children[j]; {
				case t.kind == linkOpen:
					inside = t.info()
				case t.kind == linkClose:
					inside = ""
				case isFileURL(inside):
					file = fileToken(inside, t.content)
					drops.file(list[i].line, children, j, &file)
				}
				if file.kind != noToken {
					inside = ""
					break
				}
			}
		}
		if file.kind == noToken {
			if out != nil {
				out = append(out, list[i])
			}
			continue
		}
		if out == nil {
			out = append(make([]token, 0, len(list)), list[:i]...)
		}
		out[len(out)-1] = file // in place of the paragraph
		i++
	}
	if out == nil {
		return list
	}
	return out
}

func fileToken(href, label string) token {
	title, size := "", label
	if at := strings.LastIndexByte(label, ' '); at >= 0 {
		title, size = label[:at], label[at+1:]
	}
	kind := attachmentToken
	if strings.Contains(size, "x") {
		kind = videoToken
	} else if size == "" {
		size = "0"
	}
	return token{kind: kind, content: title, detail: &detail{href, size}}
}

// linksToMentions turns @[label](mention://…) into mentions.
func linksToMentions(children []token) []token {
	var out []token
	for i := 0; i < len(children); i++ {
		if i+3 < len(children) && isMention(children[i:i+4]) {
			if out == nil {
				out = append(make([]token, 0, len(children)), children[:i]...)
			}
			text := children[i]
			text.content = strings.TrimSuffix(text.content, "@")
			out = append(out, text, token{kind: mentionToken, content: children[i+2].content, detail: children[i+1].detail})
			i += 3
		} else if out != nil {
			out = append(out, children[i])
		}
	}
	if out == nil {
		return children
	}
	return out
}

func isMention(chunk []token) bool {
	if chunk[0].kind != textToken || !strings.HasSuffix(chunk[0].content, "@") || chunk[1].kind != linkOpen ||
		chunk[2].content == "" || chunk[3].kind != linkClose {
		return false
	}
	_, _, _, ok := mentionParts(chunk[1].info())
	return ok
}

// mentionParts splits mention://id/type/model or mention://type/model.
func mentionParts(href string) (id, kind, model string, ok bool) {
	rest, ok := strings.CutPrefix(href, "mention://")
	if !ok {
		return "", "", "", false
	}
	parts := strings.Split(rest, "/")
	if len(parts) == 3 && isName(parts[0], "-0123456789") {
		id, parts = parts[0], parts[1:]
	}
	if len(parts) != 2 || !isName(parts[0], "_") {
		return "", "", "", false
	}
	model = parts[1]
	// A model is an id, a date or a date and time such as 2024-02-03T13:00.
	if at := len(model) - len("T13:00"); at > 0 && model[at] == 'T' {
		clock := model[at+1:]
		if !isDigit(clock[0]) || !isDigit(clock[1]) || clock[2] != ':' || !isDigit(clock[3]) || !isDigit(clock[4]) {
			return "", "", "", false
		}
		model = model[:at]
	}
	if !isName(model, "-0123456789") {
		return "", "", "", false
	}
	return id, parts[0], parts[1], true
}

// isName reports whether a word consists of small letters and the given other
// characters.
func isName(s, others string) bool {
	for i := range len(s) {
		if (s[i] < 'a' || s[i] > 'z') && strings.IndexByte(others, s[i]) < 0 {
			return false
		}
	}
	return s != ""
}
