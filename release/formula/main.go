// Command formula writes the Homebrew formula of a release, from the archives that
// goreleaser has built. Run it in the folder release:
//
//	go run ./formula -dist ../dist
//
// There is no public address yet: -from is where the archives of the release will be.
package main

import (
	"bufio"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

//go:embed outline-mcp.rb.tmpl
var formula string

func main() {
	dist := flag.String("dist", "../dist", "the `folder` that goreleaser built into")
	from := flag.String("from", "https://example.com/outline-mcp/releases", "the `address` of the folder with the archives")
	flag.Parse()
	if err := write(*dist, *from); err != nil {
		fmt.Fprintln(os.Stderr, "formula:", err)
		os.Exit(1)
	}
}

// An archive is what Homebrew downloads on one platform.
type archive struct{ URL, Sum string }

// write reads checksums.txt in dist, and writes outline-mcp.rb beside it.
func write(dist, from string) error {
	sums, err := os.Open(filepath.Join(dist, "checksums.txt"))
	if err != nil {
		return err
	}
	defer sums.Close()
	version, archives := "", map[string]archive{} // by platform, such as darwin_arm64
	name := regexp.MustCompile(`^outline-mcp_(.+)_((?:darwin|linux)_(?:amd64|arm64))\.tar\.gz$`)
	for lines := bufio.NewScanner(sums); lines.Scan(); {
		sum, file, _ := strings.Cut(lines.Text(), "  ")
		if parts := name.FindStringSubmatch(file); parts != nil {
			version, archives[parts[2]] = parts[1], archive{strings.TrimSuffix(from, "/") + "/" + file, sum}
		}
	}
	for _, platform := range []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"} {
		if archives[platform].Sum == "" {
			return fmt.Errorf("%s has no archive for %s", sums.Name(), platform)
		}
	}
	out, err := os.Create(filepath.Join(dist, "outline-mcp.rb"))
	if err != nil {
		return err
	}
	err = template.Must(template.New("formula").Parse(formula)).Execute(out, map[string]any{"Version": version, "Archives": archives})
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}
