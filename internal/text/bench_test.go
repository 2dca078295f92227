package text

import (
	"strings"
	"testing"
)

func BenchmarkWindow(b *testing.B) {
	source := strings.Repeat("Every team keeps its runbooks next to the code they describe.\n", 20_000)
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Window(source, 10_000, 200)
	}
}
