package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// limitedOutline is an Outline that allows a number of requests in a window.
type limitedOutline struct {
	*httptest.Server
	sent, refused atomic.Int64 // of the endpoint that the tests call
}

func newLimitedOutline(t *testing.T, limit fakeoutline.RateLimit) *limitedOutline {
	t.Helper()
	outline, err := fakeoutline.New(fakeoutline.Options{RateLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	o := new(limitedOutline)
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "collections.list") {
			o.sent.Add(1)
			w = &statusWriter{w, &o.refused}
		}
		outline.ServeHTTP(w, r)
	}))
	t.Cleanup(o.Close)
	return o
}

type statusWriter struct {
	http.ResponseWriter
	refused *atomic.Int64
}

func (w *statusWriter) WriteHeader(status int) {
	if status == http.StatusTooManyRequests {
		w.refused.Add(1)
	}
	w.ResponseWriter.WriteHeader(status)
}

// crowd has three callers who send as much as they can, while six others read six times
// each, at servers in turn. It calls between when half of the reads are done.
func crowd(t *testing.T, servers []*team, between func()) {
	t.Helper()
	call := func(server *team, key string) (reply, error) {
		return server.send(t.Context(), "tools/call", listCollections, bearer(key))
	}
	var batches, readers sync.WaitGroup
	var over atomic.Bool
	for n := range 12 {
		batches.Go(func() {
			for turn := n; !over.Load(); turn++ {
				if _, err := call(servers[turn%len(servers)], fmt.Sprint("ol_api_demo_user_", n%3)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	const reads = 6
	var done atomic.Int64
	for n := range 6 {
		readers.Go(func() {
			for turn := range reads {
				r, err := call(servers[(n+turn)%len(servers)], fmt.Sprint("ol_api_demo_user_", 10+n))
				if err != nil || r.Result.IsError {
					t.Errorf("a reader gets %v %s", err, r.text())
				}
				if done.Add(1) == 3*reads {
					between()
				}
			}
		})
	}
	readers.Wait()
	over.Store(true)
	batches.Wait()
}

// busy lets Redis take its time: a replica that does not wait has its own limits.
var busy = app.Options{RedisTimeout: time.Minute}

func replicasOf(t *testing.T, outline, redis string) []*team {
	t.Helper()
	var servers []*team
	for range 3 {
		servers = append(servers, serveTeam(t, busy, "OUTLINE_API_URL="+outline, "MCP_REDIS_URL="+redis))
	}
	return servers
}

func TestThreeReplicasSendWhatOutlineAllowsTogether(t *testing.T) {
	redis := fixtures.StartRedis(t)
	outline := newLimitedOutline(t, fakeoutline.RateLimit{Requests: 60, Window: time.Second})
	servers := replicasOf(t, outline.URL, redis.URL)
	crowd(t, servers, func() {}) // meets the limit for the first time
	sent, refused := outline.sent.Load(), outline.refused.Load()
	for range 3 {
		crowd(t, servers, func() {})
	}
	sent, refused = outline.sent.Load()-sent, outline.refused.Load()-refused
	if float64(refused) > 0.1*float64(sent-refused) {
		t.Errorf("%d of %d requests are more than Outline allows", refused, sent)
	}
	for _, server := range servers {
		if strings.Contains(server.log.String(), "Redis") {
			t.Error(server.log.String())
		}
	}
}

func TestReplicasGoOnWhenRedisDies(t *testing.T) {
	redis := fixtures.StartRedis(t)
	outline := newLimitedOutline(t, fakeoutline.RateLimit{Requests: 60, Window: time.Second})
	servers := replicasOf(t, outline.URL, redis.URL)
	crowd(t, servers, redis.Kill)
	for _, server := range servers {
		if n := strings.Count(server.log.String(), "Redis is unavailable"); n != 1 {
			t.Errorf("%d lines of Redis in %s", n, server.log.String())
		}
		if strings.Contains(server.log.String(), fixtures.RedisPassword) {
			t.Error("the log shows the password of Redis")
		}
	}
}
