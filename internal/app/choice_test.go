package app_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
	"outline-mcp/tools"
)

func TestAChoiceOfToolsThatCannotBeMeantIsAProblemOfItsSetting(t *testing.T) {
	const only, except = "OUTLINE_TOOLS", "OUTLINE_EXCLUDE_TOOLS"
	for _, test := range []struct {
		name, environ string   // variables with | between them
		want          []string // for each problem, its settings and how its text ends or begins
	}{
		{"none", "", nil},
		{"groups and tools", only + "=search,read_document|" + except + "=list_collections", nil},
		{"a misspelled group", only + "=serch", []string{only + "  no tool or group is called serch; did you mean search?"}},
		{"the default tools and more", only + "=default,list_trash", nil},
		{"every tool", only + "=all", nil},
		{"a misspelled word", only + "=defualt", []string{only + "  no tool or group is called defualt; did you mean default?"}},
		{"a word that says only what to offer", except + "=default", []string{except + "  no tool or group is called default; "}},
		{"the tools for ChatGPT", only + "=chatgpt", nil},
		{"a misspelled tool", except + "=delete_documnt", []string{except + "  no tool or group is called delete_documnt; did you mean delete_document?"}},
		{"several misspelled names", only + "=reding,coments|" + except + "=serch", []string{only + "  no tool or group is called reding; did you mean reading?",
			only + "  no tool or group is called coments; did you mean comments?", except + "  no tool or group is called serch; did you mean search?"}},
		{"a name like no other", only + "=fly", []string{only + "  no tool or group is called fly; groups are search, reading, documents, "}},
		{"a name like none of the words", only + "=writes", []string{only + "  no tool or group is called writes; groups are search, reading, documents, history, lifecycle, comments, collections, files, templates, people, batch, ai, chatgpt, default, all; "}},
		{"an API key", only + "=ol_api_fake", []string{only + "  no tool or group is called ****; groups are "}},
		{"nothing left beside read-only", only + "=delete_document|OUTLINE_READ_ONLY=yes", []string{only + " " + except + " the settings leave no tool to offer: "}},
		{"nothing left beside what is left out", only + "=search|" + except + "=search", []string{only + " " + except + " the settings leave no tool to offer: "}},
		{"everything left out", except + "=search,reading,documents,history,lifecycle,comments,collections,files,templates,people,batch,ai,chatgpt", []string{except + " " + only + " the settings leave no tool to offer: "}},
		{"nothing left, and a misspelled name to leave out", only + "=delete_document|OUTLINE_READ_ONLY=yes|" + except + "=serch", []string{
			except + "  no tool or group is called serch; did you mean search?", only + " " + except + " the settings leave no tool to offer: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			report := config.Examine(strings.Split(test.environ, "|"), app.CheckTools)
			var got []string
			for _, p := range report.Problems {
				got = append(got, p.Setting+" "+p.Also+" "+p.Text)
			}
			if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if again := app.CheckTools(report.Config); len(again) > 0 {
				t.Errorf("with the defaults in place of what cannot be used it still finds %v", again)
			}
		})
	}
}

func TestTheSettingOfToolsNamesTheWordsAndTheGroups(t *testing.T) {
	for _, setting := range config.Settings() {
		if setting.Name != "OUTLINE_TOOLS" {
			continue
		}
		for _, tool := range tools.All() {
			if group := string(tool.Info().Group); !regexp.MustCompile(`Groups are .*\b` + group + `\b`).MatchString(setting.Doc) {
				t.Errorf("the documentation of OUTLINE_TOOLS does not name the group %s", group)
			}
		}
	}
}

func TestAServerOffersOptionalToolsOnlyIfItsSettingsSaySo(t *testing.T) {
	for environ, want := range map[string]func(mcptool.Info) bool{
		"OUTLINE_TOOLS=":                   func(i mcptool.Info) bool { return !i.Optional },
		"OUTLINE_TOOLS=default":            func(i mcptool.Info) bool { return !i.Optional },
		"OUTLINE_TOOLS=default,list_trash": func(i mcptool.Info) bool { return !i.Optional || i.Name == "list_trash" },
		"OUTLINE_TOOLS=all":                func(mcptool.Info) bool { return true },
		"OUTLINE_COLLECTIONS=Handbook": func(i mcptool.Info) bool {
			return !i.Optional && i.Group != mcptool.AI && i.Name != "export_all_collections"
		},
		"OUTLINE_WRITE_COLLECTIONS=Handbook": func(i mcptool.Info) bool { return !i.Optional },
	} {
		loaded, err := config.Load([]string{environ}, app.CheckTools)
		if err != nil {
			t.Fatal(err)
		}
		server, err := app.New(app.Options{Config: loaded, Demo: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.All() {
			info := tool.Info()
			if got := slices.ContainsFunc(server.Tools(), func(b mcptool.Bound) bool { return b.Name == info.Name }); got != want(info) {
				t.Errorf("%s: %s is offered: %t", environ, info.Name, got)
			}
		}
	}
}

func TestAServerWithAToolThatThereIsNotIsRefused(t *testing.T) {
	if _, err := app.New(app.Options{Config: config.Config{ExcludeTools: config.Names{"delete_documnt"}}, Demo: true}); err == nil || !strings.Contains(err.Error(), "OUTLINE_EXCLUDE_TOOLS: no tool or group") {
		t.Errorf("%v", err)
	}
}
