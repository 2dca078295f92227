//go:build !linux

package folder

func release(uintptr, uintptr) {}
