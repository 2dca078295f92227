package app_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestAStreamEndsWithTheLogin(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(*visitor, tokens)
		wait time.Duration // until the stream has ended
	}{
		{"that expires", func(*visitor, tokens) {}, 59 * time.Minute},
		{"that is renewed", func(v *visitor, login tokens) { v.refresh(login) }, 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNewsroom(t, append(loginSettings(newsroomAddress), "MCP_TRANSPORT=http")...)
				n.serve()
				defer n.end()
				v, login := n.logIn(memberKey)
				s := n.listen(login.Access, allURIs...)
				defer s.close()
				if got := s.acknowledged(t); len(got) != len(allURIs) {
					t.Fatalf("%v are acknowledged", got)
				}
				n.outline(adminKey, "documents.update", `{"id":"`+guideID+`","text":"New."}`)
				time.Sleep(10 * time.Second)
				if got := s.updates(); len(got) != 1 {
					t.Errorf("%v are reported", got)
				}
				if s.hasEnded() {
					t.Fatal("the stream ends too early")
				}
				test.end(v, login)
				time.Sleep(test.wait)
				if !s.hasEnded() {
					t.Error("the stream goes on")
				}
				n.asked()
				time.Sleep(time.Minute)
				if asked := n.asked(); len(asked) > 0 {
					t.Errorf("Outline is still asked for changes: %v", asked)
				}
			})
		})
	}
}

func TestAListenerWithARejectedLoginIsToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, append(loginSettings(newsroomAddress), "MCP_TRANSPORT=http")...)
		n.serve()
		defer n.end()
		v, login := n.logIn(memberKey)
		v.refresh(login)
		s := n.listen(login.Access, allURIs...)
		defer s.close()
		if got := s.status; got != http.StatusUnauthorized {
			t.Errorf("status %d", got)
		}
	})
}
