package prosemirror

import (
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// megabyte is a document of one megabyte with the constructs of everyday
// documents.
func megabyte() string {
	const section = `## Deploying billing service %d

Read [the runbook](https://wiki.example.com/doc/runbook-%d) first, then **check** the dashboards of %d. The
service writes to two regions; *never* restart both at once. Use ` + "`systemctl restart billing%d`" + ` and wait
for the health check. See also ==the incident of March %d== and ~~the old procedure~~.

* Announce the change of %d in the channel
  * with the ticket number %d
  * and the expected duration of %d
* Drain the first region of %d
* Deploy and watch the error rate of %d

1. Build the image of %d
2. Push %d to the registry
3. Update the manifest of %d

- [ ] tell support of %d
- [x] open the change request %d

` + "```bash\nkubectl rollout status deployment/billing%d --timeout=120s\nkubectl logs -l app=billing%d --tail=100\n```" + `

| Region | Owner | State |
|--------|:-----:|------:|
| eu-%d  | Ann   | done  |
| us-%d  | Bob   | open  |

> Quoted from the postmortem: the retry storm took down queue %d.

:::warning
Do not skip the drain step of %d.
:::

`
	var out strings.Builder
	for n := 1; out.Len() < 1<<20; n++ {
		out.WriteString(strings.ReplaceAll(section, "%d", strconv.Itoa(n)))
	}
	return out.String()[:1<<20]
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

func BenchmarkSections(b *testing.B) {
	source := megabyte()
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Sections(source)
	}
}

func BenchmarkWords(b *testing.B) {
	source := megabyte()
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Words(source)
	}
}

func BenchmarkSerialize(b *testing.B) {
	source := megabyte()
	doc := Parse(source)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Main.Serialize(doc)
	}
}

func BenchmarkToMarkdown(b *testing.B) {
	source := megabyte()
	doc := Parse(source)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Main.ToMarkdown(doc)
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
		if _, err := patch(doc, "service writes", "service sends"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeAgain(b *testing.B) {
	before := Parse(megabyte())
	patched, err := patch(before, "service writes", "service sends")
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

// BenchmarkEditOneWord is the model's part of an edit: both states read, written
// and compared, and the patch between them.
func BenchmarkEditOneWord(b *testing.B) {
	source := Parse(megabyte())
	patched, err := patch(source, "service writes", "service sends")
	if err != nil {
		b.Fatal(err)
	}
	data, changed := source.AppendJSON(nil), patched.Doc.AppendJSON(nil)
	b.ReportAllocs()
	for b.Loop() {
		var d Decoder
		before, err := d.Decode(data)
		if err != nil {
			b.Fatal(err)
		}
		md := Main.ToMarkdown(before)
		wanted, err := md.Patch(before, "service writes", "service sends")
		if err != nil {
			b.Fatal(err)
		}
		stored, err := d.Decode(changed)
		if err != nil {
			b.Fatal(err)
		}
		if Main.ToMarkdown(stored).Raw == md.Raw || !Equal(stored, wanted.Doc) {
			b.Fatal("the patch is not what is stored")
		}
	}
}
