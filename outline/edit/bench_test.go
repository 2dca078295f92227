package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
)

// everyday is a document of about size bytes.
func everyday(size int) string {
	const section = `## Deploying service %[1]d

Read [the runbook](https://wiki.example.com/doc/runbook-%[1]d) first, then **check** the dashboards. The
service writes to two regions; *never* restart both at once. Use ` + "`systemctl restart billing-%[1]d`" + ` and wait
for the health check. See also ==the incident of March== and ~~the old procedure~~.

* Announce the change in channel %[1]d
  * with the ticket number
* Drain the first region

1. Build the image
2. Push it to the registry

` + "```bash\nkubectl rollout status deployment/billing-%[1]d --timeout=120s\n```" + `

| Region | Owner | State |
|--------|:-----:|------:|
| eu-%[1]d   | Ann   | done  |

:::warning
Do not skip the drain step.
:::

`
	var out strings.Builder
	for n := 1; out.Len() < size; n++ {
		fmt.Fprintf(&out, section, n)
	}
	return out.String()
}

var sizes = []struct {
	name string
	size int
}{{"10KB", 10 << 10}, {"1MB", 1 << 20}}

// edits in the middle of the document.
var benchEdits = []struct{ name, old, new string }{
	{"Word", "service writes", "service sends"},
	{"Mark", "Announce the change", "Announce **the change**"},
	{"NewBlock", "for the health check.", "for the health check.\n\n* one\n* two\n\nDone."},
	{"Refused", "Do not skip", "```\nDo not skip"},
}

func middle(b *testing.B, text, old string) int {
	at := strings.Index(text[len(text)/2:], old)
	if at < 0 {
		b.Fatalf("%q is not in the second half", old)
	}
	return len(text)/2 + at
}

func BenchmarkPlan(b *testing.B) {
	for _, size := range sizes {
		source := edit.NewSource(prosemirror.Parse(everyday(size.size)))
		for _, one := range benchEdits {
			at := middle(b, source.Markdown.Text, one.old)
			changes := []edit.Change{{Match: edit.Match{Start: at, End: at + len(one.old)}, New: one.new}}
			b.Run(one.name+"/"+size.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					source.Request(changes)
				}
			})
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, size := range sizes {
		source := edit.NewSource(prosemirror.Parse(everyday(size.size)))
		at := middle(b, source.Markdown.Text, "service writes")
		request, err := source.Request([]edit.Change{{Match: edit.Match{Start: at, End: at + 7}, New: "program"}})
		if err != nil {
			b.Fatal(err)
		}
		stored, err := prosemirror.Decode(request.Result.AppendJSON(nil))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !request.Verify(stored) {
					b.Fatal("not verified")
				}
			}
		})
	}
}

func BenchmarkUndo(b *testing.B) {
	for _, size := range sizes {
		before := edit.NewSource(prosemirror.Parse(everyday(size.size)))
		at := middle(b, before.Markdown.Text, "service writes")
		request, err := before.Request([]edit.Change{{Match: edit.Match{Start: at, End: at + 7}, New: "program"}})
		if err != nil {
			b.Fatal(err)
		}
		stored, err := prosemirror.Decode(request.Result.AppendJSON(nil))
		if err != nil {
			b.Fatal(err)
		}
		now := edit.NewSource(stored)
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := edit.Undo(now, before); !ok {
					b.Fatal("not undone")
				}
			}
		})
	}
}
