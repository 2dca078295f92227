package hostile

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Sent counts the answers to requests by status. Status 0 means that there was
// no answer.
type Sent map[int]int

// String lists the statuses and their numbers.
func (s Sent) String() string {
	var told []string
	for _, status := range slices.Sorted(maps.Keys(s)) {
		told = append(told, fmt.Sprintf("%d × %d", s[status], status))
	}
	return strings.Join(told, ", ")
}

// Flood sends requests and counts the answers: times requests in all, atATime
// of them concurrently. Request n has body n, in turn, and the key that key
// returns for n. It trusts any certificate.
func Flood(ctx context.Context, url string, bodies [][]byte, times, atATime int, key func(int) string) Sent {
	transport := &http.Transport{MaxIdleConnsPerHost: atATime, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	var (
		mu      sync.Mutex
		sent    = Sent{}
		all     sync.WaitGroup
		numbers = make(chan int)
	)
	for range atATime {
		all.Go(func() {
			for n := range numbers {
				status := send(ctx, transport, url, bodies[n%len(bodies)], key(n))
				mu.Lock()
				sent[status]++
				mu.Unlock()
			}
		})
	}
	for n := range times {
		numbers <- n
	}
	close(numbers)
	all.Wait()
	return sent
}

func send(ctx context.Context, transport http.RoundTripper, url string, body []byte, key string) (status int) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("X-Outline-API-Key", key)
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0 // refused before it was sent completely
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// Memory returns how much memory a process has now and how much it had at most,
// in bytes.
func Memory(pid int) (now, most int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("measure memory, which needs Linux: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = kib << 10
		case "VmHWM":
			most = kib << 10
		}
	}
	return now, most, nil
}

// Connect opens connections that send size bytes of a request header and never
// complete it. They stay open until the function that it returns is called.
func Connect(ctx context.Context, address string, number, size int) (closeAll func()) {
	var (
		dialer net.Dialer
		opened []net.Conn
		header = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", size)
	)
	for range number {
		connection, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			break // no more fit
		}
		_, _ = io.WriteString(connection, header) // it may be closed already
		opened = append(opened, connection)
	}
	return func() {
		for _, connection := range opened {
			_ = connection.Close()
		}
	}
}
