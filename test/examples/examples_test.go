package examples

import (
	"bytes"
	"testing"
)

func TestAFileIsWrittenAsItWasRead(t *testing.T) {
	const file = "-- success/arguments.json --\n{}\n-- success/answer.txt --\nA\n\n--- B\n-- success/answer.json --\n{}\n-- failure-new/arguments.json --\n{}\n"
	calls, err := parse([]byte(file))
	if err != nil || len(calls) != 2 || calls[0].Failed() || !calls[1].Failed() || calls[1].Text != nil {
		t.Fatalf("%v: %v", calls, err)
	}
	if got := format(calls); !bytes.Equal(got, []byte(file)) {
		t.Errorf("%s", got)
	}
}

func TestASectionOutOfPlaceIsAnError(t *testing.T) {
	for _, file := range []string{
		"-- success/answer.txt --\nA\n",
		"-- success/arguments.json --\n{}\n-- failure/answer.txt --\nA\n",
		"-- success/arguments.json --\n{}\n-- success/answer.md --\nA\n",
		"-- success/arguments.json --\n{}\n-- success/arguments.json --\n{}\n",
	} {
		if calls, err := parse([]byte(file)); err == nil {
			t.Errorf("%s gives %v", file, calls)
		}
	}
}
