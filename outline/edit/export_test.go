package edit

// Find returns the only occurrence of old in text.
func Find(text, old string) (Match, error) { return (&document{text: text}).find(old) }
