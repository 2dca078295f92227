package outline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline"
)

const okDocument = `{"data":{"id":"00ed4f62-c550-4809-8176-61d3a749b928","url":"/doc/deploy-guide-1FF9VyHA4X","title":"Deploy guide","text":"hello"},"ok":true}`

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestAReadIsRepeatedAfterATransientFailure(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"502 of a proxy":        gives(502, "text/html", "<h1>Bad gateway</h1>"),
		"503 of Outline":        gives(503, jsonType, `{"ok":false,"error":"request_timeout","status":503,"message":"Request timeout"}`),
		"504 without a body":    gives(504, "", ""),
		"499 of Outline":        gives(499, jsonType, `{"ok":false,"error":"client_closed_request","status":499,"message":"Client closed request"}`),
		"499 of a proxy":        gives(499, "text/html", "<h1>499</h1>"),
		"408 of a proxy":        gives(408, "text/html", "<h1>Request timeout</h1>"),
		"425 of a proxy":        gives(425, "text/html", "<h1>Too early</h1>"),
		"524 of Cloudflare":     gives(524, "text/html", "<h1>A timeout occurred</h1>"),
		"429 without a wait":    rateLimits(),
		"429 of a proxy":        gives(429, "text/html", "<h1>slow down</h1>"),
		"connection reset":      fails(syscall.ECONNRESET),
		"connection refused":    fails(syscall.ECONNREFUSED),
		"closed without answer": fails(io.EOF),
		"body broken off":       breaks,
		"no answer in time":     hangs,
		"body stalled":          stalls,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := scripted(t, nil, step, step, gives(200, jsonType, okDocument))
				d, err := c.Document(t.Context(), "1FF9VyHA4X")
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "text", d.Text, "hello")
				equal(t, "attempts", s.calls, 3)
				for n, body := range s.sent {
					equal(t, fmt.Sprintf("body of attempt %d", n+1), body, `{"id":"1FF9VyHA4X"}`)
				}
			})
		})
	}
}

func TestTheLastFailureIsReturnedWhenRetriesAreUsedUp(t *testing.T) {
	for name, test := range map[string]struct {
		step func(*http.Request) (*http.Response, error)
		kind error
	}{
		"502":     {gives(502, "text/html", "<h1>Bad gateway</h1>"), outline.ErrUpstream},
		"429":     {rateLimits("Retry-After", "1"), outline.ErrRateLimited},
		"reset":   {fails(syscall.ECONNRESET), outline.ErrUnreachable},
		"timeout": {hangs, outline.ErrTimeout},
		"broken":  {breaks, outline.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := scripted(t, nil, test.step)
				_, err := c.Document(t.Context(), "1FF9VyHA4X")
				if !errors.Is(err, test.kind) {
					t.Errorf("error %v is not %v", err, test.kind)
				}
				equal(t, "attempts", s.calls, 4)

				s.calls = 0
				if _, err := c.Document(once(as(t.Context(), "ol_api_other")), "1FF9VyHA4X"); !errors.Is(err, test.kind) {
					t.Errorf("without retry: error %v is not %v", err, test.kind)
				}
				equal(t, "attempts without retry", s.calls, 1)
			})
		})
	}
}

func TestALastingFailureIsNotRepeated(t *testing.T) {
	for name, test := range map[string]struct {
		step func(*http.Request) (*http.Response, error)
		kind error
	}{
		"400":                  {gives(400, jsonType, `{"ok":false,"error":"validation_error","status":400,"message":"id: Invalid input"}`), outline.ErrInvalid},
		"401":                  {gives(401, jsonType, `{"ok":false,"error":"authentication_required","status":401,"message":"Authentication required"}`), outline.ErrUnauthorized},
		"409":                  {gives(409, jsonType, `{"ok":false,"error":"document_conflict","status":409,"message":"Conflict"}`), outline.ErrConflict},
		"413 of Outline":       {gives(413, jsonType, `{"ok":false,"error":"","status":413,"message":"request entity too large"}`), outline.ErrTooLarge},
		"413 of a proxy":       {gives(413, "text/html", "<h1>Request Entity Too Large</h1>"), outline.ErrTooLarge},
		"500":                  {gives(500, jsonType, `{"ok":false,"error":"internal_error","status":500,"message":"Internal error"}`), outline.ErrUpstream},
		"500 of a proxy":       {gives(500, "text/html", "<h1>oops</h1>"), outline.ErrUpstream},
		"501":                  {gives(501, "text/plain", "no"), outline.ErrBadAnswer},
		"redirect":             {gives(307, "text/html", "moved", "Location", "https://login.example.com/?next=x"), outline.ErrBadAnswer},
		"redirect to nowhere":  {gives(302, "text/html", "moved"), outline.ErrBadAnswer},
		"not modified":         {gives(304, "", ""), outline.ErrBadAnswer},
		"login page":           {gives(200, "text/html; charset=utf-8", "<html>Sign in</html>"), outline.ErrBadAnswer},
		"no content":           {gives(204, "", ""), outline.ErrBadAnswer},
		"401 of a proxy":       {gives(401, "text/html", "<h1>401</h1>"), outline.ErrBadAnswer},
		"403 of a firewall":    {gives(403, "text/html", "<h1>403</h1>"), outline.ErrBadAnswer},
		"404 of a web server":  {gives(404, "text/html", "<h1>404</h1>"), outline.ErrBadAnswer},
		"404 of another API":   {gives(404, jsonType, `{"message":"no Route matched"}`), outline.ErrBadAnswer},
		"405":                  {gives(405, "text/plain", "POST?"), outline.ErrBadAnswer},
		"broken error":         {gives(404, jsonType, `{"ok":false,"err`), outline.ErrBadAnswer},
		"HTML called JSON":     {gives(200, jsonType, "<html>Sign in</html>"), outline.ErrBadAnswer},
		"cut JSON":             {gives(200, jsonType, okDocument[:60]), outline.ErrBadAnswer},
		"empty":                {gives(200, jsonType, ""), outline.ErrBadAnswer},
		"two values":           {gives(200, jsonType, okDocument+okDocument), outline.ErrBadAnswer},
		"a list":               {gives(200, jsonType, `[]`), outline.ErrBadAnswer},
		"no ok":                {gives(200, jsonType, `{"data":{`+complete+`}}`), outline.ErrBadAnswer},
		"ok false":             {gives(200, jsonType, `{"ok":false,"data":{`+complete+`}}`), outline.ErrBadAnswer},
		"no data":              {gives(200, jsonType, `{"ok":true}`), outline.ErrBadAnswer},
		"null data":            {gives(200, jsonType, `{"ok":true,"data":null}`), outline.ErrBadAnswer},
		"data of another type": {gives(200, jsonType, `{"ok":true,"data":"secret words"}`), outline.ErrBadAnswer},
		"no id":                {gives(200, jsonType, `{"ok":true,"data":{"title":"x"}}`), outline.ErrBadAnswer},
		"a number as title":    {gives(200, jsonType, `{"ok":true,"data":{`+complete+`,"title":12345}}`), outline.ErrBadAnswer},
		"no date as date":      {gives(200, jsonType, `{"ok":true,"data":{`+complete+`,"updatedAt":"secret words"}}`), outline.ErrBadAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := scripted(t, nil, test.step)
				start := time.Now()
				_, err := c.Document(t.Context(), "1FF9VyHA4X")
				if !errors.Is(err, test.kind) {
					t.Errorf("error %v is not %v", err, test.kind)
				}
				for _, kind := range allKinds {
					if kind != test.kind && errors.Is(err, kind) {
						t.Errorf("error %v is also %v", err, kind)
					}
				}
				if test.kind == outline.ErrBadAnswer {
					remedy := outline.CheckAddress
					switch name {
					case "cut JSON", "empty":
						remedy = outline.CheckGateway
					case "login page":
						remedy = outline.CheckAddressOrGateway // without a title or a form
					case "redirect", "401 of a proxy", "403 of a firewall":
						remedy = outline.PassGateway
					}
					suggests(t, err, remedy)
				}
				for _, foreign := range []string{"<", "secret", "12345", "Route matched", "next=x", "Sign in"} {
					if strings.Contains(err.Error(), foreign) {
						t.Errorf("error %q repeats %q of the answer", err, foreign)
					}
				}
				attempts := 1
				if test.kind == outline.ErrUnauthorized {
					attempts = 2 // documents.list says whether the owner of the key is suspended
				}
				equal(t, "attempts", s.calls, attempts)
				equal(t, "time taken", time.Since(start), 0)
			})
		})
	}
}

var allKinds = []error{
	outline.ErrNoKey, outline.ErrInvalid, outline.ErrUnauthorized, outline.ErrForbidden, outline.ErrNotFound, outline.ErrTextNotFound, outline.ErrCannotAnchor, outline.ErrConflict,
	outline.ErrTooLarge, outline.ErrRateLimited, outline.ErrUpstream, outline.ErrBadAnswer, outline.ErrAnswerTooLarge, outline.ErrTimeout,
	outline.ErrCancelled, outline.ErrUnreachable,
}

func TestTheWaitIsTheServers(t *testing.T) {
	for name, test := range map[string]struct {
		headers func() []string
		status  int
		want    time.Duration
	}{
		"Retry-After in seconds": {func() []string { return []string{"Retry-After", "7"} }, 429, 7 * time.Second},
		"Retry-After as a date": {func() []string {
			return []string{"Retry-After", time.Now().Add(9 * time.Second).UTC().Format(http.TimeFormat)}
		}, 429, 9 * time.Second},
		"Retry-After of a 503":                     {func() []string { return []string{"Retry-After", "3"} }, 503, 3 * time.Second},
		"RateLimit-Reset without Retry-After":      {func() []string { return []string{"RateLimit-Reset", "4"} }, 429, 4 * time.Second},
		"Retry-After rather than RateLimit-Reset":  {func() []string { return []string{"Retry-After", "2", "RateLimit-Reset", "5"} }, 429, 2 * time.Second},
		"RateLimit-Reset behind a bad Retry-After": {func() []string { return []string{"Retry-After", "soon", "RateLimit-Reset", "6"} }, 429, 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := scripted(t, nil, func(*http.Request) (*http.Response, error) {
					return answered(test.status, jsonType, `{"ok":false,"error":"x","message":"x"}`, test.headers()...), nil
				}, gives(200, jsonType, okDocument))
				if _, err := c.Document(t.Context(), "1FF9VyHA4X"); err != nil {
					t.Fatal(err)
				}
				equal(t, "wait", s.gap(1), test.want)
			})
		})
	}
}

func TestWithoutAWordFromTheServerTheBackoffGrowsAndVaries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		varied := map[time.Duration]bool{}
		for range 50 {
			// A wait of 0, one in the past, and a missing one are the same.
			c, s := scripted(t, nil, rateLimits("Retry-After", "0"), rateLimits("Retry-After", "Fri, 01 Jan 1999 00:00:00 GMT"), gives(503, "", ""))
			if _, err := c.Document(t.Context(), "1FF9VyHA4X"); !errors.Is(err, outline.ErrUpstream) {
				t.Fatal(err)
			}
			for n := 1; n <= 3; n++ {
				mean := 200 * time.Millisecond << (n - 1)
				if gap := s.gap(n); gap < mean/2 || gap > mean*3/2 {
					t.Errorf("wait %d is %v, want %v to %v", n, gap, mean/2, mean*3/2)
				}
			}
			varied[s.gap(1)] = true
		}
		if len(varied) < 10 {
			t.Errorf("%d different waits of 50", len(varied))
		}
	})
}

func TestTheBackoffIsNeverLongerThanTheLongestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := scripted(t, func(o *outline.Options) { o.MaxRetries, o.MaxRetryWait = 70, time.Second }, gives(503, "", ""))
		if _, err := c.Document(t.Context(), "1FF9VyHA4X"); !errors.Is(err, outline.ErrUpstream) {
			t.Fatal(err)
		}
		equal(t, "attempts", s.calls, 71)
		for n := 1; n <= 70; n++ {
			if s.gap(n) > time.Second || s.gap(n) <= 0 {
				t.Errorf("wait %d is %v", n, s.gap(n))
			}
		}
	})
}

func TestATooLongWaitFailsAtOnceAndTellsIt(t *testing.T) {
	for name, test := range map[string]struct {
		retryAfter string
		deadline   time.Duration
		want       time.Duration
		says       string
	}{
		"longer than the longest wait":  {"600", 0, 10 * time.Minute, "try again in 10m0s"},
		"beyond the context's deadline": {"10", 9 * time.Second, 10 * time.Second, "try again in 10s"},
		"longer than anybody means":     {"99999999999999999999", 0, time.Hour, "try again in 1h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				c, s := scripted(t, nil, rateLimits("Retry-After", test.retryAfter))
				start := time.Now()
				_, err := c.Document(ctx, "1FF9VyHA4X")
				var e *outline.Error
				if !errors.As(err, &e) || !errors.Is(err, outline.ErrRateLimited) {
					t.Fatalf("error %v, want ErrRateLimited", err)
				}
				equal(t, "RetryAfter", e.RetryAfter, test.want)
				contains(t, err, "documents.info: Rate limit exceeded for this operation (429)", test.says)
				equal(t, "attempts", s.calls, 1)
				equal(t, "time taken", time.Since(start), 0)
			})
		})
	}
}

func TestABackoffBeyondTheDeadlineIsNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		c, s := scripted(t, nil, gives(503, "", ""))
		start := time.Now()
		if _, err := c.Document(ctx, "1FF9VyHA4X"); !errors.Is(err, outline.ErrUpstream) {
			t.Errorf("error %v, want ErrUpstream", err)
		}
		equal(t, "attempts", s.calls, 1)
		equal(t, "time taken", time.Since(start), 0)
	})
}

func TestWithoutRetryNeverWaitsForARateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := scripted(t, nil, rateLimits("Retry-After", "1"))
		start := time.Now()
		if _, err := c.Document(once(t.Context()), "1FF9VyHA4X"); !errors.Is(err, outline.ErrRateLimited) {
			t.Errorf("error %v, want ErrRateLimited", err)
		}
		equal(t, "attempts", s.calls, 1)
		equal(t, "time taken", time.Since(start), 0)
	})
}

func TestAFailureThatMayPassTellsHowLongTheServerAsksToWait(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"503 of a proxy":   gives(503, "text/html", "<h1>busy</h1>", "Retry-After", "600"),
		"503 without body": gives(503, "", "", "Retry-After", "600"),
		"503 of Outline":   gives(503, jsonType, `{"ok":false,"error":"maintenance","message":"Back soon"}`, "Retry-After", "600"),
		"502":              gives(502, "text/html", "", "Retry-After", "600"),
		"504":              gives(504, "text/html", "", "Retry-After", "600"),
		"500":              gives(500, jsonType, `{"ok":false,"error":"internal_error","message":"x"}`, "Retry-After", "600"),
		"503 that broke off": func(r *http.Request) (*http.Response, error) {
			answer, err := breaks(r)
			answer.StatusCode = 503
			answer.Header.Set("Retry-After", "600")
			return answer, err
		},
	} {
		c, s := scripted(t, nil, step)
		for endpoint, call := range map[string]func() error{
			"documents.info":   func() error { _, err := c.Document(t.Context(), uuid); return err },
			"documents.create": func() error { return create(t.Context(), c) },
		} {
			err := call()
			var e *outline.Error
			if !errors.As(err, &e) || !errors.Is(err, outline.ErrUpstream) {
				t.Fatalf("%s %s: error %v, want ErrUpstream", endpoint, name, err)
			}
			equal(t, endpoint+" "+name+": RetryAfter", e.RetryAfter, 10*time.Minute)
			contains(t, err, "try again in 10m0s")
		}
		equal(t, name+": attempts, one of them to see what became of the other", s.calls, 3)
	}
}
