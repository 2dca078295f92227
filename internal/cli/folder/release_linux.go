package folder

import "golang.org/x/sys/unix"

// release ends that pages of a mapped file count as memory of this process. The kernel
// reads them again when they are needed.
func release(start, size uintptr) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, size, unix.MADV_DONTNEED)
}
