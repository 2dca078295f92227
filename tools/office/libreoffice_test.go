package office_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/tools/office"
)

// The files in testdata were written by LibreOffice 7.4, without their thumbnails.
func TestFilesOfLibreOfficeAreRead(t *testing.T) {
	const table = "| Part | Price |\n| --- | --- |\n| Valve | 3.50 |"
	const sheet = "| Part | Price |\n| --- | --- |\n| Valve | 3.5 |\n| Pump | 12 |"
	for name, shows := range map[string][]string{
		"word.docx":   {"# Pump manual\n", "Open the [valve](https://example.com/valve) first.", "- first\n- second\n", table},
		"text.odt":    {"# Pump manual\n", "Open the [valve](https://example.com/valve) first.", "- first\n- second\n", table},
		"sheet.xlsx":  {sheet},
		"sheet.ods":   {sheet},
		"slides.pptx": {"Pump plan", "Open the valve", "Start the pump"},
		"slides.odp":  {"Pump plan", "Open the valve", "Start the pump"},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		file := office.Open(data)
		if file == nil {
			t.Errorf("%s is not taken for an Office file", name)
			continue
		}
		text, err := file.Markdown(t.Context())
		for _, part := range shows {
			if err != nil || !strings.Contains(text, part) {
				t.Errorf("%s: got\n%s\n%v, want\n%s", name, text, err, part)
			}
		}
	}
}
