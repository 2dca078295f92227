package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// A sourceTemplate is the template that a document is to be created from, as far as
// it can be read: Outline before 1.6 has templates that are documents, and a key may
// not reach them.
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
	return begin(func() sourceTemplate {
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
	if given := variables().FindString(in.Title + " " + in.Text); given != "" {
		notes = append(notes, given+" stays as it is: Outline replaces variables only in what comes from the template")
	}
	return notes
}
