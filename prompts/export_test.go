package prompts

// WrittenOf reads a document as a prompt.
var WrittenOf = parsePrompt

// Fill returns what a prompt says.
func (w Written) Fill(values map[string]string) string { return w.fill(values) }
