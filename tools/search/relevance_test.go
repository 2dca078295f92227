package search_test

import (
	"strings"
	"testing"

	"outline-mcp/test/fixtures"
	"outline-mcp/tools/search"
)

func TestCommonWordsAndOperatorsAreNoWordsOfAQuery(t *testing.T) {
	for query, want := range map[string]int{
		"How do I roll back a release?": 3, "stolen OR lost laptop": 3, `"signing key" -webhook`: 2, "the": 1, `""`: 0, "": 0, "休暇の申請": 2,
	} {
		if got := search.Parse(query).Len(); got != want {
			t.Errorf("%q has %d words, not %d", query, got, want)
		}
	}
}

func TestPhrasesAreWholeWords(t *testing.T) {
	pages := []search.Page{{"Map", "It is frozen."}, {"Accounts", "Login."}, {"Catalog", "In stock."}, {"Notes", "Bright."}}
	for query, want := range map[string]string{"the ships don't move": "Map", "the ships won\u2019t move": "Map", "log in": "Accounts", "catalog in print": "Catalog", "bright now": "Notes"} {
		if ranked, _ := search.Parse(query).Rank(pages); len(ranked) == 0 || pages[ranked[0].Index].Title != want {
			t.Errorf("%q finds %v", query, ranked)
		}
	}
}

func TestNothingIsLikeAQueryWithoutWords(t *testing.T) {
	if ranked, _ := search.Parse(`""`).Rank([]search.Page{{Title: "Lunch", Text: "Soup."}}); len(ranked) > 0 {
		t.Errorf("%v", ranked)
	}
}

func TestAQueryIsAskedAsASentenceIsMeant(t *testing.T) {
	for query, want := range map[string]string{
		"stolen, whom do I call": "stolen whom do I call", "list orders": "list (orders*)", `"a, b"`: `"a, b"`, "a|b": "a|b", "4,500 rows": "4,500 rows",
		"replay --since 2h": "replay since 2h", "prune -af --filter until=72h": "prune af filter until=72h", "tail -f log": "tail f log", "-tcp": "tcp",
		"webhook -signing": "webhook -signing", `"signing key" -"dead letter" -webhook`: `"signing key" -"dead letter" -webhook`, "on-call pg-2": "on-call pg-2",
	} {
		if got := search.Exact(query); got != want {
			t.Errorf("%q is asked as %q, not %q", query, got, want)
		}
	}
}

func TestPagesWithRareWordsTogetherAndInTheTitleComeFirst(t *testing.T) {
	pages := []search.Page{
		{"Notes", "The key is under the mat.\n\nThe webhook failed."},
		{"Rotate the signing key", "Every half year."},
		{"Webhooks", "A webhook is signed with a key, and the key rotates."},
		{"Lunch", "Soup."},
		{"Salary", "Paid on the 25th."},
		{"On-call", "Who answers."},
		{"Urlaubsantrag", "30 Tage."},
	}
	for query, want := range map[string]string{"rotate signing key": "Rotate the signing key", "webhook key": "Webhooks", "lunhc": "Lunch", "webhöök": "Webhooks",
		"wages": "Salary", "oncall": "On-call", "vacation": "Urlaubsantrag", "休暇": "Urlaubsantrag", "Resturlaub": "Urlaubsantrag"} {
		ranked, _ := search.Parse(query).Rank(pages)
		if len(ranked) == 0 || pages[ranked[0].Index].Title != want {
			t.Errorf("%q finds %v", query, ranked)
		}
	}
}

func TestALongPageWithTheWordsByChanceComesBehindAShortOneAboutThem(t *testing.T) {
	filler := strings.Repeat("Meals are at noon.\n\n", 200)
	handbook := strings.Repeat("A charter is signed.\n\n"+filler+"The agent eats.\n\nA berth costs money.\n\n", 2)
	pages := []search.Page{{"Handbook", handbook}, {"Harbour fees", "The berth is paid.\n\nSee the charter.\n\nAsk the agent."}, {"Lunch", "Soup."}}
	if ranked, _ := search.Parse("charter berth agent").Rank(pages); len(ranked) != 2 || pages[ranked[0].Index].Title != "Harbour fees" {
		t.Errorf("%v", ranked)
	}
}

func TestTheOrderIsDoubtfulIfAWordMayBeMistypedOrInsideASentence(t *testing.T) {
	pages := []search.Page{{"Salary", "Paid on the 25th."}, {"Vacation policy", "30 days."}, {"部署流程", "上線前通知。"}}
	for query, want := range map[string]bool{
		"salary":                   false,
		"wages raise":              false, // synonyms, known words
		"vacation invoice holiday": false, // known words are not mistyped
		"vacation policy zzz":      false, // most of the words
		"salary zzz":               true,
		"zzz":                      true,
		"部署":                       false,
		"休暇":                       true, // a synonym is not the word itself
		"請假流程 部署":                  true,
	} {
		if _, doubtful := search.Parse(query).Rank(pages); doubtful != want {
			t.Errorf("%q: doubtful %v", query, doubtful)
		}
	}
}

func TestSynonymsAreAskedForWithTheWordsAndSpellingsApart(t *testing.T) {
	if queries := search.Parse("wages kubrenetes").Broader(); len(queries) != 2 || !strings.Contains(queries[0], "salary") || strings.Contains(queries[1], "salary") || !strings.Contains(queries[1], "kuber*") {
		t.Errorf("%q", queries)
	}
}

func TestAPassageIsFromOneBlockAndBeginsAndEndsAtAWord(t *testing.T) {
	const page = "Intro.\n\n## Limits\n\n| Call | Partner |\n|---|---|\n| /vessels | 60 |\n| /shipments | 30 |\n\nA **long** line about ballast that goes on and on about ballast and at its end names the harbour master."
	for query, want := range map[string][2]string{
		"shipments partner": {"Limits", "Call: /shipments | Partner: 30"},
		"harbour":           {"Limits", "…that goes on and on about ballast and at its end names the harbour…"},
		"elsewhere":         {"", "Intro."},
	} {
		section, passage := search.Parse(query).Passage(page, 70)
		if section != want[0] || passage != want[1] {
			t.Errorf("%q: %q, %q", query, section, passage)
		}
	}
}

func TestACommentInCodeIsNoHeading(t *testing.T) {
	const page = "## Deploy\n\n```sh\n# build first\nmake harbour\n~~~\n```\n\nThen wait.\n"
	for query, want := range map[string][2]string{"harbour": {"Deploy", "make harbour"}, "build": {"Deploy", "build first"}, "wait": {"Deploy", "Then wait."}} {
		section, passage := search.Parse(query).Passage(page, 70)
		if section != want[0] || strings.TrimPrefix(passage, "# ") != want[1] {
			t.Errorf("%q: %q, %q", query, section, passage)
		}
	}
}

func TestAPageWithTheWordsInAHeadingAloneIsKept(t *testing.T) {
	pages := []search.Page{{Title: "Runbooks", Text: "## Restart Grafana\n\nRun the script."}}
	if ranked, _ := search.Parse("grafana zzz").Rank(pages); len(ranked) != 1 || len(ranked[0].Words) != 1 {
		t.Errorf("%v", ranked)
	}
}

func TestQueriesForSomeOfTheWordsKeepTheirLength(t *testing.T) {
	for _, query := range []string{"alpha " + strings.Repeat("-bcd ", 190), strings.Repeat("a", 1000), "the", `""`, "|"} {
		for _, broader := range search.Parse(query).Broader() {
			if n := len(broader); n == 0 || n > 1000 {
				t.Errorf("%.20q: a query of %d characters", query, n)
			}
		}
	}
}

// FuzzPassage cuts the pages of a recorded wiki: a passage keeps its limit and shows no
// part of a tag or of a word.
func FuzzPassage(f *testing.F) {
	for i, page := range fixtures.Recorded[struct{ Title, Text string }](f, "wiki_pages") {
		f.Add(page.Title, page.Text, i%200)
	}
	f.Fuzz(func(t *testing.T, query, text string, limit int) {
		limit = max(10, min(limit, 1000))
		_, passage := search.Parse(query).Passage(text, limit)
		if n := len([]rune(passage)); n > limit+2 || strings.Contains(passage, "\n") {
			t.Errorf("%d characters: %q", n, passage)
		}
	})
}
