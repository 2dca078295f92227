package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// prepareSection plans the change of the section that the heading names. The note says
// what of the text is not written.
func (in *updateDocumentIn) prepareSection(ctx context.Context, env mcptool.Env, before outline.Document) (parts *edit.Edits, note string, err error) {
	find := func(text string) (prosemirror.Section, error) {
		now := before
		now.Text = text
		section, err := findSection(env.Available, now, in.Heading, 0)
		return section, noSection(now, err)
	}
	section, err := find(before.Text)
	if err != nil {
		return nil, "", err
	}
	if before.Tree == nil {
		failure := output.Invalid("nothing was written: this Outline does not return the document's tree, without which a section cannot be written exactly")
		failure.Next = "[; edit_document changes a passage of it]"
		return nil, "", failure
	}
	in.section = section.Heading
	if err := in.checkRead(ctx, env, before, section); err != nil {
		return nil, "", err
	}
	if !in.Append && !in.Prepend {
		start, end, _ := edit.Below(before.Text, section)
		if err := in.checkReplaces(ctx, env, before, before.Text[start:end], "all that is below the heading"); err != nil {
			return nil, "", err
		}
	}
	text, note, err := in.sectionText(section)
	if err != nil {
		return nil, "", err
	}
	one := edit.Edit{Section: &edit.SectionEdit{Find: find, Mode: in.mode(), Text: text}}
	if parts, err = edit.Prepare(ctx, before, []edit.Edit{one}, []int{0}); errors.Is(err, edit.ErrNoChange) {
		return parts, note, nil
	}
	if err == nil {
		err = checkLength(parts.First.Text)
	}
	if err != nil {
		return nil, "", sectionProblem(err)
	}
	return parts, note, in.acceptLoss(ctx, env, before, parts.First.Lost)
}

// mode says how the text is used, as documents.update names it.
func (in updateDocumentIn) mode() string {
	switch {
	case in.Append:
		return edit.ModeAppend
	case in.Prepend:
		return edit.ModePrepend
	}
	return edit.ModeReplace
}

// sectionText returns the text for a section, without a first line that repeats its
// heading, which stays. It refuses headings that would take what stays out of the section.
func (in updateDocumentIn) sectionText(section prosemirror.Section) (text, note string, err error) {
	text = strings.Trim(in.Text, "\n")
	if first, rest, found := firstHeading(text); found && first.Level <= section.Level && strings.EqualFold(first.Heading, section.Heading) {
		text, note = rest, "the first line, which repeats the heading, was left out"
	}
	heading := output.Quote(output.Excerpt(section.Heading, 100))
	if strings.TrimSpace(text) == "" && (in.Append || in.Prepend) {
		return "", "", output.Invalid("nothing was written: text only repeats the heading %s", heading)
	}
	if strings.TrimSpace(text) == "" && !in.AllowShrink {
		return "", "", output.Invalid("nothing was written: this would remove all that is below the heading %s. If that is meant, set allow_shrink", heading)
	}
	if in.Append {
		return text, note, nil
	}
	for i, block := range prosemirror.Parse(text).Content {
		if block.Type != prosemirror.Heading || int(block.Attrs.Number("level")) > section.Level || i > 0 && !in.Prepend {
			continue
		}
		failure := output.Invalid("nothing was written: the heading %s stays, and the heading %s in text, of the same level or a higher one, would begin another section above what belongs to it.",
			heading, output.Quote(output.Excerpt(prosemirror.PlainText(block), 100)))
		failure.Next = "Leave it out, or give it a lower level.[ To rename a heading, use edit_document.]"
		return "", "", failure
	}
	return text, note, nil
}

// acceptLoss refuses a change of a section that would detach unresolved comments from
// text that is kept.
func (in updateDocumentIn) acceptLoss(ctx context.Context, env mcptool.Env, before outline.Document, loss edit.Loss) error {
	open, err := detached(ctx, env, before.ID, loss, false)
	if err != nil || len(open) == 0 {
		return err
	}
	failure := output.Invalid("nothing was written: Outline can only make this change by rewriting whole blocks, which would detach %s from text that is kept: %s.",
		output.Count(len(open), "unresolved comment", "unresolved comments"), strings.Join(open, "; "))
	failure.Next = "[Use edit_document, with shorter passages or allow_loss true.]"
	return failure
}

// noSection returns the failure to find the section that is to be changed.
func noSection(document outline.Document, err error) error {
	missing, isMissing := errors.AsType[headingNotFound](err)
	several, isSeveral := errors.AsType[headingAmbiguous](err)
	var list strings.Builder
	failure := output.Failure{DocumentID: document.ID}
	switch {
	case isMissing:
		failure.Code, failure.Sentence = missing.Code, missing.Message
		for _, h := range missing.Nearest {
			fmt.Fprintf(&list, "\n- line %d: %s", h.Line, h.Text)
		}
	case isSeveral:
		failure.Code = several.Code
		failure.Sentence = fmt.Sprintf("%d headings match. Give more of the text of one, or its anchor:", len(several.Matches))
		sections := prosemirror.Sections(document.Text)
		anchors := anchorsOf(sections)
		for at, s := range sections {
			h := matchOf(s)
			if slices.Contains(several.Matches[:min(len(several.Matches), mostNearest)], h) {
				fmt.Fprintf(&list, "\n- line %d: %s%s", h.Line, h.Text, shownAnchor(", ", anchors[at]))
			}
		}
	default:
		return err
	}
	failure.Sentence = "nothing was written: " + failure.Sentence + list.String()
	return failure
}

// sectionProblem explains why a section cannot be changed as asked.
func sectionProblem(err error) error {
	if failed, ok := errors.AsType[*edit.EditError](err); ok {
		err = failed.Err
	}
	if refused, ok := errors.AsType[*edit.RefusedError](err); ok {
		return output.Invalid("nothing was written: %s", refused)
	}
	const next = "Read it again[ with read_document] and write what is missing."
	if over, ok := errors.AsType[*edit.WrittenOverError](err); ok && over.Unsure {
		return output.Failure{Code: output.OutcomeUnknown, Sentence: "another user may have written over the new text: how much of it is in the document is not known.", Next: next}
	} else if ok {
		return output.Failure{Code: output.Conflict, Sentence: "another user has written over the part of the new text that was written.", Next: next}
	}
	if _, ok := errors.AsType[*edit.PartlyMadeError](err); ok {
		return output.Failure{Code: output.Conflict, Sentence: "another user changed the document meanwhile.", Next: next}
	}
	return err
}

// applyParts makes a change whose text is written in parts, one section of a document or
// what differs in the whole, so that what it shows as before stays what it is.
func (in updateDocumentIn) applyParts(ctx context.Context, env mcptool.Env, parts *edit.Edits, change edit.Params) (edit.Result, error) {
	policy := edit.Policy{ExpectedRevision: change.ExpectedRevision, With: func(last *edit.Params) {
		last.Title, last.Icon, last.Color, last.FullWidth, last.Publish, last.CollectionID = change.Title, change.Icon, change.Color, change.FullWidth, change.Publish, change.CollectionID
	}}
	if in.Heading != "" {
		policy.Accept = func(ctx context.Context, loss edit.Loss) error { return in.acceptLoss(ctx, env, parts.Before, loss) }
	}
	err := sectionProblem(parts.Apply(ctx, env.Outline, policy))
	if mismatch, ok := errors.AsType[*edit.Mismatch](err); ok {
		problem := newMismatch(mismatch, parts.Before, newEarlier(parts.Earlier, parts.NoEarlier), 0, 0, parts.Begun())
		if parts.Begun() && mismatch.Kind == edit.Undone {
			problem.Sentence += in.unwritten(parts.Before, mismatch.Undone)
		}
		return parts.Result(), problem
	}
	if err == nil || parts.Applied() == 0 {
		return parts.Result(), err
	}
	failure := failureOf(err)
	problem := newWriteProblem(parts.Before, parts.Now)
	problem.Failure, problem.DocumentID, problem.earlier = failure, parts.Now.ID, newEarlier(parts.Earlier, parts.NoEarlier)
	head := in.unwritten(parts.Before, parts.Now)
	if failure.Code == output.OutcomeUnknown {
		head = ""
	}
	problem.Sentence = fmt.Sprintf("only a part of the new text was written, as the diff shows%s: %s", head, failure.Sentence)
	return parts.Result(), problem
}

// unwritten says which of the other changes, which come with the last part of the text, a
// document does not have.
func (in updateDocumentIn) unwritten(before, now outline.Document) string {
	if now.Title != before.Title || !now.SameLook(before.DocumentSummary) || before.PublishedAt == nil && now.PublishedAt != nil {
		return ""
	}
	other := in
	other.Text = ""
	if changes := other.changes(); changes != "" {
		return "; these changes were not made: " + changes
	}
	return ""
}
