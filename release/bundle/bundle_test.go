package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const project = "../.."

// bundle runs the command and returns the folder that it wrote to, and the files
// in the bundle.
func bundle(t *testing.T, args ...string) (folder string, files map[string]*zip.File) {
	t.Helper()
	folder = t.TempDir()
	if err := run(t.Context(), append(args, "-project", project, "-out", folder), io.Discard); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(only(t, filepath.Join(folder, "*.mcpb")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { archive.Close() })
	files = map[string]*zip.File{}
	for _, file := range archive.File {
		files[file.Name] = file
	}
	return folder, files
}

// release lays out programs as goreleaser does. The one for this machine is
// real, the others say only what they stand for.
func release(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	built, err := build(t.Context(), project, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for target, name := range map[string]string{
		"universal_darwin_all": "outline-mcp", "outline-mcp_darwin_amd64_v1": "outline-mcp", "outline-mcp_darwin_arm64_v8.0": "outline-mcp",
		"outline-mcp_linux_amd64_v1": "outline-mcp", "outline-mcp_linux_arm64_v8.0": "outline-mcp",
		"outline-mcp_windows_amd64_v1": "outline-mcp.exe", "outline-mcp_windows_arm64_v8.0": "outline-mcp.exe",
	} {
		content := []byte(target)
		if strings.HasPrefix(target, "outline-mcp_"+runtime.GOOS+"_"+runtime.GOARCH) {
			content = read(t, built.here)
		}
		path := filepath.Join(folder, target, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func only(t *testing.T, pattern string) string {
	t.Helper()
	matches, err := filepath.Glob(pattern)
	if err != nil || len(matches) != 1 {
		t.Fatalf("%s: %v, %v", pattern, matches, err)
	}
	return matches[0]
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// conforms checks a document against a schema in testdata.
func conforms(t *testing.T, schema string, document []byte) error {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiled, err := compiler.Compile(filepath.Join("testdata", schema))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(value)
}

func unzip(t *testing.T, file *zip.File) []byte {
	t.Helper()
	if file == nil {
		t.Fatal("not in the bundle")
	}
	from, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	content, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestABundleHoldsAProgramForEachPlatform(t *testing.T) {
	programs := release(t)
	folder, files := bundle(t, "-binaries", programs)
	m := described(t, files)
	for platform, want := range map[string]string{
		"darwin": "universal_darwin_all/outline-mcp",
		"linux":  "outline-mcp_linux_amd64_v1/outline-mcp",
		"win32":  "outline-mcp_windows_amd64_v1/outline-mcp.exe",
	} {
		override := m.Server.Config.Overrides[platform]
		program := files[strings.TrimPrefix(override.Command, "${__dirname}/")]
		if program == nil || program.Mode().Perm() != 0o755 {
			t.Fatalf("%s: %v is no program", platform, override)
		}
		if !bytes.Equal(unzip(t, program), read(t, filepath.Join(programs, want))) {
			t.Errorf("%s has another program than %s", platform, want)
		}
	}
	if !slices.Equal(m.Compatibility.Platforms, []string{"darwin", "linux", "win32"}) || len(files) != 5 || files["LICENSE"] == nil {
		t.Errorf("%d files for %q", len(files), m.Compatibility.Platforms)
	}

	again, _ := bundle(t, "-binaries", programs)
	for _, name := range []string{"*.mcpb", "server.json"} {
		if !bytes.Equal(read(t, only(t, filepath.Join(folder, name))), read(t, only(t, filepath.Join(again, name)))) {
			t.Errorf("%s of the same programs differs", name)
		}
	}
}

func TestABundleForThisPlatformNeedsOneCommand(t *testing.T) {
	t.Setenv("OUTLINE_READ_ONLY", "true") // hides no tools of the bundle
	folder, files := bundle(t)
	m := described(t, files)
	if len(m.Server.Config.Overrides) != 1 || files[m.Server.EntryPoint] == nil {
		t.Errorf("%+v", m.Server)
	}
	if !slices.ContainsFunc(m.Tools, func(t tool) bool { return t.Name == "create_document" && t.Description != "" }) {
		t.Errorf("the tools are %v", m.Tools)
	}
	if err := conforms(t, "server.schema.json", read(t, filepath.Join(folder, "server.json"))); err != nil {
		t.Error(err)
	}
}

// described returns the manifest of a bundle, checked.
func described(t *testing.T, files map[string]*zip.File) manifest {
	t.Helper()
	raw := unzip(t, files["manifest.json"])
	if err := conforms(t, "manifest.schema.json", raw); err != nil {
		t.Error(err)
	}
	var m manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Claude Desktop leaves ${user_config.NAME} in place where nothing was filled
// in and there is no default.
func TestEverySettingThatMayBeLeftOutHasADefault(t *testing.T) {
	var m manifest
	if err := json.Unmarshal(template, &m); err != nil {
		t.Fatal(err)
	}
	var fields map[string]struct {
		Required, Sensitive bool
		Default             any
	}
	if err := json.Unmarshal(m.UserConfig, &fields); err != nil {
		t.Fatal(err)
	}
	for name, field := range fields {
		if field.Required == (field.Default != nil) {
			t.Errorf("%s: required %t, default %v", name, field.Required, field.Default)
		}
	}
	if !fields["api_key"].Sensitive {
		t.Error("the key is shown")
	}
	documented := read(t, filepath.Join(project, ".env.example"))
	for variable, value := range m.Server.Config.Env {
		name := strings.TrimSuffix(strings.TrimPrefix(value, "${user_config."), "}")
		if _, ok := fields[name]; !ok {
			t.Errorf("%s: nothing is called %s", variable, value)
		}
		if !regexp.MustCompile(`(?m)^# ` + variable + `=`).Match(documented) {
			t.Errorf("%s is no setting", variable)
		}
	}
}

func TestARegistryEntryGetsTheVersionEverywhereAndTheHash(t *testing.T) {
	if err := conforms(t, "server.schema.json", read(t, filepath.Join(project, "server.json"))); err != nil {
		t.Error(err)
	}
	to := filepath.Join(t.TempDir(), "server.json")
	sum := strings.Repeat("0f", 32)
	if err := register(filepath.Join(project, "server.json"), to, "1.2.3", sum); err != nil {
		t.Fatal(err)
	}
	written := read(t, to)
	if err := conforms(t, "server.schema.json", written); err != nil {
		t.Error(err)
	}
	if bytes.Contains(written, []byte(unreleased)) {
		t.Errorf("a version was left out:\n%s", written)
	}
	var e entry
	if err := json.Unmarshal(written, &e); err != nil {
		t.Fatal(err)
	}
	var identifiers []string
	for _, p := range e.Packages {
		identifiers = append(identifiers, p.Identifier)
		if (p.FileSHA256 == sum) != (p.RegistryType == "mcpb") {
			t.Errorf("%s has the hash %q", p.Identifier, p.FileSHA256)
		}
	}
	if e.Version != "1.2.3" || !slices.Equal(identifiers, []string{"outline-mcp:1.2.3", "outline-mcp_1.2.3.mcpb"}) {
		t.Errorf("%s %q", e.Version, identifiers)
	}
}

func TestARegistryEntryNamesSettingsThatExistAndHidesTheKey(t *testing.T) {
	var e entry
	if err := json.Unmarshal(read(t, filepath.Join(project, "server.json")), &e); err != nil {
		t.Fatal(err)
	}
	var variables []struct {
		Name, Default        string
		IsRequired, IsSecret bool
	}
	if err := json.Unmarshal(e.Packages[0].Variables, &variables); err != nil {
		t.Fatal(err)
	}
	documented := string(read(t, filepath.Join(project, ".env.example")))
	for _, variable := range variables {
		if !strings.Contains(documented, "\n# "+variable.Name+"="+variable.Default+"\n") {
			t.Errorf("%s=%s is not the default in .env.example", variable.Name, variable.Default)
		}
		if secret := variable.Name == "OUTLINE_API_KEY"; variable.IsSecret != secret || variable.IsRequired != secret {
			t.Errorf("%s: secret %t, required %t", variable.Name, variable.IsSecret, variable.IsRequired)
		}
	}
}

// The registry takes an image for the server's only if the image says so.
func TestTheImageNamesTheRegistryEntry(t *testing.T) {
	var e entry
	if err := json.Unmarshal(read(t, filepath.Join(project, "server.json")), &e); err != nil {
		t.Fatal(err)
	}
	if label := `io.modelcontextprotocol.server.name="` + e.Name + `"`; !strings.Contains(string(read(t, filepath.Join(project, "Dockerfile"))), label) {
		t.Errorf("the Dockerfile has no label %s", label)
	}
}

func TestOnlyAReleaseNeedsASectionInTheChangelog(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "CHANGELOG.md"), []byte("# Changes\n\n## [1.2.3] - 2026-01-02\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for version, fine := range map[string]bool{"1.2.3": true, "1.2": false, "1.2.30": false, "2.0.0": false, "0.0.1-snapshot-0a1b2c3": true, "0.0.0-devel": true} {
		if err := released(folder, version); (err == nil) != fine {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestABundleIsNotPackedWithAProgramMissing(t *testing.T) {
	folder := t.TempDir()
	err := run(t.Context(), []string{"-project", project, "-binaries", folder, "-out", folder}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "run goreleaser first") {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("%v was written", left)
	}
}
