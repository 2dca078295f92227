package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// pack writes a bundle and returns its SHA-256 in hexadecimal. The bundle is
// written completely or not at all.
func pack(path string, manifest []byte, programs binaries, license string) (string, error) {
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	if err := add(archive, "manifest.json", manifest, 0o644); err != nil {
		return "", err
	}
	if err := addFile(archive, "LICENSE", license, 0o644); err != nil {
		return "", err
	}
	for _, platform := range programs.platforms() {
		program := programs.paths[platform]
		if err := addFile(archive, inside(platform, program), program, 0o755); err != nil {
			return "", err
		}
	}
	if err := archive.Close(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(packed.Bytes())), write(path, packed.Bytes())
}

func addFile(archive *zip.Writer, name, path string, mode fs.FileMode) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return add(archive, name, content, mode)
}

// add adds a file. All files have the first time that ZIP can represent, so
// that the time of writing does not change the bundle.
func add(archive *zip.Writer, name string, content []byte, mode fs.FileMode) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	header.SetMode(mode)
	file, err := archive.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return err
}

// write writes a file next to its destination and then moves it there.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".part", content, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}
