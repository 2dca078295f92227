package clientfile

import (
	"errors"
	"time"
)

// lockWait is how long to wait for a lock, lockPoll how often to try.
const (
	lockWait = 5 * time.Second
	lockPoll = 5 * time.Millisecond
)

// lock keeps other processes of this program from changing files in a folder.
// The system releases the lock when the process ends, however it ends. Held is
// false where such a lock does not work or the folder does not exist yet; a
// concurrent change is detected anyway.
func lock(folder string) (unlock func(), held bool, err error) {
	for late := time.Now().Add(lockWait); ; time.Sleep(lockPoll) {
		unlock, busy := tryLock(folder)
		switch {
		case unlock != nil:
			return unlock, true, nil
		case !busy:
			return func() {}, false, nil
		case time.Now().After(late):
			return nil, false, errors.New("another outline-mcp is changing files in the same folder; try again when it has finished")
		}
	}
}
