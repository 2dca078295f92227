package toolclient

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// Client calls tools over one MCP connection and reports their progress. Its
// methods may be called concurrently.
type Client struct {
	client *client.Client

	mu       sync.Mutex
	last     int                              // the last token
	progress map[string]func(done, total int) // by the token of the call
}

// New returns a Client that uses an initialized connection and owns it.
func New(connection *client.Client) *Client {
	c := &Client{client: connection, progress: map[string]func(done, total int){}}
	connection.OnNotification(c.notified)
	return c
}

// Close closes the connection.
func (c *Client) Close() error { return c.client.Close() }

// Call calls a tool; see [Call]. If progress is not nil, a tool that works on
// many items reports through it how many of them are done. Some items may go
// unreported. Call does not return while progress runs, and progress is not
// called afterwards.
func (c *Client) Call(ctx context.Context, tool string, arguments any, progress func(done, total int)) (Answer, error) {
	if progress == nil {
		return call(ctx, c.client, tool, arguments, nil)
	}
	c.mu.Lock()
	c.last++
	token := strconv.Itoa(c.last)
	c.progress[token] = progress
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.progress, token)
	}()
	return call(ctx, c.client, tool, arguments, &mcp.Meta{ProgressToken: token})
}

// notified handles notifications/progress (MCP specification,
// basic/utilities/progress). It holds the lock during the callback, so that
// nothing is reported after Call has returned.
func (c *Client) notified(notification mcp.JSONRPCNotification) {
	if notification.Method != "notifications/progress" {
		return
	}
	raw, err := json.Marshal(notification.Params.AdditionalFields)
	if err != nil {
		return
	}
	var report struct {
		Token string `json:"progressToken"`
		Done  int    `json:"progress"`
		Total int    `json:"total"`
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if progress := c.progress[report.Token]; progress != nil {
		progress(report.Done, report.Total)
	}
}
