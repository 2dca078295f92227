package httpd

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// mostConnections is how many clients may be connected. Each takes memory even if
// it sends nothing, or a header that does not end.
const mostConnections = 1024

// connections bounds the number of connections. If there is one too many, it
// closes that which has been without a request for longest, so that idle ones
// keep nobody out.
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

// forget removes a connection from those that wait, if it does.
func (c *connections) forget(connection net.Conn) {
	if place, ok := c.places[connection]; ok {
		c.waiting.Remove(place)
		delete(c.places, connection)
	}
}

// closeAtOnce closes a connection without what TLS says at its end, which could
// block.
func closeAtOnce(connection net.Conn) {
	if secure, ok := connection.(*tls.Conn); ok {
		connection = secure.NetConn()
	}
	_ = connection.Close()
}
