package workspace

// uuid returns a UUID of version 4 that no object has.
func (s *store) uuid() string {
	for {
		if id := s.ids.UUID(); !s.taken(id) {
			return id
		}
	}
}

// taken reports whether an object has a UUID.
func (s *store) taken(id string) bool {
	return s.documents[id] != nil || s.collections[id] != nil || s.comments[id] != nil || s.exports[id] != nil || s.formerComments[id]
}

// urlID returns a urlId that no object has.
func (s *store) urlID() string {
	for {
		if id := s.ids.URLID(); s.byURLID[id] == "" {
			return id
		}
	}
}
