package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
	"outline-mcp/tools"
)

// A Caller calls the tools of a server in this process, over one connection.
// Its methods may be called side by side.
type Caller struct {
	client *client.Client

	mu       sync.Mutex
	last     int                              // the last token
	watching map[string]func(done, total int) // by the token of the call
}

// Caller connects to the server. Whoever asked for it closes it.
func (a *App) Caller(ctx context.Context) (*Caller, error) {
	connected, err := a.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &Caller{client: connected, watching: map[string]func(done, total int){}}
	connected.OnNotification(c.notified)
	return c, nil
}

// Close ends the connection.
func (c *Caller) Close() error { return c.client.Close() }

// Call calls a tool. The arguments are whatever encodes as a JSON object, or
// nil. A tool that works on many items tells progress, if it is not nil, how
// many of them are done, not later than Call returns; what it tells may be
// missing some items.
func (c *Caller) Call(ctx context.Context, tool string, arguments any, progress func(done, total int)) (Answer, error) {
	if progress == nil {
		return call(ctx, c.client, tool, arguments, nil)
	}
	c.mu.Lock()
	c.last++
	token := strconv.Itoa(c.last)
	c.watching[token] = progress
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watching, token)
	}()
	return call(ctx, c.client, tool, arguments, &mcp.Meta{ProgressToken: token})
}

// Check says why there is no such tool to call; nil if there is.
func (a *App) Check(tool string) error {
	if slices.ContainsFunc(a.bound, func(b mcptool.Bound) bool { return b.Name == tool }) {
		return nil
	}
	for _, known := range tools.All() {
		if info := known.Info(); info.Name == tool {
			return fmt.Errorf("%s leaves the tool %s out", a.leavesOut(info), tool)
		}
	}
	return fmt.Errorf("there is no tool %s", output.Excerpt(tool, 60))
}

// leavesOut returns the setting because of which a tool is not offered.
func (a *App) leavesOut(tool mcptool.Info) string {
	switch {
	case a.config.ReadOnly && tool.Effect != mcptool.Reads:
		return "the setting OUTLINE_READ_ONLY"
	case a.config.DisableDelete && tool.Effect == mcptool.Deletes:
		return "the setting OUTLINE_DISABLE_DELETE"
	case a.config.DisableAITools && tool.Group == tools.AI:
		return "the setting OUTLINE_DISABLE_AI_TOOLS"
	}
	return "one of the settings OUTLINE_TOOLS and OUTLINE_EXCLUDE_TOOLS"
}

// notified passes on notifications/progress (MCP specification,
// basic/utilities/progress). The lock is held meanwhile, so that nothing is
// told after Call returned.
func (c *Caller) notified(notification mcp.JSONRPCNotification) {
	if notification.Method != "notifications/progress" {
		return
	}
	raw, err := json.Marshal(notification.Params.AdditionalFields)
	if err != nil {
		return
	}
	var told struct {
		Token    string `json:"progressToken"`
		Progress int    `json:"progress"`
		Total    int    `json:"total"`
	}
	if err := json.Unmarshal(raw, &told); err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if progress := c.watching[told.Token]; progress != nil {
		progress(told.Progress, told.Total)
	}
}
