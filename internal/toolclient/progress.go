package toolclient

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// CallWithProgress calls a tool; see [Call]. A tool that works on many items
// reports through progress how many of them are done. Some items may go
// unreported. CallWithProgress does not return while progress runs, and progress
// is not called afterwards. The connection keeps a little memory of each call.
func CallWithProgress(ctx context.Context, c *client.Client, tool string, arguments any, progress func(done, total int)) (Answer, error) {
	token := uuid.NewString()
	var mu sync.Mutex // held while progress runs
	returned := false
	c.OnNotification(func(notification mcp.JSONRPCNotification) {
		if notification.Method != string(mcp.MethodNotificationProgress) {
			return
		}
		var report struct {
			Token string `json:"progressToken"`
			Done  int    `json:"progress"`
			Total int    `json:"total"`
		}
		raw, err := json.Marshal(notification.Params.AdditionalFields)
		if err != nil || json.Unmarshal(raw, &report) != nil || report.Token != token {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if !returned {
			progress(report.Done, report.Total)
		}
	})
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		returned = true
	}()
	return call(ctx, c, tool, arguments, &mcp.Meta{ProgressToken: token})
}
