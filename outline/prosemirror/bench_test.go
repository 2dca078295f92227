package prosemirror

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// megabyte is a document of one megabyte with the constructs of everyday
// documents.
func megabyte() string {
	const section = `## Deploying the billing service

Read [the runbook](https://wiki.example.com/doc/runbook-abc123) first, then **check** the dashboards. The
service writes to two regions; *never* restart both at once. Use ` + "`systemctl restart billing`" + ` and wait
for the health check. See also ==the incident of March== and ~~the old procedure~~.

* Announce the change in the channel
  * with the ticket number
  * and the expected duration
* Drain the first region
* Deploy and watch the error rate

1. Build the image
2. Push it to the registry
3. Update the manifest

- [ ] tell support
- [x] open the change request

` + "```bash\nkubectl rollout status deployment/billing --timeout=120s\nkubectl logs -l app=billing --tail=100\n```" + `

| Region | Owner | State |
|--------|:-----:|------:|
| eu-1   | Ann   | done  |
| us-1   | Bob   | open  |

> Quoted from the postmortem: the retry storm took down the queue.

:::warning
Do not skip the drain step.
:::

`
	return strings.Repeat(section, 1<<20/len(section)+1)[:1<<20]
}

func BenchmarkParse(b *testing.B) {
	source := megabyte()
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(source)
	}
}

func BenchmarkGoldmarkParse(b *testing.B) {
	source := []byte(megabyte())
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		parser.Parse(text.NewReader(source))
	}
}

func BenchmarkSerialize(b *testing.B) {
	source := megabyte()
	doc := Parse(source)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Serialize(doc)
	}
}

func BenchmarkToMarkdown(b *testing.B) {
	source := megabyte()
	doc := Parse(source)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		ToMarkdown(doc)
	}
}

func BenchmarkDecode(b *testing.B) {
	data := Parse(megabyte()).AppendJSON(nil)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	doc := Parse(megabyte())
	data := doc.AppendJSON(nil)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		data = doc.AppendJSON(data[:0])
	}
}

func BenchmarkEqual(b *testing.B) {
	source := megabyte()
	first, second := Parse(source), Parse(source)
	b.ReportAllocs()
	for b.Loop() {
		if !Equal(first, second) {
			b.Fatal("parsing is not deterministic")
		}
	}
}

func BenchmarkPatchOneWord(b *testing.B) {
	doc := Parse(megabyte())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Patch(doc, "service writes", "service sends"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeAgain(b *testing.B) {
	before := Parse(megabyte())
	patched, err := Patch(before, "service writes", "service sends")
	if err != nil {
		b.Fatal(err)
	}
	data, changed := before.AppendJSON(nil), patched.Doc.AppendJSON(nil)
	b.SetBytes(int64(len(changed)))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		var d Decoder
		if _, err := d.Decode(data); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := d.Decode(changed); err != nil {
			b.Fatal(err)
		}
	}
}
