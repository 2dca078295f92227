package main

import (
	"cmp"
	"context"
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// A share is what a part of a program takes of its file, in bytes.
type share struct {
	code   float64
	tables float64 // in proportion to the code: the linker merges what it adds for functions, such as line tables
	data   float64 // variables, constants and embedded files
}

func (s share) sum() float64 { return s.code + s.tables + s.data }

func (s share) plus(other share) share {
	return share{s.code + other.code, s.tables + other.tables, s.data + other.data}
}

// merged is the name for what the linker merges, so that it belongs to nobody: types,
// texts of the source and the rest of the file.
const merged = "types, strings, file format"

// whoPaysWhat returns tables of the shares of the program, which sum to its file: by
// module, beside the minimal server over HTTP, and by package of our own.
func whoPaysWhat(ctx context.Context, l *lab) ([]string, error) {
	ours, err := contents(ctx, l, product, "..", "./cmd/outline-mcp")
	if err != nil {
		return nil, err
	}
	floor, err := contents(ctx, l, bareHTTP, ".", "./bare/http")
	if err != nil {
		return nil, err
	}
	own := maps.Clone(ours)
	maps.DeleteFunc(own, func(name string, _ share) bool { return !ownPackage(name) })
	return []string{
		"| in KB | code | tables | data | together | minimal server |\n|---|---|---|---|---|---|\n" + rowsOf(byModule(ours), byModule(floor)),
		"| packages of outline-mcp, in KB | code | tables | data | together |\n|---|---|---|---|---|\n" + rowsOf(own, nil),
	}, nil
}

// byModule returns shares with those of the program's own packages in one.
func byModule(parts map[string]share) map[string]share {
	modules := map[string]share{}
	for name, part := range parts {
		if ownPackage(name) {
			name = "own packages"
		}
		modules[name] = modules[name].plus(part)
	}
	return modules
}

func ownPackage(name string) bool { return name == "main" || strings.HasPrefix(name, "outline-mcp/") }

// rowsOf returns the rows of a table of shares: the largest, all others, and the sum,
// each beside what the floor has of it, unless that is nil.
func rowsOf(parts, floor map[string]share) string {
	const most = 24
	var b strings.Builder
	row := func(name string, part, beside share) {
		fmt.Fprintf(&b, "| %s |", name)
		sizes := []float64{part.code, part.tables, part.data, part.sum(), beside.sum()}
		if floor == nil {
			sizes = sizes[:4]
		}
		for _, size := range sizes {
			fmt.Fprintf(&b, " %s |", plain.format(size/1000))
		}
		b.WriteString("\n")
	}
	var all, allBeside, others, othersBeside share
	largest := slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
		return cmp.Or(cmp.Compare(parts[b].sum(), parts[a].sum()), cmp.Compare(a, b))
	})
	for i, name := range largest {
		all, allBeside = all.plus(parts[name]), allBeside.plus(floor[name])
		if i < most {
			row(name, parts[name], floor[name])
			continue
		}
		others, othersBeside = others.plus(parts[name]), othersBeside.plus(floor[name])
	}
	for name, part := range floor {
		if _, known := parts[name]; !known {
			allBeside, othersBeside = allBeside.plus(part), othersBeside.plus(part)
		}
	}
	row("all others", others, othersBeside)
	row("**together**", all, allBeside)
	return b.String()
}

// contents returns the shares of a program by module, and by package for our own. They
// sum to the file of the lab, which has no symbols; another build has them.
func contents(ctx context.Context, l *lab, program, in, source string) (map[string]share, error) {
	file := l.binary(program + "-with-symbols")
	if err := build(ctx, file, in, source, ""); err != nil {
		return nil, err
	}
	whole, err := elf.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", program, err)
	}
	defer whole.Close()
	symbols, err := whole.Symbols()
	if err != nil {
		return nil, fmt.Errorf("read the symbols of %s: %w", program, err)
	}
	parts, err := embedded(ctx, in, source)
	if err != nil {
		return nil, err
	}
	var code float64
	for _, symbol := range symbols {
		if symbol.Section == elf.SHN_UNDEF || int(symbol.Section) >= len(whole.Sections) {
			continue
		}
		owner, size := moduleOf(symbol.Name), float64(symbol.Size)
		part := parts[owner]
		switch section := whole.Sections[symbol.Section].Name; {
		case section == ".text":
			part.code += size
			code += size
		case owner != merged && (section == ".rodata" || section == ".data" || section == ".noptrdata"):
			part.data += size
		default:
			continue
		}
		parts[owner] = part
	}
	tables, rest := float64(whole.Section(".gopclntab").Size), 0.0
	for owner, part := range parts {
		part.tables = tables * part.code / code
		parts[owner] = part
		rest -= part.sum()
	}
	info, err := os.Stat(l.binary(program))
	if err != nil {
		return nil, err
	}
	last := parts[merged]
	last.data += rest + float64(info.Size())
	parts[merged] = last
	return parts, nil
}

// embedded returns the sizes of the files that packages embed.
func embedded(ctx context.Context, in, source string) (map[string]share, error) {
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-f", `{{range .EmbedFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}`, source)
	list.Dir = in
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the embedded files of %s: %w", source, err)
	}
	parts := map[string]share{}
	for line := range strings.Lines(string(out)) {
		path, file, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		owner := moduleOf(path + ".")
		parts[owner] = parts[owner].plus(share{data: float64(info.Size())})
	}
	return parts, nil
}

// moduleOf returns what a symbol belongs to: a package of our own, another module (the
// part of its path that its packages share), the standard library with what it has copied from others, or merged.
func moduleOf(symbol string) string {
	name, _, _ := strings.Cut(symbol, "[") // type arguments have dots and slashes
	name = strings.TrimPrefix(strings.TrimPrefix(name, "type:.eq."), "type:.hash.")
	slash := strings.LastIndex(name, "/") + 1
	last, _, _ := strings.Cut(name[slash:], ".")
	path := name[:slash] + last
	first, _, _ := strings.Cut(path, "/")
	switch {
	case strings.ContainsAny(path, ":$*"):
		return merged
	case ownPackage(path):
		return path
	case !strings.Contains(first, "."):
		return "standard library"
	}
	depth := 2
	if first == "github.com" || first == "golang.org" {
		depth = 3
	}
	parts := strings.Split(path, "/")
	return strings.Join(parts[:min(depth, len(parts))], "/")
}
