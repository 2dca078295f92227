package app_test

import (
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"outline-mcp/internal/app"
)

var callsOfEach = flag.Int("calls", 50, "calls that each person makes in TestNoLoginEverActsForSomebodyElse")

var draftID = regexp.MustCompile(`" ([0-9A-Za-z]{10}), http`)

func TestNoLoginEverActsForSomebodyElse(t *testing.T) {
	const users, refreshes, workers = 50, 5, 2 // workers of each user, between refreshes
	p := serveLogin(t, app.Options{}, nil, "LOG_LEVEL=error")
	var everybody sync.WaitGroup
	for n := range users {
		everybody.Go(func() {
			key := fmt.Sprintf("ol_api_demo_user_%d", n)
			v, login := p.logIn(t, key, "read write")
			// Only the person who has written a draft can read it.
			secret := fmt.Sprintf("The secret of person %d.", n)
			created, _ := v.call(login.Access, "tools/call", tool("create_document", fmt.Sprintf(`{"title":"Draft","text":%q,"publish":false}`, secret)))
			id := draftID.FindStringSubmatch(created.text())
			if id == nil {
				t.Errorf("%s: no draft: %s", key, created.text())
				return
			}
			read := tool("read_document", fmt.Sprintf(`{"document_id":%q}`, id[1]))
			if stranger, _ := v.call("ol_api_demo_user_1000", "tools/call", read); !stranger.Result.IsError {
				t.Errorf("%s: others can read the draft: %s", key, stranger.text())
			}
			for range refreshes {
				before := login
				login = v.refresh(before)
				if login.Access == "" {
					t.Errorf("%s: refresh: %s", key, login.Error)
					return
				}
				var own sync.WaitGroup
				for range workers {
					own.Go(func() {
						for i := range *callsOfEach / refreshes / workers {
							if r, _ := v.call(login.Access, "tools/call", read); r.status != http.StatusOK || !strings.Contains(r.text(), secret) {
								t.Errorf("%s gets %d %s", key, r.status, r.body)
								return
							}
							if i%10 == 0 {
								if r, _ := v.call(before.Access, "tools/call", read); r.status != http.StatusUnauthorized {
									t.Errorf("%s gets %d with the token before the refresh: %s", key, r.status, r.body)
								}
							}
						}
					})
				}
				own.Wait()
			}
		})
	}
	everybody.Wait()
}
