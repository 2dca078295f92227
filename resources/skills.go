package resources

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/output"
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
	if len(s.Resources) > mostSkillFiles || size > mostSkillBytes {
		s.problem = output.Failure{Code: output.TooLarge, Sentence: fmt.Sprintf(
			"the skill has %d files with %d bytes; clients load up to %d files with %d bytes. Shorten it, or divide it into several skills.", len(s.Resources), size, mostSkillFiles, mostSkillBytes)}
	}
}

// frontmatter returns the beginning of a SKILL.md. A JSON string is one of YAML.
func (f Frontmatter) frontmatter() string {
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(f.Description) // a string always encodes
	return "---\nname: " + f.Name + "\ndescription: " + quoted.String() + "---\n\n"
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
	return mcptool.Ask(ctx, s.o.Pipeline, mcptool.Request{Item: mcptool.Item{Method: "skills/list", Name: "list"}, Meta: meta}, func(ctx context.Context) ([]Skill, error) {
		skills := []Skill{builtin(s.o.Pipeline.Names(ctx))}
		written, err := s.written(ctx)
		for _, skill := range written {
			if skill.problem == nil {
				skills = append(skills, skill)
			}
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
	return output.Failure{Code: output.NotFound, Sentence: "no skill is at " + shown(uri) + ". Its document may have been renamed, moved or unpublished: list the skills again."}
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
