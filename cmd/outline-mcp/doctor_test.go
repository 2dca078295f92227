package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDoctorPrintsOneReportAsTextAndAsJSON(t *testing.T) {
	for _, test := range []struct {
		name    string
		environ []string
		args    []string
		code    int
		says    string
	}{
		{"what works", []string{"OUTLINE_API_URL=nonsense"}, []string{"--demo", "doctor"}, 0, "\nNo failures, "},
		{"what does not", []string{"OUTLINE_API_URL=nonsense"}, []string{"doctor"}, 1, "✗ OUTLINE_API_URL: "},
		{"a transport on the command line", nil, []string{"--demo", "doctor", "--transport", "sse"}, 1, "✗ MCP_TRANSPORT: sse (command line)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, text, stderr := command(t, test.environ, test.args...)
			if code != test.code || stderr != "" || !strings.Contains(text, test.says) {
				t.Errorf("exit code %d, standard error %q\n%s", code, stderr, text)
			}
			code, printed, stderr := command(t, test.environ, append(test.args, "--json")...)
			var report struct{ OK bool }
			if err := json.Unmarshal([]byte(printed), &report); err != nil || code != test.code || stderr != "" || report.OK != (code == 0) {
				t.Errorf("as JSON: exit code %d, standard error %q, %v\n%s", code, stderr, err, printed)
			}
		})
	}
	if code, _, _ := command(t, nil, "doctor", "--nothing"); code != 2 {
		t.Errorf("wrong use: exit code %d", code)
	}
}
