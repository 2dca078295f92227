//go:build unix

package oauth_test

import (
	"os"
	"syscall"
	"testing"
)

func TestSecretsKeepTheirOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to others")
	}
	s := newSecrets(t)
	if err := os.Chown(s.path("secret"), 65532, 65532); err != nil {
		t.Fatal(err)
	}
	if _, err := s.rotate(nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"secret", "previous"} {
		info, err := os.Stat(s.path(name))
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 65532 || owner.Gid != 65532 {
			t.Errorf("%s belongs to %d:%d", name, owner.Uid, owner.Gid)
		}
	}
}
