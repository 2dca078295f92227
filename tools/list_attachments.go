package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"outline-mcp/internal/mcp/elicit"
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
		Run: onDocument(fetchDocument, func(_ context.Context, env mcptool.Env, in listAttachmentsIn, document outline.Document) (attachmentList, error) {
			if err := checkParsed(document); err != nil {
				return attachmentList{}, err
			}
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
	lines := lineFinder{text: text, line: 1}
	add := func(kind, address, name, size string) {
		id, err := parse(address)
		if err != nil {
			return
		}
		bytes, _ := strconv.ParseInt(size, 10, 64) // a video has its width and height
		found = append(found, attachmentEntry{id, kind, lines.of(address), output.Excerpt(name, longestTitle), max(0, bytes)})
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

func uploadAttachment() mcptool.Tool {
	return mcptool.Spec[uploadIn, uploaded]{
		Name:        "upload_attachment",
		Title:       "Upload attachment",
		Description: "Uploads a file to Outline and returns the Markdown that shows it, or puts that into a document. With only name and size, it returns an address to which another program can upload the file.",
		Endpoints:   []string{"attachments.create", "attachments.delete", "documents.info", "documents.update"},
		Effect:      mcptool.Adds,
		Optional:    true,
		Problems:    []output.Problem{writeProblem{}},
		Run: func(ctx context.Context, env mcptool.Env, in uploadIn) (uploaded, error) {
			if in.DocumentID == "" {
				return in.upload(ctx, env, outline.Document{})
			}
			document, err := fetchActive(ctx, env, in.DocumentID)
			if err != nil {
				return uploaded{}, err
			}
			answer, err := in.upload(ctx, env, document)
			return answer, withDocument(document, err)
		},
	}
}

type uploadIn struct {
	fileIn
	ContentBase64 string `json:"content_base64,omitempty" jsonschema:"At most 1 MB"`
	Size          int64  `json:"size,omitempty" minimum:"1" jsonschema:"In bytes, if another program uploads the file"`
	DocumentID    string `json:"document_id,omitempty"`
	Insert        string `json:"insert,omitempty" enum:"none,append,after,replace" default:"none" jsonschema:"Where in the document"`
	AfterText     string `json:"after_text,omitempty" maxLength:"10000" jsonschema:"Passage that occurs once; for replace also a picture's address"`

	content []byte
}

// Validate checks that there is one file.
func (in *uploadIn) Validate() error {
	given := len(nonEmpty(in.Path, in.Text, in.ContentBase64))
	switch {
	case given > 1:
		return errors.New("give one of path, text and content_base64")
	case given == 1 && in.Size != 0:
		return errors.New("size is for a file that another program uploads. Leave it out")
	case given == 0 && in.Size == 0:
		return errors.New("give the file as path, text or content_base64, or its name and size for another program to upload it. An empty file is not uploaded")
	case in.Path == "" && in.Name == "":
		return errors.New("name is missing")
	case given == 0 && in.Insert != "none":
		return errors.New("insert needs the file: until it is uploaded, the document would show an error")
	case in.Insert != "none" && in.DocumentID == "":
		return errors.New("insert needs document_id")
	case in.inPlace() != (in.AfterText != ""):
		return errors.New("insert after or replace and after_text belong together")
	}
	if err := checkName(in.Name); err != nil {
		return err
	}
	var err error
	if in.ContentBase64 != "" {
		in.content, err = decodeBase64(in.ContentBase64)
	}
	return err
}

func (in uploadIn) upload(ctx context.Context, env mcptool.Env, document outline.Document) (uploaded, error) {
	params := outline.UploadParams{ID: env.IDToCreate(), Name: in.Name, Size: in.Size, DocumentID: document.ID}
	answer := uploaded{Inserted: in.Insert != "none"}
	if document.ID != "" {
		answer.DocumentID, answer.DocumentTitle, answer.DocumentURLID = document.ID, output.Label(document.Title), document.URLID
	}
	if in.Path == "" && in.Text == "" && in.ContentBase64 == "" {
		if err := in.confirm(ctx, env, document, ""); err != nil {
			return uploaded{}, err
		}
		params.ContentType = typeOfName(in.Name)
		form, err := env.Outline.CreateAttachment(ctx, params)
		if err != nil {
			return uploaded{}, notUploaded(tooLarge(err))
		}
		answer.describe(form.Attachment)
		answer.awaits(form, env.Outline.AbsoluteURL)
		return answer, nil
	}
	file, err := in.open(env, in.content)
	if err != nil {
		return uploaded{}, err
	}
	defer file.close()
	params.Name, params.ContentType, params.Size = file.name, file.contentType, file.size
	answer.describe(outline.Attachment{ID: params.ID, Name: params.Name, ContentType: params.ContentType, Size: params.Size, URL: "/api/attachments.redirect?id=" + params.ID})
	if in.inPlace() { // what does not fit is refused before anything is asked or uploaded
		if _, err := in.edit(env, document, answer.Markdown, true).runAlone(ctx, document.ID); err != nil {
			return uploaded{}, aboutAfterText(err)
		}
	}
	if err := in.confirm(ctx, env, document, file.changed); err != nil {
		return uploaded{}, err
	}
	attachment, err := env.Outline.UploadAttachment(ctx, params, file)
	if err != nil {
		return uploaded{}, notUploaded(tooLarge(err))
	}
	answer.describe(attachment)
	if !answer.Inserted {
		return answer, nil
	}
	if answer.insertion, err = in.insert(ctx, env, document, answer.Markdown); err != nil {
		return uploaded{}, in.notInserted(ctx, env, attachment, err)
	}
	return answer, nil
}

// confirm asks the user. document is the zero value if the call names none; changed is
// that of the file.
func (in uploadIn) confirm(ctx context.Context, env mcptool.Env, document outline.Document, changed string) error {
	return env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
		do := "Upload"
		if in.Path+in.Text+in.ContentBase64 == "" {
			do = "Let another program upload"
		}
		text := do + " " + in.asked()
		switch {
		case in.Insert != "none":
			text += " and insert it into " + located(ctx, env, document)
		case document.ID != "":
			text += " for " + located(ctx, env, document)
		}
		return elicit.Question{Text: text + "?", Details: in.Text, Bound: boundTo(document) + " " + changed}, nil
	})
}

// insert puts the file into the document.
func (in uploadIn) insert(ctx context.Context, env mcptool.Env, document outline.Document, markdown string) (insertion, error) {
	if in.inPlace() {
		edited, err := in.edit(env, document, markdown, false).runAlone(ctx, document.ID)
		return insertion{&edited.Guarded, edited.Lost, strings.Join(edited.Notes, "; "), edited.earlier}, aboutAfterText(err)
	}
	update, note, err := (&updateDocumentIn{documentIn: documentIn{document.ID}, Text: markdown, Append: true}).apply(ctx, env)
	return insertion{Guarded: &update.Guarded, Note: note, earlier: earlierOf(update)}, err
}

// inPlace reports whether the file goes to a passage.
func (in uploadIn) inPlace() bool { return in.Insert == "after" || in.Insert == "replace" }

// edit puts Markdown behind a passage, as its own paragraph, or in place of it. In place of
// an address, it puts the new one.
func (in uploadIn) edit(env mcptool.Env, document outline.Document, markdown string, dry bool) *editing {
	old, text := in.AfterText, in.AfterText+"\n\n"+markdown
	if at := strings.LastIndex(markdown, "]("); in.Insert == "replace" && strings.Contains(document.Text, "]("+old) && at >= 0 {
		old, text = "]("+old, strings.TrimSuffix(markdown[at:], ")")
	} else if in.Insert == "replace" {
		text = markdown
	} else if _, behind, found := strings.Cut(document.Text, in.AfterText); found && behind != "" && behind[0] != '\n' {
		text += "\n\n"
	}
	return &editing{env: env, own: []int{0}, in: editDocumentIn{Edits: []textEdit{{OldText: old, NewText: text}}, DryRun: dry}}
}

// aboutAfterText explains a failure of the edit with the argument that the caller gave.
func aboutAfterText(err error) error {
	if failure, ok := errors.AsType[output.Failure](err); ok {
		failure.Sentence = strings.Replace(failure.Sentence, "edits[0]: ", "", 1)
		for _, said := range []string{"old_text \"", "Copy old_text exactly", "copy old_text from it"} {
			failure.Sentence = strings.Replace(failure.Sentence, said, strings.Replace(said, "old_text", "after_text", 1), 1)
		}
		return failure
	}
	return err
}

// notInserted deletes a file that is in no document, unless it may be in it
// nevertheless, and says so.
func (in uploadIn) notInserted(ctx context.Context, env mcptool.Env, a outline.Attachment, err error) error {
	told := "the uploaded file is deleted again"
	var problem output.Problem
	switch {
	case outline.OutcomeUnknown(err) || errors.As(err, &problem) && (problem.FailureCode() == output.OutcomeUnknown || problem.FailureCode() == output.WriteMismatch):
		told = fmt.Sprintf("the file is uploaded as attachment %s, and the document may show it", a.ID)
	case !env.Outline.DiscardAttachment(ctx, a.ID):
		told = fmt.Sprintf("the file is uploaded as attachment %s, which no document shows and which could not be deleted again", a.ID)
	}
	return withNote(err, "The file could not be inserted: "+told)
}

// notUploaded says what is left of an upload that failed.
func notUploaded(err error) error {
	var failed *outline.UploadError
	if !errors.As(err, &failed) {
		return err
	}
	told := "Nothing is left of the upload"
	if failed.Left {
		told = fmt.Sprintf("Attachment %s may be left without its file: it could not be deleted again", failed.ID)
	}
	if _, ok := errors.AsType[*outline.Error](failed.Err); !ok {
		return output.Failure{Code: output.Conflict, Sentence: fmt.Sprintf("the file was not uploaded: %s. %s.", failed.Err, told), Cause: failed.Err}
	}
	return withNote(failed.Err, told)
}

// withNote adds a sentence to a failure.
func withNote(err error, note string) error {
	if problem, ok := errors.AsType[writeProblem](err); ok {
		problem.Sentence += " " + note + "."
		return problem
	}
	failure := failureOf(err)
	failure.Sentence += " " + note + "."
	return failure
}

// tooLarge explains that Outline refuses a file because of its size, which it says in
// words (recorded).
func tooLarge(err error) error {
	if errors.Is(err, outline.ErrInvalid) && (strings.Contains(reasonOf(err), "too large") || strings.Contains(reasonOf(err), "exceeds the declared size")) {
		return output.Failure{Code: output.TooLarge, Sentence: "Outline refused the file: " + output.OneLine(reasonOf(err)) + ".", Cause: err}
	}
	return err
}
