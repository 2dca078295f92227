//go:build unix

package oauth_test

import (
	"os"
	"outline-mcp/internal/fakeoutline"
	"syscall"
	"testing"
)

func TestSecretsKeepTheirOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to others")
	}
	s, files := setup(t, connect(t, sample(t), fakeoutline.AdminKey))
	s.Force = true
	files.write("secret", present)
	if err := os.Chown(files.path("secret"), 65532, 65532); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(files.path("secret"))
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 65532 || owner.Gid != 65532 {
		t.Errorf("it belongs to %d:%d", owner.Uid, owner.Gid)
	}
}
