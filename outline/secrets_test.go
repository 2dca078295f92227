package outline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
)

func TestNoFailureTellsTheKey(t *testing.T) {
	echo := func(status int, contentType, format string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			return answered(status, contentType, fmt.Sprintf(format, r.Header.Get("Authorization"))), nil
		}
	}
	failure := func(format string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf(format, r.Header.Get("Authorization"))
		}
	}
	steps := map[string]func(*http.Request) (*http.Response, error){
		"repeated in a message":      echo(403, jsonType, `{"ok":false,"error":"x","message":"no such key: %s"}`),
		"repeated in a code":         echo(403, jsonType, `{"ok":false,"error":"%s","message":""}`),
		"repeated in a login page":   echo(200, "text/html", "%s"),
		"repeated in a proxy's page": echo(502, "text/html", "%s"),
		"repeated in bad JSON":       echo(200, jsonType, "%s"),
		"repeated as a date":         echo(200, jsonType, `{"ok":true,"data":{`+complete+`,"updatedAt":"%s"}}`),
		"repeated as a content type": func(r *http.Request) (*http.Response, error) { return answered(404, "text/"+testKey, ""), nil },
		"repeated in a redirect": func(r *http.Request) (*http.Response, error) {
			return answered(302, "", "", "Location", "https://x.example/?k="+testKey), nil
		},
		"repeated in a redirect's host": func(r *http.Request) (*http.Response, error) {
			return answered(302, "", "", "Location", "https://"+testKey+".example"), nil
		},
		"repeated in a transport's error": failure("cannot send %s"),
		"rate limit":                      rateLimits("Retry-After", "600"),
		"timeout":                         func(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded },
		"broken":                          breaks,
	}
	for _, status := range []int{300, 400, 401, 403, 404, 409, 413, 418, 429, 500, 503, 520} {
		steps[fmt.Sprint(status)] = gives(status, jsonType, `{"ok":false,"error":"x","message":"y"}`)
	}
	const private = "a-very-private-title-1FF9VyHA4X"
	calls := map[string]func(*outline.Client) error{
		"documents.info": func(c *outline.Client) error { _, err := c.Document(t.Context(), private); return err },
		"documents.update": func(c *outline.Client) error {
			_, err := edit.Update(t.Context(), c, edit.Params{ID: private, Text: new(private), EditMode: "patch", FindText: private, Before: before(1)})
			return err
		},
		"documents.archive": func(c *outline.Client) error { _, err := c.ArchiveDocument(t.Context(), private); return err },
		"documents.answerQuestion": func(c *outline.Client) error {
			_, err := c.AnswerQuestion(t.Context(), outline.QuestionParams{Query: private})
			return err
		},
	}
	for name, step := range steps {
		for endpoint, call := range calls {
			leaksNothing(t, name, endpoint, step, call)
		}
	}
}

// leaksNothing checks the error and the log of a call with private arguments.
func leaksNothing(t *testing.T, name, endpoint string, step func(*http.Request) (*http.Response, error), call func(*outline.Client) error) {
	t.Run(endpoint+" "+name, func(t *testing.T) {
		var log bytes.Buffer
		c, _ := scripted(t, func(o *outline.Options) {
			o.MaxRetries, o.MaxRetryWait = 1, time.Millisecond
			o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		}, step)
		err := call(c)
		if err == nil {
			t.Fatal("no error")
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if s := fmt.Sprintf("%v %+v %#v", e, e, e); strings.Contains(strings.ToLower(s), strings.ToLower(testKey)) {
				t.Errorf("error contains the key: %s", s)
			}
		}
		for _, private := range []string{testKey, "private", "Bearer"} {
			if strings.Contains(log.String(), private) {
				t.Errorf("log contains %q: %s", private, log.String())
			}
		}
		if !strings.Contains(log.String(), endpoint) {
			t.Error("nothing was logged")
		}
	})
}

func TestAKeyThatCannotBeSentIsRefusedBeforeAnythingIsSent(t *testing.T) {
	c, s := scripted(t, nil, gives(200, jsonType, authJSON))
	for key, kind := range map[string]error{
		"": outline.ErrNoKey, " \n": outline.ErrNoKey,
		"ol_api_two\nlines": outline.ErrUnauthorized, "ol_api_with space": outline.ErrUnauthorized, "ol_api_schlüssel": outline.ErrUnauthorized,
	} {
		_, err := c.AuthInfo(as(t.Context(), key))
		if !errors.Is(err, kind) {
			t.Errorf("key %q: error %v, want %v", key, err, kind)
		}
		remedy := outline.CheckCredential
		if kind == outline.ErrNoKey {
			remedy = outline.SetCredential
		}
		suggests(t, err, remedy)
		if key != "" && strings.TrimSpace(key) != "" && strings.Contains(err.Error(), key) {
			t.Errorf("error %q contains the key", err)
		}
	}
	equal(t, "requests", s.calls, 0)
}

func TestPrintingAClientDoesNotTellItsKey(t *testing.T) {
	c := newClient(t, "https://wiki.example.com", nil)
	for _, s := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c)} {
		if strings.Contains(s, testKey) || !strings.Contains(s, "wiki.example.com") {
			t.Errorf("printed as %s", s)
		}
	}
}

func FuzzAnyAnswerIsAResultOrAnError(f *testing.F) {
	f.Add(200, jsonType, []byte(okDocument))
	f.Add(200, jsonType, []byte(`{"ok":true,"data":[{`+complete+`,"children":[{}]}]}`))
	f.Add(404, jsonType, []byte(`{"ok":false,"error":"not_found","message":"Resource not found"}`))
	f.Add(200, "text/html", []byte("<html>"))
	f.Add(200, jsonType, []byte(`{"ok":true,"success":true,"search":{"answer":"x"},"data":{`+complete+`,"data":{"type":"doc","content":[{"type":"text","text":"x"}]},"fileOperation":{`+complete+`,"size":"5"}}}`))
	f.Fuzz(func(t *testing.T, status int, contentType string, body []byte) {
		if status < 200 || status > 999 {
			return
		}
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
			o.MaxAnswerBytes = 1 << 10
			o.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
				return answered(status, contentType, string(body)), nil
			})
		})
		check := func(ok bool, err error) {
			var e *outline.Error
			switch {
			case err == nil && !ok:
				t.Error("neither a result nor an error")
			case err != nil && (!errors.As(err, &e) || e.Kind() == nil || strings.ContainsAny(err.Error(), "\n\r")):
				t.Errorf("error %#v", err)
			case err == nil && len(body) > 1<<10:
				t.Error("longer than the limit")
			}
		}
		d, err := c.Document(t.Context(), "x")
		check(d.ID != "", err)
		nodes, err := c.CollectionDocuments(t.Context(), "x")
		check(nodes != nil, err)
		hits, err := c.Search(t.Context(), outline.SearchParams{Query: "x"})
		check(hits.Items != nil, err)
		_, err = c.ExportDocument(t.Context(), "x")
		check(true, err)
		updated, err := edit.Update(t.Context(), c, edit.Params{ID: "x"})
		check(updated.After.ID != "", err)
		comment, err := c.CreateComment(t.Context(), outline.CreateCommentParams{DocumentID: "x", AnchorText: "x"})
		check(comment.ID != "", err)
		operation, err := c.ExportAllCollections(t.Context(), "")
		check(operation.ID != "", err)
		answered, err := c.AnswerQuestion(t.Context(), outline.QuestionParams{Query: "x"})
		check(answered.Documents != nil, err)
		check(true, c.DeleteDocument(t.Context(), "x", true))
	})
}

func TestWhatLooksLikeAKeyIsRedacted(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"no key":                            "no key",
		"ol_api_":                           "ol_api_",
		"ol_api_fake":                       "****",
		"OL_API_Fake":                       "****",
		"Bearer ol_api_fake":                "Bearer ****",
		"one ol_api_a two\tOl_Api_b\nthree": "one **** two\t****\nthree",
		"https://x.example/?k=ol_api_fake":  "https://x.example/?k=****",
		"token=omcp_at_fake and ol_rt_fake": "token=**** and ****",
		"omcp_client_fake":                  "omcp_client_fake",
		"xol_api_fake-\"'é$1 y":             "x**** y",
	} {
		equal(t, in, outline.Redact(in), want)
	}
}

func TestAnIdentifierThatHoldsAKeyIsShownWithoutIt(t *testing.T) {
	for _, in := range []string{
		"ol_api_fake", "OL_API_fake", `"ol_api_fake"`, "Bearer ol_api_fake", "https://x.example/doc/?k=ol_api_fake", "/home/Ol_Api_fake",
		strings.Repeat("é", 75) + "ol_api_fake",
	} {
		for _, parse := range []func(string) (string, error){outline.ParseDocumentID, outline.ParseCollectionID} {
			_, err := parse(in)
			var e *outline.IdentifierError
			if !errors.As(err, &e) || strings.Contains(strings.ToLower(err.Error()), "ol_api_") || strings.Contains(e.Value, "fake") {
				t.Errorf("%q: error %v", in, err)
			}
			contains(t, err, "****", "looks like an API key")
		}
	}
}
