package app

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ends is how a drain ends whose requests are answered each a while after the
// answer before it.
func ends(t *testing.T, input string, grace time.Duration, answers []string, every time.Duration) (after time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDrain(strings.NewReader(input), io.Discard, grace)
		start := time.Now()
		go func() {
			for _, answer := range answers {
				time.Sleep(every)
				if _, err := io.WriteString(d, answer+"\n"); err != nil {
					t.Error(err)
				}
			}
		}()
		if _, err := io.Copy(io.Discard, d); err != nil {
			t.Error(err)
		}
		after, err = time.Since(start), d.unanswered()
		synctest.Wait()
		time.Sleep(time.Hour) // what still answers comes to its end
	})
	return after, err
}

func TestAsLongAsAnswersComeTheEndIsHeldBack(t *testing.T) {
	var requests, answers []string
	for id := range 100 {
		requests = append(requests, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`, id))
		answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
	}
	after, err := ends(t, strings.Join(requests, "\n"), 3*time.Second, answers, 2*time.Second)
	if after != 200*time.Second || err != nil {
		t.Errorf("the end came after %s: %v", after, err)
	}
}

func TestAnswersThatStayOutAreReported(t *testing.T) {
	requests := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":3,"method":"ping"}`
	after, err := ends(t, requests, 3*time.Second, []string{`{"jsonrpc":"2.0","id":2,"result":{}}`}, 2*time.Second)
	if after != 5*time.Second || err == nil || !strings.Contains(err.Error(), "2 requests have no answer") {
		t.Errorf("the end came after %s: %v", after, err)
	}
}

func TestOnlyRequestsAreOwedAnAnswer(t *testing.T) {
	tests := []struct {
		line string
		owed bool
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, true},
		{`{"jsonrpc":"2.0","id":"one","method":"tools/call","result":null}`, true},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{}}`, false},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","error":{"code":1}}`, false},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, false},
		{`{"jsonrpc":"2.0","id":null,"method":"tools/call"}`, false},
		{`{"jsonrpc":"2.0","id":{},"method":"tools/call"}`, false},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, false},
		{`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`, false},
		{`[]`, false},
		{`not JSON`, false},
	}
	for _, test := range tests {
		if _, owed := requestID([]byte(test.line)); owed != test.owed {
			t.Errorf("%s is owed an answer: %t, want %t", test.line, owed, test.owed)
		}
	}
}

func TestAnAnswerPaysForTheRequestWithItsIDOnly(t *testing.T) {
	request := `{"jsonrpc":"2.0","id":%s,"method":"ping"}`
	tests := []struct {
		request, answer string
		pays            bool
	}{
		{"1", `{"jsonrpc":"2.0","id":1,"result":{}}`, true},
		{"1.0", `{"jsonrpc":"2.0","id":1,"error":{}}`, true},
		{`"\u003c"`, `{"jsonrpc":"2.0","id":"<","result":{}}`, true},
		{"1", `{"jsonrpc":"2.0","id":2,"result":{}}`, false},
		{"1", `{"jsonrpc":"2.0","id":"1","result":{}}`, false},
		{"1", `{"jsonrpc":"2.0","id":null,"error":{}}`, false},
		{"1", `{"jsonrpc":"2.0","method":"notifications/message","params":{"id":1}}`, false},
	}
	for _, test := range tests {
		_, err := ends(t, fmt.Sprintf(request, test.request), time.Second, []string{test.answer}, time.Millisecond)
		if pays := err == nil; pays != test.pays {
			t.Errorf("%s answers request %s: %t, want %t", test.answer, test.request, pays, test.pays)
		}
	}
}
