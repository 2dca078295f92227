package transport_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"outline-mcp/outline/transport"
	"outline-mcp/test/fixtures"
)

const outlineURL = "https://wiki.example.com/api"

// A replica is the limiter of a server, with what it logs.
type replica struct {
	*transport.RedisLimiter
	log    *lines
	failed *atomic.Int64
}

type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.String(), text)
}

func newReplica(t *testing.T, url, outline string) replica {
	t.Helper()
	r := replica{log: new(lines), failed: new(atomic.Int64)}
	limiter, err := transport.NewRedisLimiter(transport.RedisOptions{
		URL: url, Outline: outline,
		Log: slog.New(slog.NewTextHandler(r.log, nil)), Failed: func() { r.failed.Add(1) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = limiter.Close() })
	r.RedisLimiter = limiter
	return r
}

func list(subject string) transport.Limit {
	return transport.Limit{Subject: subject, Endpoint: "documents.list"}
}

// open returns a connection to a Redis.
func open(t *testing.T, url string) redis.Conn {
	t.Helper()
	conn, err := redis.DialURL(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestARefusalOfOneReplicaHoldsForTheOthers(t *testing.T) {
	server := fixtures.StartRedis(t)
	one, two, elsewhere := newReplica(t, server.URL, outlineURL), newReplica(t, server.URL, outlineURL), newReplica(t, server.URL, "https://other.example.com/api")
	waits := func(r replica, subject string, want bool) {
		t.Helper()
		if wait := r.Admit(t.Context(), list(subject)); (wait > 0) != want || wait > time.Minute {
			t.Errorf("a request of %s waits %s", subject, wait)
		}
	}
	waits(two, "Ada", false)
	one.Refused(t.Context(), list("Ada"), transport.Refusal{Wait: time.Minute, Requests: 100})
	waits(two, "Ada", true)
	waits(two, "Ben", false) // the key of Ada may be used elsewhere
	two.Refused(t.Context(), list("Ben"), transport.Refusal{Wait: time.Minute, Requests: 100})
	waits(one, "Cleo", true)
	waits(elsewhere, "Ada", false)
	if wait := one.Admit(t.Context(), transport.Limit{Subject: "Ada", Endpoint: "documents.info"}); wait != 0 {
		t.Errorf("another endpoint waits %s", wait)
	}
	if n := one.failed.Load() + two.failed.Load() + elsewhere.failed.Load(); n != 0 {
		t.Errorf("%d failures: %s", n, one.log)
	}
}

func TestReplicasCountTogether(t *testing.T) {
	server := fixtures.StartRedis(t)
	several := []replica{newReplica(t, server.URL, outlineURL), newReplica(t, server.URL, outlineURL), newReplica(t, server.URL, outlineURL)}
	// The limit of a minute becomes known, and the window ends at once.
	several[0].Refused(t.Context(), list("Zoe"), transport.Refusal{Wait: time.Minute, Requests: 100})
	several[0].Refused(t.Context(), list("Zoe"), transport.Refusal{Wait: 0, Requests: 100})
	conn := open(t, server.URL)
	for {
		windows, err := redis.Strings(conn.Do("KEYS", "*:window:*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(windows) == 0 {
			break
		}
	}
	admitted := map[string]int{}
	for n := range 300 {
		if several[n%3].Admit(t.Context(), list("batch")) == 0 {
			admitted["batch"]++
		}
	}
	for n := range 30 {
		if several[n%3].Admit(t.Context(), list(fmt.Sprint("reader ", n))) == 0 {
			admitted["readers"]++
		}
	}
	if admitted["batch"] != 80 || admitted["readers"] != 20 {
		t.Errorf("admitted %v", admitted)
	}
}

func TestRedisHoldsNoNamesAndNothingForEver(t *testing.T) {
	server := fixtures.StartRedis(t)
	r := newReplica(t, server.URL, outlineURL)
	for _, subject := range []string{"subject:ada@example.com", "subject:ben@example.com"} {
		r.Refused(t.Context(), list(subject), transport.Refusal{Wait: time.Minute, Requests: 100})
		r.Admit(t.Context(), list(subject))
	}
	conn := open(t, server.URL)
	keys, err := redis.Strings(conn.Do("KEYS", "*"))
	if err != nil || len(keys) < 4 {
		t.Fatal(keys, err)
	}
	for _, key := range keys {
		content, err := redis.Bytes(conn.Do("DUMP", key))
		if err != nil {
			t.Error(err)
		}
		if expires, err := redis.Int(conn.Do("PTTL", key)); err != nil || expires <= 0 {
			t.Errorf("%s never expires", key)
		}
		if text := key + string(content); !strings.HasPrefix(key, "outline-mcp:{") || strings.Contains(text, "example") || strings.Contains(text, "subject:") {
			t.Errorf("%s shows a name", key)
		}
	}
}

func TestWithoutRedisAReplicaHasLimitsOfItsOwn(t *testing.T) {
	server := fixtures.StartRedis(t)
	r := newReplica(t, server.URL, outlineURL)
	r.Refused(t.Context(), list("Ada"), transport.Refusal{Wait: time.Minute})
	server.Kill()
	for range 100 {
		if r.Admit(t.Context(), list("Ada")) == 0 {
			t.Fatal("what was learned is lost with Redis")
		}
		if r.Admit(t.Context(), list("Ben")) != 0 {
			t.Fatal("others wait for Redis")
		}
	}
	if n := r.log.count("Redis is unavailable"); n != 1 {
		t.Errorf("%d lines: %s", n, r.log)
	}
	if n := r.failed.Load(); n != 1 {
		t.Errorf("%d attempts", n)
	}
	if r.log.count(fixtures.RedisPassword) != 0 {
		t.Errorf("log %s", r.log)
	}
	if !server.Restart() {
		t.Skip("another process has taken the port")
	}
	r.TryAgain()
	r.Admit(t.Context(), list("Ada"))
	if r.log.count("Redis is available again") != 1 {
		t.Errorf("log %s", r.log)
	}
}

func TestAServerThatIsNotRedisHarmsNothing(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":                            "",
		"another protocol":                   "HTTP/1.1 400 Bad Request\r\n\r\n",
		"a huge text":                        "$9000000000000\r\n",
		"a huge list":                        "*9000000000\r\n",
		"lists in lists":                     strings.Repeat("*1\r\n", 1<<20),
		"an endless line":                    "+" + strings.Repeat("x", 1<<20),
		"a wait of years":                    ":99999999999\r\n",
		"a negative wait":                    ":-5\r\n",
		"text":                               "+OK\r\n",
		"an error that repeats the password": "-ERR " + fixtures.RedisPassword + "\r\n",
		"noise":                              "\x00\x01\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var connections sync.WaitGroup
			connections.Go(func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					connections.Go(func() {
						defer conn.Close()
						asked := make([]byte, 1<<10)
						for {
							n, err := conn.Read(asked)
							if err != nil {
								return
							}
							reply := answer
							// It knows the password, but not what is asked.
							if strings.HasPrefix(answer, ":") && !bytes.Contains(asked[:n], []byte("EVAL")) {
								reply = strings.Repeat("+OK\r\n", bytes.Count(asked[:n], []byte("*")))
							}
							if _, err := conn.Write([]byte(reply)); err != nil || reply == "" {
								return
							}
						}
					})
				}
			})
			r := newReplica(t, "redis://:"+fixtures.RedisPassword+"@"+listener.Addr().String(), outlineURL)
			defer connections.Wait()
			defer listener.Close()
			defer r.Close()
			if wait := r.Admit(t.Context(), list("Ada")); wait != 0 {
				t.Errorf("a request waits %s", wait)
			}
			r.TryAgain()
			if wait := r.Admit(t.Context(), list("Ben")); wait != 0 {
				t.Errorf("another request waits %s", wait)
			}
			if r.log.count("Redis is unavailable") != 1 || r.log.count(fixtures.RedisPassword) != 0 {
				t.Errorf("log %s", r.log)
			}
		})
	}
}

func TestAWrongPasswordIsNamed(t *testing.T) {
	server := fixtures.StartRedis(t)
	for name, url := range map[string]string{
		"wrong": strings.Replace(server.URL, fixtures.RedisPassword, "guessed", 1),
		"none":  strings.Replace(server.URL, ":"+fixtures.RedisPassword+"@", "", 1),
	} {
		t.Run(name, func(t *testing.T) {
			r := newReplica(t, url, outlineURL)
			r.Admit(t.Context(), list("Ada"))
			if r.log.count("refused the password") != 1 || r.log.count("guessed") != 0 {
				t.Errorf("log %s", r.log)
			}
		})
	}
	withTLS := newReplica(t, strings.Replace(server.URL, "redis:", "rediss:", 1), outlineURL)
	if withTLS.Admit(t.Context(), list("Ada")); withTLS.log.count("in time") != 1 {
		t.Errorf("of a Redis without TLS, the log says %s", withTLS.log)
	}
}

func TestAnAddressThatIsNotOfRedisIsRefusedWithoutShowingIt(t *testing.T) {
	for _, address := range []string{"", "redis://", "localhost:6379", "http://host:1", "redis://:hunter2@host/zero", "redis://:hunter2@host/1/2", "redis://:hunter2@host?db=1", "redis://:hunter2@ho st"} {
		if err := transport.CheckRedisURL(address); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"redis://host", "redis://host:6380/3", "rediss://user:pass@host", "redis://[::1]:6379/"} {
		if err := transport.CheckRedisURL(address); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}
