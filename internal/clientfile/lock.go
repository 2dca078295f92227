package clientfile

import (
	"errors"
	"time"
)

// A lock is waited for as long as lockWait, and looked at each lockPoll.
const (
	lockWait = 5 * time.Second
	lockPoll = 5 * time.Millisecond
)

// lock keeps other processes of this program from changing files in a folder.
// The system gives it up with the process, however that ends. Where there is no
// such lock, or no such folder yet, held is false: a file that changes
// meanwhile is noticed all the same.
func lock(folder string) (unlock func(), held bool, err error) {
	for late := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
		unlock, busy := tryLock(folder)
		switch {
		case unlock != nil:
			return unlock, true, nil
		case !busy:
			return func() {}, false, nil
		case time.Now().After(late):
			return nil, false, errors.New("another outline-mcp is changing files beside it; try again when that has ended")
		}
	}
}
