// Command example does small jobs in Outline with the tools of outline-mcp. It calls
// them over standard input and output, with the official SDK.
package main

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

// A failure is the failure of a tool. Its code is one of a fixed list, so you
// can switch on it.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"error"`
}

func (f failure) Error() string { return fmt.Sprintf("%s (%s)", f.Message, f.Code) }

// A session is a connection to its own server.
type session struct{ client *mcp.ClientSession }

// A job does something with its arguments and a connection. The number is the program's
// exit code.
type job struct {
	usage string
	run   func(ctx context.Context, s session, args []string) (int, error)
}

func main() {
	log.SetFlags(0)
	jobs := map[string]job{
		"archive": {"FILE", archive},
		"create":  {"CSV COLLECTION", create},
		"read":    {"DOCUMENT", read},
		"stale":   {"QUERY DAY", stale},
		"watch":   {"FILE COLLECTION", watch},
	}
	args := os.Args[1:]
	if len(args) == 0 || jobs[args[0]].run == nil {
		log.Fatal("usage: example archive | create | read | stale | watch")
	}
	todo := jobs[args[0]]
	if len(args) != 1+len(strings.Fields(todo.usage)) {
		log.Fatalf("usage: example %s %s", args[0], todo.usage)
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
	connected, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		log.Fatalf("start %s: %s", command[0], err)
	}
	code, err := todo.run(ctx, session{connected}, args[1:])
	connected.Close()
	if err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

// call calls a tool and reads the structured content of its answer into result.
func (s session) call(ctx context.Context, tool string, arguments map[string]any, result any) error {
	answer, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}
	content, err := json.Marshal(answer.StructuredContent)
	if err != nil {
		return fmt.Errorf("call %s: %w", tool, err)
	}
	var failed struct {
		failure
		Results []item `json:"results"`
	}
	if answer.IsError {
		if err := json.Unmarshal(content, &failed); err != nil {
			return fmt.Errorf("call %s: %w", tool, err)
		}
		// A batch in which every item failed is also a failure: its results
		// say more.
		if failed.Results == nil {
			return failed.failure
		}
	}
	return json.Unmarshal(content, result)
}

// codeOf returns the code of a failure, "" for any other error.
func codeOf(err error) string {
	var failed failure
	errors.As(err, &failed)
	return failed.Code
}

// A batch is the answer of every batch tool.
type batch struct {
	Results []item `json:"results"`
}

// An item is the outcome of one item of a batch.
type item struct {
	Index             int     `json:"index"`
	ID                string  `json:"id"`
	Status            string  `json:"status"` // success or failed
	Title             string  `json:"title"`
	Code              string  `json:"code"`
	Error             string  `json:"error"`
	RetryAfterSeconds float64 `json:"retry_after_seconds"`
}

// linesOf returns the lines of a file that are not blank.
func linesOf(path string) ([]string, error) {
	text, err := textOf(path)
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

// textOf returns the text in a file, without the byte order mark that editors on
// Windows write.
func textOf(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err == nil && !utf8.Valid(raw) {
		err = fmt.Errorf("%s is not text in UTF-8", path)
	}
	return strings.TrimPrefix(string(raw), "\ufeff"), err
}
