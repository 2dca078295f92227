// Command sbom writes what a program of this project is made of: the modules
// that the Go linker recorded in it, as a CycloneDX document (a software bill
// of materials).
//
//	go run ./sbom VERSION PROGRAM DOCUMENT
//
// The same program gives the same document, byte for byte.
package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("give the version, the program and the document to write")
	}
	info, err := buildinfo.ReadFile(args[1])
	if err != nil {
		return err
	}
	document, err := os.Create(args[2])
	if err != nil {
		return err
	}
	defer document.Close()
	// Version 1.6 of the format is what scanners commonly read.
	if err := cdx.NewBOMEncoder(document, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom(args[0], info), cdx.SpecVersion1_6); err != nil {
		return fmt.Errorf("write %s: %w", args[2], err)
	}
	return document.Close()
}

// bom lists the modules of a program, and Go's standard library.
func bom(version string, info *buildinfo.BuildInfo) *cdx.BOM {
	program := cdx.Component{
		BOMRef: "program", Type: cdx.ComponentTypeApplication, Name: "outline-mcp", Version: version,
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}},
	}
	components := []cdx.Component{library("std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		components = append(components, library(module.Path, module.Version, module.Sum))
	}
	var refs []string
	for _, component := range components {
		refs = append(refs, component.BOMRef)
	}
	document := cdx.NewBOM()
	document.Metadata = &cdx.Metadata{Component: &program}
	document.Components = &components
	document.Dependencies = &[]cdx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	return document
}

// library describes a module. Its purl is its name in databases of
// vulnerabilities.
func library(path, version, sum string) cdx.Component {
	purl := "pkg:golang/" + path + "@" + version + "?type=module"
	component := cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: purl}
	if sum != "" { // of all files together, as in go.sum: no hash of any one file
		component.Properties = &[]cdx.Property{{Name: "go:sum", Value: sum}}
	}
	return component
}
