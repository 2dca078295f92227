package app

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
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
