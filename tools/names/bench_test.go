package names_test

import (
	"fmt"
	"testing"

	"outline-mcp/tools/names"
)

func BenchmarkFind(b *testing.B) {
	var headings []string
	for n := 1; n <= 1000; n++ {
		headings = append(headings, fmt.Sprintf("%d. Running service %d 🚀", n, n), fmt.Sprintf("Checklist for service-%d", n))
	}
	b.ReportAllocs()
	for b.Loop() {
		names.Find(headings, "## 100. Running **service 100** 🚀")
	}
}
