package clientfile

import (
	"errors"
	"path/filepath"
	"syscall"
)

const (
	// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew
	fileFlagDeleteOnClose = 0x04000000
	// https://learn.microsoft.com/windows/win32/debug/system-error-codes--0-499-
	errorSharingViolation = syscall.Errno(32)
)

// tryLock opens a file that nobody else can open at the same time, and that the
// system deletes when it is closed.
func tryLock(folder string) (unlock func(), busy bool) {
	name, err := syscall.UTF16PtrFromString(filepath.Join(folder, ".outline-mcp.lock"))
	if err != nil {
		return nil, false
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|fileFlagDeleteOnClose, 0)
	if err != nil {
		return nil, errors.Is(err, errorSharingViolation)
	}
	return func() { _ = syscall.CloseHandle(handle) }, false
}
