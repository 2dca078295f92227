//go:build !linux

package pdftext

func limitData(uint64) {}
