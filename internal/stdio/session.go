package stdio

import (
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/notify"
)

// client is what the library keeps about the one client: what it said about
// itself with initialize. It leaves out what would ask the client something; see
// RequestElicitation.
type client interface {
	server.SessionWithLogging
	server.SessionWithClientInfo
	server.SessionWithProtocolVersion
	SetProtocolVersion(string)
}

// session is the client as seen by one of its requests. The notifications of
// the request have their own queue, so that the answer can wait for them.
type session struct {
	client
	connection *connection
	queue      *notify.Queue
}

// NotificationChannel implements server.ClientSession.
func (s session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.queue.Channel() }
