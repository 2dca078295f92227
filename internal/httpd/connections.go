package httpd

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// mostConnections limits the number of connections. Each takes memory, even if
// it sends nothing or never completes a header.
const mostConnections = 1024

// mostSecureConnections limits those with TLS, and so perhaps HTTP/2, which keeps
// several buffers for each.
const mostSecureConnections = 512

// connections limits the number of connections. If there is one too many, it
// closes the one that has been idle for longest, so that idle connections do
// not keep others out.
type connections struct {
	most int

	mu      sync.Mutex
	open    int
	waiting list.List // of net.Conn without a request, the longest first
	places  map[net.Conn]*list.Element
}

func newConnections(most int) *connections {
	return &connections{most: most, places: map[net.Conn]*list.Element{}}
}

// changed is called when a connection changes its state, for http.Server. A
// connection is new or idle until the header of a request has arrived.
func (c *connections) changed(connection net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(connection)
	switch state {
	case http.StateNew:
		c.open++
		c.places[connection] = c.waiting.PushBack(connection)
		if c.open > c.most {
			longest := c.waiting.Front().Value.(net.Conn)
			c.forget(longest)
			closeAtOnce(longest)
		}
	case http.StateIdle:
		c.places[connection] = c.waiting.PushBack(connection)
	case http.StateClosed, http.StateHijacked:
		c.open--
	}
}

// forget removes a connection from the idle ones.
func (c *connections) forget(connection net.Conn) {
	if place, ok := c.places[connection]; ok {
		c.waiting.Remove(place)
		delete(c.places, connection)
	}
}

// closeAtOnce closes a connection without the closing message of TLS, which
// could block.
func closeAtOnce(connection net.Conn) {
	if secure, ok := connection.(*tls.Conn); ok {
		connection = secure.NetConn()
	}
	_ = connection.Close()
}
