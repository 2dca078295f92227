package fakeoutline

import (
	"cmp"
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// A store is the state of a workspace. The caller of a method must hold mu.
//
// The values of the maps are immutable: a change replaces the value together
// with everything derived from it, such as its JSON.
type store struct {
	mu  sync.RWMutex
	now func() time.Time
	ids *idGenerator

	team   Team
	groups []Group

	users   map[string]*User
	userIDs []string // in the order they joined

	keys    map[string]*Key // by secret
	secrets []string        // in the order of creation
	demo    bool            // accept the keys of numbered demo users

	collections   map[string]*Collection
	collectionIDs []string // in the order of the sidebar

	documents map[string]*document

	// byURLID maps the URL ID of a document or collection to its ID.
	byURLID map[string]string

	// children maps the ID of a document, or of a collection for the top
	// level, to the IDs of its active children in order.
	children map[string][]string

	// archivedWith holds, for an archived collection, the documents that were
	// archived with it.
	archivedWith map[string]archivedTree

	comments   map[string]*Comment
	commentIDs []string // in the order of creation

	templates   map[string]*Template
	templateIDs []string // in the order of creation

	exports   map[string]*export
	exportIDs []string // in the order of creation

	attachments   map[string]*attachment
	attachmentIDs []string // in the order of creation

	stars, pins []Favorite // newest first
	shares      []Share    // in the order of creation

	publications publications
	history      history

	oauth *oauthServer // has its own lock, which is taken after mu

	features featureSet
	visible  visibleCache

	// updateTime is the time between reading and saving a document that is
	// updated, at the end of which beforeSave is called.
	updateTime time.Duration
	beforeSave func(userID string)
	creating   map[string]int // creates that are under way, by collection

	shuffleTies bool
	shuffles    atomic.Int64 // how many orders ties has returned

	// formerComments holds the IDs of the comments that were deleted: Outline
	// keeps their rows, so that their IDs stay taken.
	deletedComments map[string]bool
}

func newStore(now func() time.Time) *store {
	return &store{
		now:          now,
		ids:          newIDGenerator(),
		users:        make(map[string]*User),
		keys:         make(map[string]*Key),
		creating:     make(map[string]int),
		collections:  make(map[string]*Collection),
		documents:    make(map[string]*document),
		byURLID:      make(map[string]string),
		children:     make(map[string][]string),
		archivedWith: make(map[string]archivedTree),
		comments:     make(map[string]*Comment),
		templates:    make(map[string]*Template),
		exports:      make(map[string]*export),
		attachments:  make(map[string]*attachment),
		publications: publications{ids: make(map[string]time.Time)},
		history:      history{byID: make(map[string]*revision), of: make(map[string][]*revision)},

		visible: visibleCache{of: make(map[string]visibleCollections)},

		deletedComments: make(map[string]bool),
	}
}

// findDocument returns the document with a UUID, URL ID or slug.
func (s *store) findDocument(id string) (*document, bool) {
	d, ok := s.documents[s.resolve(id)]
	return d, ok
}

// findCollection returns the collection with a UUID, URL ID or slug unless it
// is deleted.
func (s *store) findCollection(id string) (*Collection, bool) {
	c, ok := s.collections[s.resolve(id)]
	return c, ok && c.DeletedAt.IsZero()
}

func (s *store) resolve(id string) string {
	if isUUID(id) {
		return strings.ToLower(id)
	}
	return s.byURLID[urlIDOf(id)]
}

// within reports whether a document is the root or a descendant of it.
func (s *store) within(d *document, rootID string) bool {
	return slices.Contains(s.withAncestors(d), rootID)
}

// withAncestors returns the IDs of a document and of those above it.
func (s *store) withAncestors(d *document) []string {
	ids := []string{d.ID}
	// The store has no loops of parents; the bound makes one harmless.
	for range len(s.documents) {
		parent, ok := s.documents[d.ParentID]
		if !ok {
			break
		}
		d = parent
		ids = append(ids, d.ID)
	}
	return ids
}

// adminEmail returns the email address of the admin who joined first.
func (s *store) adminEmail() string {
	for _, id := range s.userIDs {
		if u := s.users[id]; u.Role == Admin {
			return u.Email
		}
	}
	return ""
}

// sorted returns the documents that keep accepts, ordered by compare and then
// by ties.
func (s *store) sorted(keep func(*document) bool, compare func(a, b *document) int) []*document {
	var list []*document
	for _, d := range s.documents {
		if keep(d) {
			list = append(list, d)
		}
	}
	ties := s.ties()
	slices.SortFunc(list, func(a, b *document) int {
		if c := compare(a, b); c != 0 {
			return c
		}
		return ties(a, b)
	})
	return list
}

// ties returns the order of the documents of a request whose sort keys are equal: by ID, or
// with [Options.ShuffleTies] another one for each request.
func (s *store) ties() func(a, b *document) int {
	if !s.shuffleTies {
		return byID
	}
	request := strconv.FormatInt(s.shuffles.Add(1), 10)
	return func(a, b *document) int {
		return cmp.Compare(derivedUUID(request, a.ID), derivedUUID(request, b.ID))
	}
}

// uuid returns an unused UUID.
func (s *store) uuid() string {
	for {
		if id := s.ids.UUID(); !s.taken(id) {
			return id
		}
	}
}

// taken reports whether a UUID is in use.
func (s *store) taken(id string) bool {
	return s.documents[id] != nil || s.collections[id] != nil || s.comments[id] != nil || s.templates[id] != nil || s.exports[id] != nil || s.attachments[id] != nil || s.deletedComments[id]
}

// urlID returns an unused URL ID.
func (s *store) urlID() string {
	for {
		if id := s.ids.URLID(); s.byURLID[id] == "" {
			return id
		}
	}
}

// An idGenerator generates the identifiers of new objects. The sequence looks
// random but is the same for every generator, so that a program that writes to
// a new workspace gets the same identifiers in each run. An idGenerator must not be
// used concurrently.
type idGenerator struct{ random *rand.Rand }

// newIDGenerator returns a generator at the start of the sequence.
func newIDGenerator() *idGenerator {
	return &idGenerator{rand.New(rand.NewPCG(0x6f75746c696e65, 0x77696b69))}
}

// UUID returns the next UUID, of version 4.
func (g *idGenerator) UUID() string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(g.random.Uint32())
	}
	id[6] = id[6]&0x0f | 0x40 // version 4 (RFC 9562, section 5.4)
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// URLID returns the next URL ID, ten letters and digits.
func (g *idGenerator) URLID() string {
	const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id := make([]byte, 10)
	for i := range id {
		id[i] = characters[g.random.IntN(len(characters))]
	}
	return string(id)
}

// titleSlug returns the slug of a title, or "untitled" if the title is empty.
func titleSlug(title string) string {
	if title == "" {
		return "untitled"
	}
	return slugOf(title)
}

// slugOf returns the form of a text that Outline uses in addresses: lower-case
// ASCII with hyphens for spaces. It transliterates letters of some scripts and
// drops everything else. If nothing remains, as for a single emoji, it uses the
// Base64 form of the text. The rules are those of the npm package slug 5.3.0 in
// rfc3986 mode, without Devanagari and Hebrew points.
func slugOf(text string) string {
	if s := transliterate(text); s != "" {
		return s
	}
	return transliterate(base64.StdEncoding.EncodeToString([]byte(text)))
}

func transliterate(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '~':
			b.WriteRune(r)
		case r == '-', unicode.IsSpace(r):
			b.WriteByte(' ')
		case r >= utf8.RuneSelf:
			b.WriteString(transliterations()[r])
		}
	}
	return strings.Join(strings.Fields(b.String()), "-")
}

// transliterations returns the ASCII forms of lower-case letters outside ASCII.
var transliterations = sync.OnceValue(func() map[rune]string {
	forms := map[rune]string{}
	for _, letters := range [...]struct{ ascii, from string }{
		{"a", "àáâãäåąāăạảầấậẩẫằắặẳẵ α ά а أةآا ა"},
		{"aa", "عء"},
		{"ae", "æ ә"},
		{"b", "β б ب ბ"},
		{"c", "çčć цћ"},
		{"ch", "ч چ ჩჭ"},
		{"d", "ðďđ δ д دض დ ד"},
		{"dj", "ђ"},
		{"dz", "џ ძ"},
		{"e", "èéêëěęēėẹẻẽềếệểễə ε έ еэ ე"},
		{"f", "φ ф ف פף"},
		{"g", "ğģ γ гґ جگ გ ג"},
		{"gh", "ғ غ ღ"},
		{"h", "η ή хһ حه ჰ הח"},
		{"i", "ìíîïīįịỉĩı ι ί ϊ ΐ иі إی ი"},
		{"j", "йј ჯ"},
		{"k", "ķ κ к قكک კქ ק"},
		{"kh", "қ خ ხ כך"},
		{"l", "ľĺłļ λ л ل ლ ל"},
		{"lj", "љ ǉ"},
		{"m", "μ м م მ מם"},
		{"n", "ñňńņ ν н ن ნ נן"},
		{"ng", "ң"},
		{"nj", "њ ǌ"},
		{"o", "òóôõöőøōọỏồốộổỗơờớợởỡ ο ό о و ო"},
		{"oe", "œ ө"},
		{"p", "π п پ პფ"},
		{"ps", "ψ"},
		{"q", "ყ"},
		{"r", "řŕ ρ р ر რ ר"},
		{"s", "şšśș σς с سص ს ס"},
		{"sh", "шщ ش შ"},
		{"ss", "ß"},
		{"t", "ťțţ τ т تط თტ טת"},
		{"th", "þ ثذظ"},
		{"ts", "ცწ ץצ"},
		{"u", "ùúûüűůūųụủũưừứựửữ уъұ უ"},
		{"ue", "ү"},
		{"v", "в ვ בו"},
		{"w", "ω ώ"},
		{"x", "χ"},
		{"y", "ýÿỳỵỷỹ υ ύ ΰ ϋ ы ي י"},
		{"ya", "я"},
		{"ye", "є"},
		{"yi", "ї"},
		{"yo", "ё"},
		{"yu", "ю"},
		{"z", "žźż ζ з ز ზ ז"},
		{"zh", "ж ژ ჟ"},
		{"3", "ξ"},
		{"8", "θ"},
	} {
		for _, r := range letters.from {
			if forms[r] == "" { // some letters stand in two lines
				forms[r] = letters.ascii
			}
		}
	}
	return forms
})
