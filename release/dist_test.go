// Package release compares the files of a release with docs/project/release.md.
package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// dist returns the folder that goreleaser wrote to.
func dist(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("OUTLINE_MCP_DIST")
	if folder == "" {
		t.Skip("OUTLINE_MCP_DIST does not say where the files of a release are; docs/project/release.md says how to build them")
	}
	return folder
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// checksums returns the SHA-256 of each file of a release by its name.
func checksums(t *testing.T, dist string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for line := range strings.Lines(string(read(t, filepath.Join(dist, "checksums.txt")))) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("no checksum: %q", line)
		}
		sums[name] = sum
	}
	return sums
}

func version(t *testing.T, dist string) string {
	t.Helper()
	var metadata struct{ Version string }
	if err := json.Unmarshal(read(t, filepath.Join(dist, "metadata.json")), &metadata); err != nil || metadata.Version == "" {
		t.Fatalf("no version: %v", err)
	}
	return metadata.Version
}

func TestEveryFileIsThereAndHasItsChecksum(t *testing.T) {
	dist := dist(t)
	sums := checksums(t, dist)
	start := "outline-mcp_" + version(t, dist)
	wanted := []string{start + ".mcpb"}
	for _, target := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
		wanted = append(wanted, start+"_"+target+".tar.gz", start+"_"+target+".cdx.json")
	}
	for _, target := range []string{"windows_amd64", "windows_arm64"} {
		wanted = append(wanted, start+"_"+target+".zip", start+"_"+target+".cdx.json")
	}
	for _, name := range wanted {
		sum := sha256.Sum256(read(t, filepath.Join(dist, name)))
		if sums[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s has the checksum %q", name, sums[name])
		}
	}
	if len(sums) != len(wanted) {
		t.Errorf("%d files, %d wanted", len(sums), len(wanted))
	}
}

func TestTheRegistryEntryHasTheHashOfTheBundle(t *testing.T) {
	dist := dist(t)
	var entry struct {
		Version  string
		Packages []struct{ RegistryType, Identifier, FileSHA256 string }
	}
	if err := json.Unmarshal(read(t, filepath.Join(dist, "server.json")), &entry); err != nil {
		t.Fatal(err)
	}
	if entry.Version != version(t, dist) {
		t.Errorf("version %s", entry.Version)
	}
	sums, bundles := checksums(t, dist), 0
	for _, p := range entry.Packages {
		if p.RegistryType == "mcpb" {
			bundles++
			if p.FileSHA256 == "" || p.FileSHA256 != sums[filepath.Base(p.Identifier)] {
				t.Errorf("%s has the hash %q", p.Identifier, p.FileSHA256)
			}
		}
	}
	if bundles != 1 {
		t.Errorf("%d bundles", bundles)
	}
}

func TestAnArchiveHoldsTheProgramAndWhatOneMustRead(t *testing.T) {
	dist := dist(t)
	for name := range checksums(t, dist) {
		var modes map[string]fs.FileMode
		program := "outline-mcp"
		switch {
		case strings.HasSuffix(name, ".tar.gz"):
			modes = unpack(t, filepath.Join(dist, name), nil)
		case strings.HasSuffix(name, ".zip"):
			modes, program = unzip(t, filepath.Join(dist, name)), "outline-mcp.exe"
		default:
			continue
		}
		if modes[program].Perm() != 0o755 || len(modes) != 4 {
			t.Errorf("%s: %v", name, modes)
		}
		for _, text := range []string{"README.md", "LICENSE", "CHANGELOG.md"} {
			if modes[text].Perm() != 0o644 {
				t.Errorf("%s: %s has the mode %v", name, text, modes[text])
			}
		}
	}
}

func TestTheProgramForThisMachineSaysItsVersion(t *testing.T) {
	dist := dist(t)
	archive := filepath.Join(dist, "outline-mcp_"+version(t, dist)+"_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")
	if _, err := os.Stat(archive); errors.Is(err, fs.ErrNotExist) {
		t.Skip("no archive for this machine: " + archive)
	}
	var program bytes.Buffer
	unpack(t, archive, &program)
	path := filepath.Join(t.TempDir(), "outline-mcp")
	if err := os.WriteFile(path, program.Bytes(), 0o700); err != nil {
		t.Fatal(err)
	}
	printed, err := exec.CommandContext(t.Context(), path, "version").Output()
	if want := "outline-mcp " + version(t, dist) + " "; err != nil || !strings.HasPrefix(string(printed), want) {
		t.Errorf("%s, %v, want %s", printed, err, want)
	}
}

// unpack returns the modes of the files in an archive, and writes the program
// to a writer, if there is one.
func unpack(t *testing.T, path string, program io.Writer) map[string]fs.FileMode {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	modes, archive := map[string]fs.FileMode{}, tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return modes
		}
		if err != nil {
			t.Fatal(err)
		}
		modes[header.Name] = header.FileInfo().Mode()
		if program != nil && header.Name == "outline-mcp" {
			if _, err := io.Copy(program, archive); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func unzip(t *testing.T, path string) map[string]fs.FileMode {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	modes := map[string]fs.FileMode{}
	for _, file := range archive.File {
		modes[file.Name] = file.Mode()
	}
	return modes
}
