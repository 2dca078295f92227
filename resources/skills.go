package resources

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/prompts"
)

// SkillsExtension is the name of the extension of MCP by which clients find skills
// (SEP-2640).
const SkillsExtension = "io.modelcontextprotocol/skills"

// SkillFile is the skill that teaches a model to work with a wiki, as clients that read
// files load it.
//
//go:embed SKILL.md
var SkillFile string

// SkillName is the name of that skill.
const SkillName = "outline-wiki"

const skillScheme = "skill://"

// A Skill tells what a skill is, with a digest of each of its files.
type Skill struct {
	URI         string          `json:"uri"` // of its SKILL.md
	Frontmatter Frontmatter     `json:"frontmatter"`
	Resources   []SkillResource `json:"resources"`

	files   map[string]string // texts by URI
	problem error             // why it cannot be loaded, or nil
}

// Frontmatter is what stands at the beginning of a SKILL.md.
type Frontmatter struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// A SkillResource is a file of a skill.
type SkillResource struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"` // sha256:, and 64 hexadecimal digits
	Size   int    `json:"size"`   // in bytes
}

// The limits of the extension for one skill.
const (
	mostSkillFiles = 512
	mostSkillBytes = 16 << 20
)

func newSkill(uri string, about Frontmatter) Skill {
	return Skill{URI: uri, Frontmatter: about, files: map[string]string{}}
}

// add adds a file.
func (s *Skill) add(uri, text string) {
	sum := sha256.Sum256([]byte(text))
	s.files[uri] = text
	s.Resources = append(s.Resources, SkillResource{uri, "sha256:" + hex.EncodeToString(sum[:]), len(text)})
}

// check finds out whether every client can load the skill.
func (s *Skill) check() {
	size := 0
	for _, file := range s.Resources {
		size += file.Size
	}
	if s.problem == nil && (len(s.Resources) > mostSkillFiles || size > mostSkillBytes) {
		s.problem = output.Failure{Code: output.TooLarge, Sentence: fmt.Sprintf(
			"the skill has %d files with %d bytes; clients load up to %d files with %d bytes. Shorten it, or divide it into several skills.", len(s.Resources), size, mostSkillFiles, mostSkillBytes)}
	}
}

// frontmatter returns the beginning of a SKILL.md. A JSON string is one of YAML.
func (f Frontmatter) frontmatter() string {
	var quoted output.Text
	quoted.JSON(f.Description)
	return "---\nname: " + f.Name + "\ndescription: " + quoted.String() + "\n---\n\n"
}

var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`") })

// builtin returns the skill of this server, without the lines that name tools which are
// not offered.
func builtin(available output.Available) Skill {
	var about Frontmatter
	var kept strings.Builder
	for line := range strings.Lines(SkillFile) {
		if name, ok := strings.CutPrefix(line, "name: "); ok {
			about.Name = strings.TrimSpace(name)
		}
		if description, ok := strings.CutPrefix(line, "description: "); ok {
			about.Description = strings.TrimSpace(description)
		}
		offered := true
		for _, name := range toolName().FindAllStringSubmatch(line, -1) {
			offered = offered && (available == nil || available(name[1]))
		}
		if offered {
			kept.WriteString(line)
		}
	}
	s := newSkill(skillScheme+SkillName+"/SKILL.md", about)
	s.add(s.URI, kept.String())
	return s
}

// Skills returns the skills of a caller (skills/list): that of this server first.
func (s *Server) Skills(ctx context.Context, meta *mcp.Meta) ([]Skill, error) {
	ctx, cancel := s.o.Pipeline.InTime(ctx)
	defer cancel()
	return mcptool.Ask(ctx, s.o.Pipeline, mcptool.Request{Item: mcptool.Item{Method: "skills/list", Name: "list"}, Meta: meta}, func(ctx context.Context) ([]Skill, error) {
		skills := []Skill{builtin(s.o.Pipeline.Names(ctx))}
		written, err := s.written(ctx)
		for _, skill := range written {
			if skill.problem == nil {
				skills = append(skills, skill)
			}
		}
		if errors.Is(err, outline.ErrTimeout) {
			err = nil
		}
		return skills, err
	})
}

// Skill returns a skill by its URI (skills/get).
func (s *Server) Skill(ctx context.Context, meta *mcp.Meta, uri string) (Skill, error) {
	return mcptool.Ask(ctx, s.o.Pipeline, mcptool.Request{Item: mcptool.Item{Method: "skills/get", Name: "skill"}, Meta: meta, URI: text.Truncate(uri, 200)}, func(ctx context.Context) (Skill, error) {
		skill, err := s.skillOf(ctx, uri)
		if err == nil && skill.URI != uri {
			err = noSkill(uri)
		}
		return skill, err
	})
}

// skillOf returns the skill that has a file.
func (s *Server) skillOf(ctx context.Context, uri string) (Skill, error) {
	if len(uri) > maxURI {
		return Skill{}, noSkill(uri)
	}
	own := builtin(s.o.Pipeline.Names(ctx))
	if _, ok := own.files[uri]; ok {
		return own, nil
	}
	if !strings.HasPrefix(uri, teamSkills) {
		return Skill{}, noSkill(uri)
	}
	written, err := s.written(ctx)
	if err != nil {
		return Skill{}, err
	}
	for _, skill := range written {
		if _, ok := skill.files[uri]; ok {
			return skill, skill.problem
		}
	}
	return Skill{}, noSkill(uri)
}

func noSkill(uri string) error {
	return output.Failure{Code: output.NotFound, Sentence: "no skill is at " + quoteURI(uri) + ". Its document may have been renamed, moved or unpublished: list the skills again."}
}

// readSkill reads a file of a skill.
func (s *Server) readSkill(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	uri := request.Params.URI
	return s.o.Pipeline.Resource(mcptool.Item{Name: "skill"}, func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		skill, err := s.skillOf(ctx, uri)
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: markdown, Text: skill.files[uri]}}, err
	})(ctx, request)
}

// listedSkill is the resource of the skill of this server.
func (s *Server) listedSkill(ctx context.Context) mcp.Resource {
	skill := builtin(s.o.Pipeline.Names(ctx))
	r := mcp.Resource{URI: skill.URI, Name: skill.Frontmatter.Name, Description: skill.Frontmatter.Description, MIMEType: markdown}
	r.Annotations, r.Size = annotations(0.2), new(int64(skill.Resources[0].Size))
	return r
}

// teamSkills is how the URIs of skills begin that people wrote as documents. The URL id of
// the document follows, then the name of the skill, then the file.
const teamSkills = skillScheme + "team/"

// skillsSetting names the collection of skills.
const skillsSetting = "OUTLINE_SKILLS_COLLECTION"

const (
	mostSkillDocuments = 2000     // that are read of the collection: the oldest
	mostSkillText      = 32 << 20 // bytes of them all
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
	id, err := client.ResolveCollectionID(ctx, s.o.SkillsCollection)
	size := 0
	var documents []outline.Document
	for p := (outline.ListParams{Limit: 100}); err == nil && p.Offset < mostSkillDocuments && size <= mostSkillText; {
		var page outline.Page[outline.Document]
		if page, err = client.DocumentTexts(ctx, id, p); errors.Is(err, outline.ErrAnswerTooLarge) && p.Limit > 1 {
			p.Limit, err = (p.Limit+3)/4, nil
			continue
		}
		for _, d := range page.Items {
			if size += len(d.Text); size <= mostSkillText {
				documents = append(documents, d)
			}
		}
		if len(page.Items) < p.Limit {
			break
		}
		p.Offset += p.Limit
	}
	if size > mostSkillText {
		s.tell(ctx, skillsSetting+" holds more text than is read; the newest documents are left out", slog.Int("bytes", mostSkillText))
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
		if d.ParentDocumentID != "" {
			continue
		}
		skill := skillOf(d)
		if skill.Frontmatter.Name == SkillName {
			skill.problem = output.Failure{Code: output.Conflict, DocumentID: d.ID, Sentence: "the server's own skill is called " + SkillName + ": its document needs another title."}
		}
		at[d.ID] = len(skills)
		skills = append(skills, skill)
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
	if _, again := s.logged.LoadOrStore(fmt.Sprint(problem, attrs), true); !again && s.o.Log != nil {
		s.o.Log.LogAttrs(ctx, slog.LevelWarn, problem, attrs...)
	}
}
