package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

func listTemplates() mcptool.Tool {
	return mcptool.Spec[listTemplatesIn, templateList]{
		Name:        "list_templates",
		Title:       "List templates",
		Description: "Lists Outline's document templates with their text.",
		Endpoints:   []string{"templates.list"},
		Effect:      mcptool.Reads,
		Run: onCollection(optionalCollection, func(ctx context.Context, env mcptool.Env, in listTemplatesIn, collection string) (templateList, error) {
			names := env.Collections.Begin(ctx)
			page, err := env.Outline.Templates(ctx, outline.TemplateParams{
				CollectionID: collection, Query: in.Query, ListParams: outline.ListParams{Limit: in.Limit, Offset: in.Offset},
			})
			if err != nil {
				return templateList{}, err
			}
			list := templateList{countedList: countedList{Total: page.Total, Offset: in.Offset}}
			list.Templates = entriesOf(page.Items, func(t outline.Template) templateEntry {
				return templateEntryOf(t, homeOf(names(), t.CollectionID), in.MaxCharsEach)
			})
			list.show(len(list.Templates))
			return list, nil
		}),
	}
}

type listTemplatesIn struct {
	Query string `json:"query,omitempty" maxLength:"1000" jsonschema:"Part of the title"`
	inCollectionIn
	MaxCharsEach int `json:"max_chars_each,omitempty" minimum:"1" maximum:"4000" default:"400"`
	paging
}

// templateEntry is a template in a list.
type templateEntry struct {
	TemplateID string `json:"template_id" format:"uuid"`
	Title      string `json:"title"`
	home
	Draft     bool      `json:"draft,omitempty"`
	UpdatedAt time.Time `json:"updated_at"`
	Text      string    `json:"text" jsonschema:"Markdown"`
	Chars     int       `json:"chars,omitempty" jsonschema:"Of the whole text, if it is cut"`
}

func templateEntryOf(t outline.Template, of home, most int) templateEntry {
	entry := templateEntry{TemplateID: t.ID, Title: output.Label(t.Title), home: of, Draft: t.PublishedAt == nil, UpdatedAt: t.UpdatedAt}
	text := prosemirror.ToText(t.Tree)
	if entry.Text = output.Head(text, most); entry.Text != text {
		entry.Chars = utf8.RuneCountInString(text)
	}
	return entry
}

func (e templateEntry) write(t *output.Text) {
	t.Printf("%s %s%s, %s", titleOf(e.Title), e.TemplateID, e.in(), day(e.UpdatedAt))
	t.If(e.Draft).Printf(", draft")
	t.If(e.Chars > 0).Printf(", the first of %d characters", e.Chars)
	t.If(e.Text != "").Printf(":\n  %s", indent(e.Text))
}

type templateList struct {
	Templates []templateEntry `json:"templates"`
	countedList
}

// Cuts implements output.Cuttable.
func (l *templateList) Cuts() []output.Cut { return cutEntries(&l.Templates, l.show) }

func (l templateList) WriteText(t *output.Text) {
	writeCounted(t, l.countedList, "template", "templates",
		"Each: title, template_id, collection unless it is for all, updated. Outline replaces {date}, {time}, {datetime} and {author}.", l.Templates)
}

func createTemplate() mcptool.Tool {
	return mcptool.Spec[createTemplateIn, createdTemplate]{
		Name:        "create_template",
		Title:       "Create template",
		Description: "Creates a template for Outline documents from a document or from Markdown.",
		Endpoints:   []string{"templates.create"},
		Effect:      mcptool.Adds,
		Optional:    true,
		Run: func(ctx context.Context, env mcptool.Env, in createTemplateIn) (createdTemplate, error) {
			template, notes, err := in.template(ctx, env)
			if err != nil {
				return createdTemplate{}, err
			}
			if template.CollectionID, err = optionalCollection(ctx, env, in.CollectionID); err != nil {
				return createdTemplate{}, err
			}
			names := env.Collections.Begin(ctx)
			err = env.Person.Confirm(ctx, func(ctx context.Context) (elicit.Question, error) {
				text := "Create the template " + titleOf(template.Title) + " for all collections?"
				if template.CollectionID != "" {
					text = "Create the template " + titleOf(template.Title) + " for " + collectionCalled(ctx, env, template.CollectionID) + "?"
				}
				return elicit.Question{Text: text, Details: prosemirror.ToText(template.Tree)}, nil
			})
			if err != nil {
				return createdTemplate{}, err
			}
			created, err := env.Outline.CreateTemplate(ctx, template)
			if err != nil {
				return createdTemplate{}, notCreated(template, err)
			}
			if differences := edit.Differences(template.Tree, created.Tree); len(differences) > 0 {
				return createdTemplate{}, output.Failure{Code: output.WriteMismatch, Sentence: fmt.Sprintf(
					"the template %s was created, but Outline stored something other than what was sent: %s became %s. Correct it in Outline, and do not create it again.",
					created.ID, output.Quote(output.Excerpt(differences[0].Wanted, 200)), output.Quote(output.Excerpt(differences[0].Stored, 200)))}
			}
			return createdTemplate{created.ID, output.Label(created.Title), homeOf(names(), created.CollectionID), notes}, nil
		},
	}
}

// notCreated explains why Outline refused to create a template.
func notCreated(template outline.CreateTemplateParams, err error) error {
	refusal := output.Failure{CollectionID: template.CollectionID,
		Sentence: "Outline refused to create the template: it takes whoever may manage the templates of the collection, and the scope templates.create."}
	if template.CollectionID == "" {
		refusal.Sentence = "Outline refused to create the template: one for all collections takes an admin, and the scope templates.create. Give the collection_id of a collection whose templates you may manage."
	}
	return explainRefusal(err, refusal)
}

type createTemplateIn struct {
	DocumentID   string `json:"document_id,omitempty" jsonschema:"Document to make it from"`
	Text         string `json:"text,omitempty" jsonschema:"Markdown, instead of document_id"`
	Title        string `json:"title,omitempty" maxLength:"100" jsonschema:"Default: that of the document"`
	CollectionID string `json:"collection_id,omitempty" jsonschema:"Default: for all collections"`
}

// Validate rejects calls without text and title.
func (in createTemplateIn) Validate() error {
	switch {
	case (in.DocumentID == "") == (in.Text == ""):
		return errors.New("give either document_id or text")
	case in.DocumentID == "" && in.Title == "":
		return errors.New("title is missing: a template from text needs one")
	}
	return cmp.Or(checkTitle(in.Title), checkText(in.Text))
}

// template returns the template that a call describes, without its collection, and
// what of the text was changed. Its text is the tree of the document or, for Markdown,
// the one that Outline would make of it.
func (in createTemplateIn) template(ctx context.Context, env mcptool.Env) (outline.CreateTemplateParams, []string, error) {
	template := outline.CreateTemplateParams{ID: env.NewID(), Title: in.Title}
	if in.DocumentID == "" {
		text, notes, err := newText(ctx, env, in.Text, "")
		template.Tree = prosemirror.Parse(text)
		return template, notes, err
	}
	id, err := documentID(ctx, env, in.DocumentID)
	if err != nil {
		return template, nil, err
	}
	document, err := env.Outline.DocumentWithTree(ctx, id)
	if err != nil {
		return template, nil, err
	}
	if document.Tree == nil {
		return template, nil, withDocument(document, output.Failure{Code: output.Unsupported, Sentence: "this server does not return the document in the form that templates have, or it is too large. Give its text instead."})
	}
	if template.Title = cmp.Or(template.Title, document.Title); template.Title == "" {
		return template, nil, withDocument(document, output.Invalid("the document has no title: give one for the template"))
	}
	template.Tree = document.Tree.WithoutMarks(prosemirror.Comment)
	return template, nil, nil
}

type createdTemplate struct {
	TemplateID string `json:"template_id" format:"uuid"`
	Title      string `json:"title"`
	home
	Notes []string `json:"notes,omitempty"`
}

func (c createdTemplate) WriteText(t *output.Text) {
	t.Line("Created the template %s %s%s", titleOf(c.Title), c.TemplateID, c.in())
	writeNotes(t, c.Notes...)
}

// A sourceTemplate is the template that a document is to be created from, as far as
// it can be read: a key may not reach it.
type sourceTemplate struct {
	id       string // "": none
	template outline.Template
	err      error // of reading it
}

// beginTemplate starts to read a template, and returns a function that waits for it.
func beginTemplate(ctx context.Context, env mcptool.Env, id string) func() sourceTemplate {
	if id == "" {
		return func() sourceTemplate { return sourceTemplate{} }
	}
	return inBackground(func() sourceTemplate {
		template, err := env.Outline.Template(outline.WithCallOptions(ctx, outline.NoRetries()), id)
		return sourceTemplate{id, template, err}
	})
}

// title returns the title of the template for a sentence, or "" if it was not read.
func (s sourceTemplate) title() string {
	if s.id == "" || s.err != nil {
		return ""
	}
	return titleOf(s.template.Title)
}

// explain returns why no document was created. Outline gives the same answer to an
// unknown template as to a missing right.
func (s sourceTemplate) explain(err error) error {
	if s.id == "" || !errors.Is(err, outline.ErrForbidden) || !errors.Is(s.err, outline.ErrNotFound) {
		return err
	}
	return output.Failure{Code: output.NotFound, Cause: err,
		Sentence: fmt.Sprintf("nothing was created: there is no template %s.", s.id), Next: "[list_templates shows them.|Check template_id.]"}
}

// variables are what Outline replaces in a template.
var variables = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(?:date|time|datetime|author)\}`) })

// placeholders are what people fill in.
var placeholders = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{[ \t]*[A-Za-z][\w .-]{0,60}\}\}`) })

// notes say what became of the template in a new document.
func (s sourceTemplate) notes(in createDocumentIn, document outline.Document, names mcptool.CollectionNames) []string {
	if s.id == "" {
		return nil
	}
	var notes []string
	if s.err == nil {
		used := "title and text come"
		switch {
		case in.Title != "" && in.Text != "":
			used = "neither title nor text come"
		case in.Title != "":
			used = "the text comes"
		case in.Text != "":
			used = "the title comes"
		}
		note := fmt.Sprintf("%s from the template %s", used, titleOf(s.template.Title))
		if of := s.template.CollectionID; of != "" && of != document.CollectionID {
			if name, known := names[of]; known {
				of = titleOf(name.Name) + " " + name.URLID
			}
			note += ", which is meant for the collection " + of
		}
		notes = append(notes, note)
	}
	if open := placeholders().FindAllString(document.Text, maxParts); in.Text == "" && open != nil {
		notes = append(notes, "fill in "+strings.Join(open, ", "))
	}
	if given := variables().FindString(in.Title + " " + in.Text); given != "" {
		notes = append(notes, given+" stays as it is: Outline replaces variables only in what comes from the template")
	}
	return notes
}
