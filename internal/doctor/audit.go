package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"outline-mcp/internal/audit"
)

// checkAudit reports whether the audit trail can be written, if the settings name one,
// and whether others can read it. It creates nothing.
func checkAudit(_ context.Context, e *examination) {
	const check = "audit"
	path := e.settings.AuditLog
	if path == "" {
		return
	}
	if path == audit.Stderr {
		e.add(OK, check, "calls are recorded on standard error", "")
		return
	}
	info, err := os.Stat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	switch {
	case isNew:
		err = mayCreateIn(filepath.Dir(path))
	case err == nil:
		if err = audit.CheckKind(info); err != nil {
			break
		}
		var opened *os.File
		if opened, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			_ = opened.Close()
		}
	}
	switch {
	case err != nil:
		e.add(Failure, check, fmt.Sprintf("%s cannot be written (%s): the server does not start", path, cause(err)), "set MCP_AUDIT_LOG to a file that the server may create or add to, in a folder that exists, or to stderr")
	case isNew:
		e.add(OK, check, path+" will be created", "")
	case info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/':
		e.add(Warning, check, fmt.Sprintf("others on this machine can read %s (mode %04o)", path, info.Mode().Perm()), "chmod 600 "+path+", unless that is meant")
	default:
		e.add(OK, check, "calls are recorded in "+path, "")
	}
}
