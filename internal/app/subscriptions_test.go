package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/internal/fakeoutline"
)

// changesOfTheGuide are changes by others, and what is reported of allURIs for each.
var changesOfTheGuide = []struct {
	name, endpoint, body string
	document, comments   bool
	collection           bool
}{
	{name: "new text", endpoint: "documents.update", body: `{"id":"` + guideID + `","text":"New."}`, document: true},
	{name: "a new title", endpoint: "documents.update", body: `{"id":"` + guideID + `","title":"Manual"}`, document: true, collection: true},
	{name: "a comment", endpoint: "comments.create", body: `{"documentId":"` + guideID + `","text":"Because."}`, comments: true},
	{name: "a resolved comment", endpoint: "comments.resolve", body: `{"id":"` + commentID + `"}`, comments: true},
	{name: "a deleted comment", endpoint: "comments.delete", body: `{"id":"` + commentID + `"}`, comments: true},
	{name: "a document in the collection", endpoint: "documents.create", body: `{"title":"New","text":"New.","collectionId":"` + openCollection + `","publish":true}`, collection: true},
	{name: "a move", endpoint: "documents.move", body: `{"id":"` + guideID + `","parentDocumentId":"` + otherID + `"}`, document: true, collection: true},
	{name: "the archive", endpoint: "documents.archive", body: `{"id":"` + guideID + `"}`, document: true, collection: true},
	{name: "restoring it", endpoint: "documents.restore", body: `{"id":"` + guideID + `"}`, document: true, collection: true},
	{name: "the trash", endpoint: "documents.delete", body: `{"id":"` + guideID + `"}`, document: true, comments: true, collection: true}, // its comments are gone, too
	{name: "restoring it from the trash", endpoint: "documents.restore", body: `{"id":"` + guideID + `"}`, document: true, comments: true, collection: true},
	{name: "another name of the collection", endpoint: "collections.update", body: `{"id":"` + openCollection + `","name":"Closed"}`, collection: true},
	// Documents in the archive with their collection are in no list (recorded), but the collection is. Their comments
	// leave the list of the stand-in; of Outline, that is not recorded.
	{name: "the archive for the collection", endpoint: "collections.archive", body: `{"id":"` + openCollection + `"}`, document: true, comments: true, collection: true},
	{name: "restoring the collection", endpoint: "collections.restore", body: `{"id":"` + openCollection + `"}`, document: true, comments: true, collection: true},
}

func TestChangesByOthersAreReportedWithinTenSeconds(t *testing.T) {
	for name, open := range map[string]func(*newsroom) (*stream, func()){
		"over HTTP": func(n *newsroom) (*stream, func()) {
			n.serve()
			s := n.listen(memberKey, allURIs...)
			return s, func() { s.close(); n.end() }
		},
		"on stdio": func(n *newsroom) (*stream, func()) {
			c := n.terminal()
			c.send(listenMessage("7", allURIs))
			return c.stream, c.close
		},
		"on stdio, as of 2025": func(n *newsroom) (*stream, func()) {
			c := n.terminal()
			c.subscribe(allURIs...)
			return c.stream, c.close
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNewsroom(t, "OUTLINE_API_KEY="+memberKey, transportOf(name))
				s, done := open(n)
				defer done()
				s.take()
				for _, quiet := range []time.Duration{5 * time.Minute, time.Second} { // it is polled less often when nothing changes
					for _, change := range changesOfTheGuide[:3] {
						time.Sleep(quiet)
						if got := s.updates(); len(got) > 0 {
							t.Fatalf("without a change, %v are reported", got)
						}
						n.outline(adminKey, change.endpoint, strings.NewReplacer("New.", "New "+quiet.String(), "Manual", quiet.String()).Replace(change.body))
						time.Sleep(10 * time.Second)
						s.updates()
					}
				}
				for _, change := range changesOfTheGuide {
					n.outline(adminKey, change.endpoint, change.body)
					time.Sleep(10 * time.Second)
					var want []string
					for i, reported := range []bool{change.document, change.comments, change.collection} {
						if reported {
							want = append(want, allURIs[i])
						}
					}
					slices.Sort(want)
					if got := s.updates(); !slices.Equal(got, want) {
						t.Errorf("%s: %v are reported, want %v", change.name, got, want)
					}
					time.Sleep(10 * time.Second)
					if got := s.updates(); len(got) > 0 {
						t.Errorf("%s: %v are reported late or twice", change.name, got)
					}
				}
			})
		})
	}
}

func transportOf(name string) string {
	if strings.HasPrefix(name, "over HTTP") {
		return "MCP_TRANSPORT=http"
	}
	return "MCP_TRANSPORT=stdio"
}

func TestSubjectsWithListenersArePolledOnceInAnInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		for i := range 20 {
			s := n.listen([]string{adminKey, memberKey}[i%2], allURIs...)
			defer s.close()
			s.take()
		}
		n.asked()
		const watched = 10 * time.Minute
		time.Sleep(watched)
		bySubject := map[string][]time.Time{}
		for _, r := range n.asked() {
			bySubject[r.key] = append(bySubject[r.key], r.at)
		}
		if len(bySubject) != 2 {
			t.Errorf("requests were made for %d subjects", len(bySubject))
		}
		for key, at := range bySubject {
			if most := int(watched / (7 * time.Second / 3)); len(at) > most+1 {
				t.Errorf("%s: %d requests in %s, want %d at most", key, len(at), watched, most)
			}
			for i := range at[1:] {
				if between := at[i+1].Sub(at[i]); between < 2*time.Second {
					t.Errorf("%s: two requests within %s", key, between)
				}
			}
		}
	})
}

func TestSubjectsHearOnlyOfWhatTheyMayRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		secret, private, guide := "outline://documents/"+secretID, "outline://collections/"+privateCollection, "outline://documents/"+guideID
		admin, member := n.listen(adminKey, secret, private, guide), n.listen(memberKey, secret, private, guide)
		defer admin.close()
		defer member.close()
		if diff := cmp.Diff([]string{secret, private, guide}, admin.acknowledged(t)); diff != "" {
			t.Errorf("acknowledged for the admin: %s", diff)
		}
		if diff := cmp.Diff([]string{guide}, member.acknowledged(t)); diff != "" {
			t.Errorf("acknowledged for the member: %s", diff)
		}
		n.outline(adminKey, "documents.update", `{"id":"`+secretID+`","title":"Still secret"}`)
		time.Sleep(10 * time.Second)
		if got := admin.updates(); !slices.Equal(got, []string{private, secret}) {
			t.Errorf("the admin hears of %v", got)
		}
		if got := member.updates(); len(got) > 0 {
			t.Errorf("the member hears of %v", got)
		}
		n.outline(adminKey, "documents.move", `{"id":"`+guideID+`","collectionId":"`+privateCollection+`"}`)
		time.Sleep(10 * time.Second)
		if got := member.updates(); len(got) > 0 {
			t.Errorf("the member hears that %v were moved to where it sees nothing", got)
		}
		admin.take()
		n.outline(adminKey, "documents.update", `{"id":"`+guideID+`","text":"Secret, too."}`)
		time.Sleep(10 * time.Second)
		if got := member.updates(); len(got) > 0 {
			t.Errorf("the member hears of %v without the right to read it", got)
		}
		if got := admin.updates(); !slices.Equal(got, []string{guide}) {
			t.Errorf("the admin hears of %v", got)
		}
		n.outline(adminKey, "collections.archive", `{"id":"`+privateCollection+`"}`)
		n.outline(adminKey, "documents.delete", `{"id":"`+otherID+`"}`) // so that the member's lists are asked for, too
		time.Sleep(10 * time.Second)
		if got := admin.updates(); !slices.Equal(got, []string{private, guide, secret}) {
			t.Errorf("the admin hears that %v were archived with their collection", got)
		}
		if got := member.updates(); len(got) > 0 {
			t.Errorf("the member hears that %v were archived with a collection that it does not see", got)
		}
	})
}

func TestADocumentComesBackWithACollectionThatWasArchivedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.outline(adminKey, "collections.archive", `{"id":"`+openCollection+`"}`)
		n.serve()
		defer n.end()
		s := n.listen(adminKey, allURIs[0], "outline://documents/"+archivedID)
		defer s.close()
		s.take()
		n.outline(adminKey, "documents.delete", `{"id":"`+secretID+`"}`)
		time.Sleep(10 * time.Second)
		if got := s.updates(); len(got) > 0 {
			t.Errorf("without a change, %v are reported", got)
		}
		for i := range 12 { // more than are listed
			n.outline(adminKey, "documents.create", fmt.Sprintf(`{"title":"%d","text":"New.","collectionId":"%s","publish":true}`, i, privateCollection))
		}
		time.Sleep(20 * time.Second)
		s.take()
		n.outline(adminKey, "collections.restore", `{"id":"`+openCollection+`"}`)
		time.Sleep(10 * time.Second)
		if got := s.updates(); !slices.Contains(got, allURIs[0]) {
			t.Errorf("%v are reported", got)
		}
	})
}

func TestAKeyThatMayNotListCollectionsHearsOfDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		s := n.listen("ol_api_test_hidden", allURIs[0]) // with the scope documents:read
		defer s.close()
		s.take()
		for _, endpoint := range []string{"documents.archive", "documents.delete"} {
			n.outline(adminKey, endpoint, `{"id":"`+guideID+`"}`)
			time.Sleep(10 * time.Second)
			if got := s.updates(); !slices.Equal(got, allURIs[:1]) || s.hasEnded() {
				t.Errorf("%s: %v are reported", endpoint, got)
			}
		}
	})
}

func TestWhatCannotBeSubscribedToIsNotAcknowledged(t *testing.T) {
	uris := []string{
		"", "x", "outline://", "outline://documents", "outline://documents/", "outline://documents/../..", "outline://documents/" + guideID + "/text", "outline://documents/no-such-one",
		"outline://attachments/" + guideID, "outline://revisions/" + guideID, "http://documents/" + guideID, "outline://collections/" + guideID, "outline://documents/" + secretID,
		"outline://documents/" + secretID + "/comments",
	}
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		s := n.listen(memberKey, uris...)
		messages := s.take()
		if len(messages) != 1 || messages[0].Error == nil || messages[0].Error.Code != -32602 || s.status != http.StatusBadRequest {
			t.Errorf("the answer is %d, %+v", s.status, messages)
		}
		n.asked()
		time.Sleep(time.Minute)
		if got := n.asked(); len(got) > 0 {
			t.Errorf("Outline is asked on: %v", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "OUTLINE_API_KEY="+memberKey)
		c := n.terminal()
		defer c.close()
		answers := c.subscribe(uris...)
		for _, m := range answers {
			if m.Error == nil || m.Error.Code != -32002 && m.Error.Code != -32602 || m.Error.Message == "" || strings.Contains(m.Error.Message, memberKey) {
				t.Errorf("the answer to %s is %+v", m.ID, m)
			}
		}
		if len(answers) != len(uris) {
			t.Errorf("%d answers to %d requests", len(answers), len(uris))
		}
	})
}

func TestAResourceOfAToolThatIsNotOfferedCannotBeSubscribedTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http", "OUTLINE_EXCLUDE_TOOLS=list_document_comments")
		n.serve()
		defer n.end()
		s := n.listen(memberKey, allURIs...)
		defer s.close()
		if got := s.acknowledged(t); len(got) != 2 || slices.Contains(got, allURIs[1]) {
			t.Errorf("%v are acknowledged", got)
		}
	})
}

func TestASubscriptionEndsWithTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		s, other := n.listen(memberKey, allURIs...), n.listen(adminKey, allURIs...)
		defer other.close()
		s.take()
		n.fail(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("Authorization") == "Bearer "+memberKey {
				r.Header.Set("Authorization", "Bearer ol_api_test_unknown")
			}
			return n.workspace.Transport().RoundTrip(r)
		})
		time.Sleep(10 * time.Second)
		messages := s.take()
		if len(messages) != 1 || messages[0].Result == nil || !s.hasEnded() || !strings.Contains(string(messages[0].Result), `"io.modelcontextprotocol/subscriptionId":7`) {
			t.Errorf("the stream ends with %+v", messages)
		}
		if other.hasEnded() {
			t.Error("the stream of another subject ends, too")
		}
		n.asked()
		time.Sleep(time.Minute)
		if slices.ContainsFunc(n.asked(), func(r request) bool { return r.key == memberKey }) {
			t.Error("the dead key is still used")
		}
	})
}

func TestPollingWaitsForARateLimit(t *testing.T) {
	whileListening(t, func(t *testing.T, n *newsroom, s *stream) {
		n.fail(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"90"}, "Content-Type": {"application/json"}},
				Body: http.NoBody, Request: r}, nil
		})
		time.Sleep(10 * time.Second)
		n.asked()
		n.outline(adminKey, "documents.update", `{"id":"`+guideID+`","text":"New."}`)
		time.Sleep(75 * time.Second)
		if got := n.asked(); len(got) > 0 {
			t.Errorf("%d requests within the time that Outline asks to wait", len(got))
		}
		n.fail(nil)
		time.Sleep(30 * time.Second)
		if got := s.updates(); !slices.Equal(got, allURIs[:1]) {
			t.Errorf("%v are reported after the limit", got)
		}
	})
}

func TestPollingAnOutlineThatFailsBacksOff(t *testing.T) {
	whileListening(t, func(t *testing.T, n *newsroom, s *stream) {
		n.asked()
		n.fail(func(*http.Request) (*http.Response, error) { return nil, fmt.Errorf("connection refused") })
		time.Sleep(5 * time.Minute)
		if got := n.asked(); len(got) > 10 {
			t.Errorf("%d requests in five minutes: %v", len(got), got)
		}
		n.outline(adminKey, "documents.update", `{"id":"`+guideID+`","text":"New."}`)
		n.fail(nil)
		time.Sleep(time.Minute + 10*time.Second)
		if got := s.updates(); !slices.Equal(got, allURIs[:1]) {
			t.Errorf("%v are reported when Outline is back", got)
		}
	})
}

func TestOpenStreamsDoNotKeepTheServerFromStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		var open []*stream
		for range 10 {
			s := n.listen(memberKey, allURIs...)
			s.acknowledged(t)
			open = append(open, s)
		}
		begun := time.Now()
		n.end()
		if took := time.Since(begun); took > time.Second {
			t.Errorf("stopping takes %s", took)
		}
		for _, s := range open {
			if messages := s.take(); len(messages) != 1 || messages[0].Result == nil {
				t.Errorf("a stream ends with %+v", messages)
			}
		}
	})
}

// That nothing is left running is checked by synctest, which waits for all goroutines.
func TestListenersThatGoAwayLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		for range 5 {
			var open []*stream
			for i := range 40 {
				open = append(open, n.listen([]string{adminKey, memberKey, viewerKey}[i%3], allURIs...))
			}
			time.Sleep(time.Minute)
			for _, s := range open {
				s.close()
			}
			time.Sleep(10 * time.Second)
			n.asked()
			time.Sleep(time.Minute)
			if got := n.asked(); len(got) > 0 {
				t.Fatalf("%d requests without listeners", len(got))
			}
		}
	})
}

func TestListenersAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http", "MCP_MAX_CALLS=4", "MCP_MAX_CALLS_PER_KEY=2")
		n.serve()
		defer n.end()
		for range 64 {
			s := n.listen(memberKey, allURIs[0])
			defer s.close()
			if got := s.acknowledged(t); len(got) != 1 {
				t.Fatal("a listener within the limit is not acknowledged")
			}
		}
		if m := n.listen(memberKey, allURIs[0]).take(); len(m) != 1 || m[0].Error == nil || !strings.Contains(m[0].Error.Message, "64 listeners are open") || m[0].Error.Data.Code != "rate_limited" {
			t.Errorf("a listener over the limit of its subject: %+v", m)
		}
		s := n.listen(adminKey, allURIs[0])
		if len(s.acknowledged(t)) != 1 {
			t.Error("one of another subject is not acknowledged")
		}
		s.close()
		var many []string
		for i := range 70 {
			many = append(many, allURIs[0]+"?start_line="+fmt.Sprint(i+1))
		}
		s = n.listen(adminKey, many...)
		defer s.close()
		if got := len(s.acknowledged(t)); got != 64 {
			t.Errorf("%d resources of one listener are acknowledged", got)
		}
	})
}

func TestAListenRequestMakesFewRequestsToOutline(t *testing.T) {
	unknown := make([]string, 800)
	for i := range unknown {
		unknown[i] = fmt.Sprintf("outline://documents/7e9d0000-0000-4000-8000-%012d", 1000+i)
	}
	for name, uris := range map[string][]string{"one URI many times": slices.Repeat(allURIs[:1], 1000), "many unknown URIs": unknown} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNewsroom(t, "MCP_TRANSPORT=http")
				n.serve()
				defer n.end()
				s := n.listen(memberKey, uris...)
				defer s.close()
				s.take()
				if got := len(n.asked()); got > 66 {
					t.Errorf("%d requests", got)
				}
			})
		})
	}
}

func TestManyChangesAtOnceAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		s := n.listen(memberKey, allURIs[0])
		defer s.close()
		s.take()
		n.outline(adminKey, "documents.update", `{"id":"`+guideID+`","text":"New."}`)
		for i := range 20 { // more than are listed
			time.Sleep(time.Millisecond)
			n.outline(adminKey, "documents.create", fmt.Sprintf(`{"title":"%d","text":"New.","collectionId":"%s","publish":true}`, i, openCollection))
		}
		time.Sleep(10 * time.Second)
		if got := s.updates(); !slices.Equal(got, allURIs[:1]) {
			t.Errorf("%v are reported", got)
		}
	})
}

func TestManyDeletionsAtOnceAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		create := func(i int) string {
			id := fmt.Sprintf("7e9d0000-0000-4000-8000-%012d", 1000+i)
			n.outline(adminKey, "documents.create", fmt.Sprintf(`{"id":"%s","title":"%d","text":"New.","collectionId":"%s","publish":true}`, id, i, openCollection))
			return id
		}
		var many []string
		for i := range 60 { // more than are listed of the trash
			many = append(many, create(i))
		}
		n.serve()
		defer n.end()
		s := n.listen(memberKey, allURIs[0])
		defer s.close()
		s.take()
		for _, id := range append([]string{guideID}, many...) {
			n.outline(adminKey, "documents.delete", `{"id":"`+id+`"}`)
			time.Sleep(time.Millisecond)
		}
		create(100) // the latest change
		time.Sleep(10 * time.Second)
		if got := s.updates(); !slices.Equal(got, allURIs[:1]) {
			t.Errorf("%v are reported", got)
		}
	})
}

func TestReleasesReportTheSameChanges(t *testing.T) {
	for _, release := range []fakeoutline.Release{"1.5", "1.9.2"} {
		t.Run(string(release), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNewsroomOf(t, release, nil, "MCP_TRANSPORT=http")
				n.serve()
				defer n.end()
				s := n.listen(memberKey, allURIs...)
				defer s.close()
				s.take()
				for _, change := range []struct {
					endpoint, body string
					want           []string
				}{
					{"documents.update", `{"id":"` + guideID + `","title":"Manual"}`, []string{allURIs[2], allURIs[0]}},
					{"comments.create", `{"documentId":"` + guideID + `","text":"Because."}`, allURIs[1:2]},
					{"documents.archive", `{"id":"` + guideID + `"}`, []string{allURIs[2], allURIs[0]}},
				} {
					n.outline(adminKey, change.endpoint, change.body)
					time.Sleep(10 * time.Second)
					if got := s.updates(); !slices.Equal(got, change.want) {
						t.Errorf("%s: %v are reported, want %v", change.endpoint, got, change.want)
					}
				}
			})
		})
	}
}

func TestChangesOfOneAmongManyCollectionsAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var many []fakeoutline.Collection
		for i := range 150 { // two requests
			many = append(many, fakeoutline.Collection{ID: fmt.Sprintf("7e9c0000-0000-4000-8000-%012d", 1000+i), URLID: fmt.Sprintf("urlmany%03d", i), Name: "More", Permission: fakeoutline.ReadWrite})
		}
		n := newNewsroomOf(t, "", many, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		uris := []string{allURIs[2], "outline://collections/" + many[0].ID, "outline://collections/" + many[1].URLID}
		s := n.listen(memberKey, uris...)
		defer s.close()
		s.take()
		time.Sleep(time.Minute)
		if got := s.updates(); len(got) > 0 {
			t.Errorf("without a change, %v are reported", got)
		}
		n.outline(adminKey, "collections.update", `{"id":"`+many[1].ID+`","name":"Changed"}`)
		n.outline(adminKey, "documents.update", `{"id":"`+guideID+`","title":"Manual"}`)
		n.outline(adminKey, "collections.delete", `{"id":"`+many[0].ID+`"}`)
		time.Sleep(20 * time.Second)
		want := slices.Sorted(slices.Values(uris))
		if got := s.updates(); !slices.Equal(got, want) {
			t.Errorf("%v are reported, want %v", got, want)
		}
	})
}

func TestWhoCannotSeeTheTrashHearsOfDeletionsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		s := n.listen(viewerKey, allURIs[0])
		defer s.close()
		s.take()
		n.outline(adminKey, "documents.create", `{"title":"New","text":"New.","collectionId":"`+openCollection+`","publish":true}`)
		time.Sleep(10 * time.Second)
		if got := s.updates(); len(got) > 0 {
			t.Errorf("for a new document, %v are reported", got)
		}
		n.outline(adminKey, "documents.delete", `{"id":"`+guideID+`"}`)
		time.Sleep(10 * time.Second)
		if got := s.updates(); !slices.Equal(got, allURIs[:1]) {
			t.Errorf("%v are reported", got)
		}
	})
}

func TestUnsubscribingEndsTheReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "OUTLINE_API_KEY="+memberKey)
		c := n.terminal()
		defer c.close()
		c.subscribe(allURIs...)
		c.send(`{"jsonrpc":"2.0","id":200,"method":"resources/unsubscribe","params":{"uri":"` + allURIs[0] + `"}}`)
		c.take()
		n.outline(adminKey, "documents.update", `{"id":"`+guideID+`","title":"Manual"}`)
		time.Sleep(10 * time.Second)
		if got := c.updates(); !slices.Equal(got, allURIs[2:]) {
			t.Errorf("%v are reported", got)
		}
	})
}

func TestCancellingASubscriptionOnStdioEndsItWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "OUTLINE_API_KEY="+memberKey)
		c := n.terminal()
		defer c.close()
		c.send(listenMessage("7", allURIs))
		c.acknowledged(t)
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		n.outline(adminKey, "documents.update", `{"id":"`+guideID+`","title":"Manual"}`)
		time.Sleep(10 * time.Second)
		if got := c.take(); len(got) > 0 {
			t.Errorf("after it: %+v", got)
		}
	})
}

func TestSubscribingAsOf2025NeedsASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		answer := n.post(memberKey, "2025-11-25", initializeMessage).take()
		if len(answer) != 1 || strings.Contains(string(answer[0].Result), `"subscribe"`) || !strings.Contains(string(answer[0].Result), `"resources"`) {
			t.Errorf("initialize answers %s", answer[0].Result)
		}
		answer = n.post(memberKey, "2025-11-25", `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"`+allURIs[0]+`"}}`).take()
		if len(answer) != 1 || answer[0].Error == nil || answer[0].Error.Code != -32601 || !strings.Contains(answer[0].Error.Message, "subscriptions/listen") {
			t.Errorf("subscribing answers %+v", answer)
		}
	})
}

func TestAQuietStreamIsKeptAlive(t *testing.T) {
	whileListening(t, func(t *testing.T, n *newsroom, s *stream) {
		time.Sleep(time.Hour)
		if s.hasEnded() {
			t.Fatal("the stream ends")
		}
		if s.comments < 60 || len(s.take()) > 0 {
			t.Errorf("%d comments in an hour", s.comments)
		}
	})
}
