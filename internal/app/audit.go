package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"outline-mcp/internal/audit"
	"outline-mcp/internal/config"
	"outline-mcp/internal/metrics"
	"outline-mcp/outline"
)

// newAudit returns the audit trail of the settings, or nil if there is none. client is
// called when the first line asks for its user.
func newAudit(o Options, count *metrics.Metrics, client func() *outline.Client) *audit.Trail {
	if o.Config.AuditLog == "" {
		return nil
	}
	return audit.New(audit.Options{
		Path: o.Config.AuditLog, Stderr: o.Stderr, MaxSize: int64(o.Config.AuditMaxSize), Keep: o.Config.AuditKeep,
		Required: o.Config.AuditRequired, Log: o.Log, Now: o.Now, Wrote: count.AuditLine,
		Ask: func(ctx context.Context) (*audit.User, bool) {
			info, err := client().AuthInfo(outline.WithCallOptions(ctx, outline.NoRetries()))
			switch {
			case err == nil:
				return &audit.User{ID: info.User.ID, Name: info.User.Name}, true
			case errors.Is(err, outline.ErrForbidden): // a key whose scopes do not allow it
				return nil, true
			}
			return nil, false
		},
	})
}

// OpenAudit opens the audit trail, if there is one. The error is a problem with the
// settings: a server must not start without its trail.
func (a *App) OpenAudit() error {
	if a.audit == nil {
		return nil
	}
	if err := a.audit.Open(); err != nil {
		return &config.Error{Problems: []config.Problem{{Setting: "MCP_AUDIT_LOG", Text: auditProblem(err)}}}
	}
	return nil
}

// auditProblem says why the file of an audit trail cannot be used and what to do.
func auditProblem(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return fmt.Sprintf("cannot write %s; set the path of a file that this program may create or add to, in a folder that exists, or stderr", err)
}
