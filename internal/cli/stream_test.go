package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"outline-mcp/internal/cli"
	"outline-mcp/output"
)

// stream returns a stream whose tools are echo, which answers its arguments,
// and fail, and the outcomes as they come.
func stream() (*cli.Stream, *[]cli.Outcome) {
	outcomes := &[]cli.Outcome{}
	return &cli.Stream{
		Call: func(_ context.Context, tool string, arguments json.RawMessage) (cli.Answer, error) {
			switch tool {
			case "fail":
				return cli.Answer{Structured: json.RawMessage(`{"error":"no","code":"conflict"}`), Code: output.Conflict}, nil
			case "break":
				return cli.Answer{}, errors.New("no connection with ol_api_fake")
			}
			return cli.Answer{Structured: arguments}, nil
		},
		Check: func(tool string) error {
			if !slices.Contains([]string{"echo", "fail", "break"}, tool) {
				return fmt.Errorf("there is no tool %s here", tool)
			}
			return nil
		},
		Concurrency: 1,
		Write:       func(outcome cli.Outcome) error { *outcomes = append(*outcomes, outcome); return nil },
	}, outcomes
}

// echoes returns lines that call echo.
func echoes(n int) string {
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"tool":"echo","arguments":{"n":%d},"id":%d}`+"\n", i, i)
	}
	return lines.String()
}

func TestEachLineHasItsOutcome(t *testing.T) {
	long := `{"tool":"echo","arguments":{"a":"` + strings.Repeat("x", cli.MaxLine) + `"}}`
	for _, test := range []struct {
		name, lines string
		want        []string // each a line as JSON
	}{
		{"nothing", "", nil},
		{"blank lines", "\n  \r\n\t\n", nil},
		{"a call", `{"tool":"echo","arguments":{"a":1},"id":"x"}` + "\n", []string{`{"line":1,"id":"x","tool":"echo","ok":true,"result":{"a":1}}`}},
		{"no line end, no id", "\n" + `{"tool":"echo","arguments":{}}`, []string{`{"line":2,"tool":"echo","ok":true,"result":{}}`}},
		{"a byte order mark and CRLF", "\ufeff{\"tool\":\"echo\",\"arguments\":{}}\r\n{\"tool\":\"echo\",\"arguments\":{}}\r\n",
			[]string{`{"line":1,"tool":"echo","ok":true,"result":{}}`, `{"line":2,"tool":"echo","ok":true,"result":{}}`}},
		{"any id", `{"id":{"a":[null]},"tool":"echo","arguments":{}}`, []string{`{"line":1,"id":{"a":[null]},"tool":"echo","ok":true,"result":{}}`}},
		{"a failure", `{"tool":"fail","id":1}`, []string{`{"line":1,"id":1,"tool":"fail","ok":false,"failure":{"error":"no","code":"conflict"}}`}},
		{"an error", `{"tool":"break"}`, []string{`{"line":1,"tool":"break","ok":false,"failure":{"error":"no connection with ****","code":"internal"}}`}},
		{"no tool", `{"id":1}`, []string{`{"line":1,"id":1,"ok":false,"failure":{"error":"line 1: the line names no \"tool\"","code":"invalid_arguments"}}`}},
		{"an unknown tool", `{"tool":"ol_api_fake"}`, []string{`{"line":1,"ok":false,"failure":{"error":"line 1: there is no tool **** here","code":"invalid_arguments"}}`}},
		{"arguments that are text", `{"tool":"echo","arguments":"{}"}`, []string{`{"line":1,"ok":false,"failure":{"error":"line 1: \"arguments\" must be an object","code":"invalid_arguments"}}`}},
		{"an unknown key", `{"tool":"echo","args":{},"id":2}`, []string{`{"line":1,"id":2,"ok":false,"failure":{"error":"line 1: the line is not {\"tool\": ..., \"arguments\": {...}, \"id\": ...}: unknown field \"args\"","code":"invalid_arguments"}}`}},
		{"a tool that is no text", `{"tool":5,"id":2}`, []string{`{"line":1,"id":2,"ok":false,"failure":{"error":"line 1: the line is not {\"tool\": ..., \"arguments\": {...}, \"id\": ...}: tool has the wrong type: number","code":"invalid_arguments"}}`}},
		{"no JSON, then a call", "zz\n" + echoes(1), []string{
			`{"line":1,"ok":false,"failure":{"error":"line 1: the line is not {\"tool\": ..., \"arguments\": {...}, \"id\": ...}: column 1: invalid character 'z' looking for beginning of value","code":"invalid_arguments"}}`,
			`{"line":2,"id":0,"tool":"echo","ok":true,"result":{"n":0}}`}},
		{"another encoding, then a call", "{\"tool\":\"echo\",\"arguments\":{\"a\":\"caf\xe9\"}}\n" + echoes(1), []string{
			`{"line":1,"ok":false,"failure":{"error":"line 1: the line is not text in UTF-8","code":"invalid_arguments"}}`,
			`{"line":2,"id":0,"tool":"echo","ok":true,"result":{"n":0}}`}},
		{"a line that is too long, then a call", long + "\n" + echoes(1), []string{
			`{"line":1,"ok":false,"failure":{"error":"line 1: the line is longer than 8 MiB","code":"invalid_arguments"}}`,
			`{"line":2,"id":0,"tool":"echo","ok":true,"result":{"n":0}}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, outcomes := stream()
			if _, err := s.Run(t.Context(), strings.NewReader(test.lines)); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, outcome := range *outcomes {
				encoded, err := json.Marshal(outcome)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(encoded))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestTheLongestLineIsALineStill(t *testing.T) {
	s, outcomes := stream()
	frame := `{"tool":"echo","arguments":{"a":""}}`
	line := strings.Replace(frame, `""`, `"`+strings.Repeat("x", cli.MaxLine-len(frame))+`"`, 1)
	if _, err := s.Run(t.Context(), strings.NewReader(line+"\n")); err != nil || !(*outcomes)[0].OK {
		t.Errorf("%d bytes: %v, %s", len(line), err, (*outcomes)[0].Failure)
	}
}

func TestOutcomesComeInTheOrderOfTheLinesWhateverEndsFirst(t *testing.T) {
	const n = 40
	s, outcomes := stream()
	s.Concurrency = 4
	echo := s.Call
	var running, most atomic.Int32
	first, third := make(chan struct{}), make(chan struct{})
	s.Call = func(ctx context.Context, tool string, arguments json.RawMessage) (cli.Answer, error) {
		now := running.Add(1)
		defer running.Add(-1)
		for before := most.Load(); now > before && !most.CompareAndSwap(before, now); before = most.Load() {
		}
		switch string(arguments) {
		case `{"n":0}`:
			close(first)
			<-third // the first call ends after the third one
		case `{"n":2}`:
			<-first
			close(third)
		}
		return echo(ctx, tool, arguments)
	}
	sum, err := s.Run(t.Context(), strings.NewReader(echoes(n)))
	if err != nil || sum.Done != n || sum.Failed != 0 || sum.Last != n || sum.Stopped != "" {
		t.Errorf("%+v, %v", sum, err)
	}
	for i, outcome := range *outcomes {
		if outcome.Line != i+1 || string(outcome.ID) != fmt.Sprint(i) {
			t.Fatalf("outcome %d is that of line %d", i, outcome.Line)
		}
	}
	if most.Load() > 4 || most.Load() < 2 {
		t.Errorf("%d calls at a time", most.Load())
	}
}

func TestOneCallAtATimeIsWrittenBeforeTheNextBegins(t *testing.T) {
	s, outcomes := stream()
	echo, begun := s.Call, 0
	s.Call = func(ctx context.Context, tool string, arguments json.RawMessage) (cli.Answer, error) {
		if len(*outcomes) != begun { // the stream writes before it starts: no race
			t.Errorf("call %d begins after %d outcomes", begun, len(*outcomes))
		}
		begun++
		return echo(ctx, tool, arguments)
	}
	if _, err := s.Run(t.Context(), strings.NewReader(echoes(20))); err != nil {
		t.Fatal(err)
	}
}

func TestAnOutcomeIsWrittenWithoutWaitingForTheNextLine(t *testing.T) {
	for _, concurrency := range []int{1, 4} {
		s, _ := stream()
		s.Concurrency = concurrency
		lines, in := io.Pipe()
		due := make(chan int)
		s.Write = func(outcome cli.Outcome) error { due <- outcome.Line; return nil }
		ended := make(chan error, 1)
		go func() { _, err := s.Run(t.Context(), lines); ended <- err }()
		for want := 1; want <= 3; want++ {
			if _, err := io.WriteString(in, echoes(1)); err != nil {
				t.Fatal(err)
			}
			if line := <-due; line != want {
				t.Errorf("line %d, want %d", line, want)
			}
		}
		in.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestAfterAFailureAStreamGoesOnUnlessToldOtherwise(t *testing.T) {
	lines := echoes(1) + `{"tool":"fail"}` + "\n" + `{"tool":"break"}` + "\n" + echoes(1)
	s, _ := stream()
	sum, err := s.Run(t.Context(), strings.NewReader(lines))
	if err != nil || sum.Done != 4 || sum.Failed != 2 || sum.First.Line != 2 || sum.First.Code != output.Conflict || sum.Stopped != "" {
		t.Errorf("%+v, %v", sum, err)
	}
	s, outcomes := stream()
	s.FailFast = true
	sum, err = s.Run(t.Context(), strings.NewReader(lines))
	if err != nil || sum.Done != 2 || sum.Last != 2 || sum.Stopped != cli.FailedFast || len(*outcomes) != 2 {
		t.Errorf("%+v, %v", sum, err)
	}
}

func TestNoCallBeginsAfterAFailureThatIsNotWrittenYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := stream()
		s.FailFast, s.Concurrency = true, 3
		answer, first := s.Call, make(chan struct{})
		s.Call = func(ctx context.Context, tool string, arguments json.RawMessage) (cli.Answer, error) {
			switch string(arguments) {
			case `{"n":0}`:
				<-first // the failure on line 2 is not written before
			case `{"n":1}`:
				t.Error("a call begins after the failure")
			}
			return answer(ctx, tool, arguments)
		}
		lines, in := io.Pipe()
		go func() {
			_, _ = io.WriteString(in, echoes(1)+`{"tool":"fail"}`+"\n")
			synctest.Wait() // for the failure
			_, _ = io.WriteString(in, `{"tool":"echo","arguments":{"n":1}}`+"\n")
			synctest.Wait()
			close(first)
			in.Close()
		}()
		sum, err := s.Run(t.Context(), lines)
		if err != nil || sum.Done != 2 || sum.Last != 2 || sum.First.Line != 2 || sum.Stopped != cli.FailedFast {
			t.Errorf("%+v, %v", sum, err)
		}
	})
}

func TestASignalEndsAStreamWithWhatIsRunning(t *testing.T) {
	s, _ := stream()
	s.Concurrency = 2
	ctx, cancel := context.WithCancel(t.Context())
	lines, in := io.Pipe()
	defer in.Close() // ends the read that is under way
	running := make(chan struct{})
	s.Call = func(ctx context.Context, _ string, _ json.RawMessage) (cli.Answer, error) {
		running <- struct{}{}
		<-ctx.Done()
		return cli.Answer{Structured: json.RawMessage(`{"error":"taken back","code":"cancelled"}`), Code: output.Cancelled}, nil
	}
	type end struct {
		sum cli.Summary
		err error
	}
	ended := make(chan end, 1)
	go func() { sum, err := s.Run(ctx, lines); ended <- end{sum, err} }()
	if _, err := io.WriteString(in, echoes(2)); err != nil {
		t.Fatal(err)
	}
	<-running
	<-running
	cancel()
	got := <-ended
	if got.err != nil || got.sum.Done != 2 || got.sum.Failed != 2 || got.sum.Last != 2 || got.sum.Stopped != cli.Interrupted {
		t.Errorf("%+v, %v", got.sum, got.err)
	}
}

func TestAStreamThatBreaksOffSaysWhere(t *testing.T) {
	s, outcomes := stream()
	sum, err := s.Run(t.Context(), io.MultiReader(strings.NewReader(echoes(2)), iotest.ErrReader(errors.New("input/output error"))))
	if err == nil || err.Error() != "read line 3 of the stream: input/output error" || len(*outcomes) != 2 || sum.Done != 2 || sum.Last != 2 {
		t.Errorf("%d outcomes, %+v, %v", len(*outcomes), sum, err)
	}
	s, _ = stream()
	s.Concurrency = 3
	s.Write = func(outcome cli.Outcome) error {
		if outcome.Line == 3 {
			return errors.New("no space left on device")
		}
		return nil
	}
	sum, err = s.Run(t.Context(), strings.NewReader(echoes(1000)))
	if err == nil || err.Error() != "write the outcome of line 3: no space left on device" || sum.Last > 6 || sum.Done != 2 || sum.Done+sum.Lost != sum.Last {
		t.Errorf("%+v, %v", sum, err)
	}
}

func FuzzStream(f *testing.F) {
	f.Add(echoes(2))
	f.Add("{\"tool\":\"fail\"}\n\n[]\n{\"tool\":\"echo\",\"arguments\":null}")
	f.Add("{\"id\":\"\\ud800\",\"tool\":\"echo\",\"arguments\":{\"a\":\"\u2028\"}}\n\"")
	f.Fuzz(func(t *testing.T, lines string) {
		s, outcomes := stream()
		s.Concurrency = 3
		if _, err := s.Run(t.Context(), strings.NewReader(lines)); err != nil {
			t.Fatal(err)
		}
		want := 0
		for text := range strings.Lines(strings.TrimPrefix(lines, "\ufeff")) {
			if strings.TrimSpace(text) != "" {
				want++
			}
		}
		if len(*outcomes) != want {
			t.Errorf("%d outcomes of %d lines", len(*outcomes), want)
		}
		for _, outcome := range *outcomes {
			encoded, err := json.Marshal(outcome)
			if err != nil || strings.ContainsRune(string(encoded), '\n') || outcome.OK == (outcome.Failure != nil) {
				t.Errorf("%s, %v", encoded, err)
			}
		}
	})
}
