package resources

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/prompts"
)

// teamSkills is how the URIs of skills begin that people wrote as documents. The URL id of
// the document follows, then the name of the skill, then the file.
const teamSkills = skillScheme + "team/"

// skillsSetting names the collection of skills.
const skillsSetting = "OUTLINE_SKILLS_COLLECTION"

const (
	mostSkillDocuments = 2000     // that are read of the collection: the oldest
	mostSkillText      = 64 << 20 // bytes of them all
	longestSkillText   = 1024     // characters of a description
)

// written returns the skills that people wrote as documents of the operator's collection,
// as far as the caller of ctx sees them, oldest first: each document at the top level is a
// skill, and those below it are its files. Callers who do not see the collection have none.
func (s *Server) written(ctx context.Context) ([]Skill, error) {
	if s.o.SkillsCollection == "" || s.tool("read_document") == nil {
		return nil, nil
	}
	client := s.o.Env.Outline
	id, err := prompts.CollectionOf(ctx, client, skillsSetting, s.o.SkillsCollection)
	if prompts.Unnamed(err) {
		s.tell(ctx, skillsSetting+" does not name one collection that a caller sees; use its UUID", slog.String("value", outline.Redact(s.o.SkillsCollection)))
		return nil, nil
	}
	size := 0
	var documents []outline.Document
	if err == nil {
		for d, failed := range outline.All(ctx, func(ctx context.Context, p outline.ListParams) (outline.Page[outline.Document], error) {
			return client.DocumentTexts(ctx, id, p)
		}, outline.Paging{Most: mostSkillDocuments}) {
			if err = failed; err != nil {
				break
			}
			if size += len(d.Text); size > mostSkillText {
				s.tell(ctx, skillsSetting+" holds more text than is read; the newest documents are left out", slog.Int("bytes", mostSkillText))
				break
			}
			documents = append(documents, d)
		}
	}
	if prompts.Unseen(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the skills of a collection: %w", err)
	}
	return s.skillsOf(ctx, documents), nil
}

// skillsOf makes skills of the documents of a collection.
func (s *Server) skillsOf(ctx context.Context, documents []outline.Document) []Skill {
	byID := make(map[string]outline.Document, len(documents))
	for _, d := range documents {
		byID[d.ID] = d
	}
	var skills []Skill
	at := map[string]int{} // in skills, by the ID of the document
	for _, d := range documents {
		if d.ParentDocumentID == "" {
			at[d.ID] = len(skills)
			skills = append(skills, skillOf(d))
		}
	}
	for _, d := range documents {
		top, depth := d, 0
		for ; top.ParentDocumentID != "" && depth < mostSkillFiles; depth++ {
			above, ok := byID[top.ParentDocumentID]
			if !ok {
				break // in the archive, a draft, or left out
			}
			top = above
		}
		i, ok := at[top.ID]
		switch {
		case !ok:
			s.tell(ctx, "a document of "+skillsSetting+" is left out, because the document at the top of those above it is not published there", slog.String("document_id", d.ID))
		case depth > 0:
			name := cmp.Or(kebab(d.Title), "page") + "-" + d.URLID + ".md"
			skills[i].add(strings.TrimSuffix(skills[i].URI, "SKILL.md")+"references/"+name, "# "+output.OneLine(d.Title)+"\n\n"+strings.TrimSpace(d.Text)+"\n")
		}
	}
	for i := range skills {
		if skills[i].check(); skills[i].problem != nil {
			s.tell(ctx, "a skill of "+skillsSetting+" is not offered: "+skills[i].problem.Error(), slog.String("uri", skills[i].URI))
		}
	}
	return skills
}

// skillOf returns the skill that a document is: its title is the name, its first paragraph
// the description.
func skillOf(d outline.Document) Skill {
	about := Frontmatter{Name: cmp.Or(kebab(d.Title), "skill-"+kebab(d.URLID))}
	description, body := prompts.Described(d.Text, longestSkillText)
	about.Description = cmp.Or(description, output.Excerpt(d.Title, longestSkillText), about.Name)
	s := newSkill(teamSkills+d.URLID+"/"+about.Name+"/SKILL.md", about)
	s.add(s.URI, about.frontmatter()+"# "+output.OneLine(d.Title)+"\n\n"+body+"\n")
	return s
}

// kebab returns a name as the specification of Agent Skills wants it.
func kebab(title string) string { return strings.ReplaceAll(prompts.Identifier(title), "_", "-") }

// tell logs a problem once.
func (s *Server) tell(ctx context.Context, problem string, attrs ...slog.Attr) {
	if _, again := s.told.LoadOrStore(fmt.Sprint(problem, attrs), true); !again && s.o.Log != nil {
		s.o.Log.LogAttrs(ctx, slog.LevelWarn, problem, attrs...)
	}
}
