// Package outline calls the tools of outline-mcp over standard input and
// output, with the official SDK.
package outline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Failure is the failure of a tool. Its code is one of a fixed list, so you
// can switch on it.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"error"`
}

func (f Failure) Error() string { return fmt.Sprintf("%s (%s)", f.Message, f.Code) }

// A Session is a connection to its own server.
type Session struct{ client *mcp.ClientSession }

// Run runs a script with its arguments and a connection, and reports what
// goes wrong. The number is the program's exit code.
func Run(usage string, main func(ctx context.Context, s Session, args []string) (int, error)) {
	log.SetFlags(0)
	args := os.Args[1:]
	if len(args) != len(strings.Fields(usage)) {
		log.Fatalf("usage: %s", usage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	command := strings.Fields(os.Getenv("OUTLINE_MCP")) // such as: outline-mcp --demo
	if len(command) == 0 {
		command = []string{"outline-mcp"}
	}
	server := exec.Command(command[0], command[1:]...)
	server.Env = append(os.Environ(), "OUTLINE_STRUCTURED_OUTPUT=true", "LOG_LEVEL=warn")
	server.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		log.Fatalf("start %s: %s", command[0], err)
	}
	code, err := main(ctx, Session{session}, args)
	session.Close()
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

// Call calls a tool and reads the structured content of its answer into result.
func (s Session) Call(ctx context.Context, tool string, arguments map[string]any, result any) error {
	answer, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}
	content, err := json.Marshal(answer.StructuredContent)
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}
	var failure struct {
		Failure
		Results []Item `json:"results"`
	}
	if answer.IsError {
		if err := json.Unmarshal(content, &failure); err != nil {
			return fmt.Errorf("call %s: %w", tool, err)
		}
		// A batch in which every item failed is also a failure: its results
		// say more.
		if failure.Results == nil {
			return failure.Failure
		}
	}
	return json.Unmarshal(content, result)
}

// Code returns the code of a failure, "" for any other error.
func Code(err error) string {
	var failure Failure
	errors.As(err, &failure)
	return failure.Code
}

// A Batch is the answer of every batch tool.
type Batch struct {
	Results []Item `json:"results"`
}

// An Item is the outcome of one item of a batch.
type Item struct {
	Index             int     `json:"index"`
	ID                string  `json:"id"`
	Status            string  `json:"status"` // success or failed
	Title             string  `json:"title"`
	Code              string  `json:"code"`
	Error             string  `json:"error"`
	RetryAfterSeconds float64 `json:"retry_after_seconds"`
}

// Lines returns the lines of a file that are not blank.
func Lines(path string) ([]string, error) {
	text, err := Text(path)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// Text returns the text in a file, without the byte order mark that editors on
// Windows write.
func Text(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err == nil && !utf8.Valid(raw) {
		err = fmt.Errorf("%s is not text in UTF-8", path)
	}
	return strings.TrimPrefix(string(raw), "\ufeff"), err
}
