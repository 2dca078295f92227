package tour

// A turn is what the person asks, the tools that the assistant calls, and what
// it answers.
type turn struct {
	question string
	calls    []call
	answer   string // one sentence a line
	source   string // the document and section that the answer comes from
}

// A call is one call of a tool.
type call struct {
	tool      string
	arguments []string // key=value
	// quotes are parts of the lines of the result that the tour prints. The
	// answer rests on them: the tour fails if one is missing.
	quotes []string
}

// story is the conversation. Its words are written down here; the tools answer
// from the sample workspace.
func story() []turn {
	const (
		expenses = "document_id=prpHvUKu5p"
		incident = "document_id=k7cHQqmWTH"
		soup     = "document_id=1wPyxUCdt9"
		// What the answer to the edit says to undo it with.
		beforeEdit = "revision_id=a790bb5b-d622-58af-8c7a-f577ac138608"
	)
	return []turn{{
		question: "Can I book a hotel abroad for €190 a night?",
		calls: []call{
			{"search_documents", []string{"query=hotel abroad"}, []string{"Expenses and travel"}},
			{"read_document_section", []string{expenses, "heading=Hotels"}, []string{"| Abroad", "Above the limit"}},
		},
		answer: "In a capital city, yes: the limit there is €210.\n" +
			"Elsewhere abroad the limit is €170; above it, write one sentence that says why.",
		source: "Expenses and travel, section Hotels",
	}, {
		question: "Why did nobody notice the outage on 14 March during the night?",
		calls: []call{
			{"search_documents", []string{"query=incident 2026-03-14", "limit=1"}, []string{"Incident 2026-03-14"}},
			{"read_document_section", []string{incident, "heading=Why it took so long"}, []string{"alarm limit", "mailing list"}},
		},
		answer: "The queue would have raised an alarm only at 20,000 frames, which is more than a day of data.\n" +
			"The warning about the certificate went to a mailing list that nobody reads.",
		source: "Incident 2026-03-14: no new values in Almanac, section Why it took so long",
	}, {
		question: "The soup budget goes up to €75 a pot. Please update the page.",
		calls: []call{
			{"search_documents", []string{"query=soup budget"}, []string{"Friday soup"}},
			{"edit_document", []string{soup, `edits=[{"old_text":"€60","new_text":"€75"}]`, "dry_run=true"}, []string{"-* Budget", "+* Budget"}},
		},
		answer: `This line of "Friday soup" would change. Nothing is written yet. Shall I save it?`,
	}, {
		question: "Yes.",
		calls: []call{
			{"edit_document", []string{soup, `edits=[{"old_text":"€60","new_text":"€75"}]`}, []string{`"verified": true`}},
		},
		answer: "Saved. The server compared the stored page with this change: nothing else is different.",
	}, {
		question: "Sorry, that starts next year. Undo it.",
		calls: []call{
			{"restore_document", []string{soup, beforeEdit}, []string{"-* Budget", "+* Budget", `"verified": true`}},
		},
		answer: "Undone: the page says €60 a pot again.",
	}}
}
