package main

import (
	"strings"
	"testing"
)

func TestCompletionKnowsToolsAndTheirArguments(t *testing.T) {
	for _, test := range []struct {
		name, line string
		settings   []string
		first, has string // what is offered first, and some of the rest
		directive  string
	}{
		{name: "tools", line: "call ", first: "search_documents\tSearch documents", has: "batch_archive_documents\tArchive documents", directive: ":4"},
		{name: "tools to show", line: "tools ", first: "search_documents\tSearch documents", directive: ":4"},
		{name: "arguments, required ones first", line: "call move_document ", first: "document_id=", has: "index=", directive: ":38"},
		{name: "files for the shell", line: "call update_document text@=pa", directive: ":0"},
		{name: "no arguments of a tool that does not exist", line: "call no_such_tool ", directive: ":1"},
		{name: "nothing with settings that cannot be used", line: "call ", settings: []string{"OUTLINE_MAX_RETRIES=many"}, directive: ":1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := command(t, test.settings, append([]string{"__complete"}, strings.Split(test.line, " ")...)...)
			lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
			if code != 0 || !strings.HasPrefix(lines[0], test.first) || !strings.Contains(stdout, test.has) || lines[len(lines)-1] != test.directive {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
		})
	}
}
