// Beside solves tasks on an Outline with this server and with Outline's own MCP server,
// and prints what each takes: the calls, and the tokens of arguments and answers, at four
// characters each. Its pages are in their own collection, which it deletes at the end.
//
//	OUTLINE_API_URL=https://wiki.example.com OUTLINE_API_KEY=ol_api_… go run ./test/tasks/beside
//
// The key's owner has to be allowed to create collections, and Outline's own server has to
// be turned on.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/test/tasks"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := compare(ctx, os.Stdout); err != nil {
		stop()
		log.Fatal(err)
	}
}

func compare(ctx context.Context, w io.Writer) error {
	settings, err := config.Load(os.Environ())
	if err != nil {
		return err
	}
	server, err := app.New(app.Options{Config: settings, Version: "compared"})
	if err != nil {
		return err
	}
	ours, err := server.Connect(ctx)
	if err != nil {
		return err
	}
	defer ours.Close()
	own, err := connect(ctx, os.Getenv("OUTLINE_API_URL"), os.Getenv("OUTLINE_API_KEY"))
	if err != nil {
		return fmt.Errorf("connect to Outline's own server: %w", err)
	}
	defer own.Close()
	fmt.Fprintln(w, "| task | outline-mcp | | Outline's own | |\n|---|---|---|---|---|\n| | calls | tokens | calls | tokens |")
	var total [2]meter
	for _, task := range all() {
		var took [2]meter
		for i, c := range []*client.Client{ours, own} {
			solve := []func(*meter) error{task.ours, task.own}[i]
			if solve == nil {
				continue
			}
			// Each solves the task on the pages as they were made.
			remove, err := makePages(ctx, ours)
			if err != nil {
				return err
			}
			took[i] = meter{ctx: ctx, client: c}
			err = solve(&took[i])
			if removeErr := remove(); err == nil {
				err = removeErr
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", task.asked, []string{"outline-mcp", "Outline's own server"}[i], err)
			}
			if task.own != nil {
				total[i].calls += took[i].calls
				total[i].characters += took[i].characters
			}
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", task.asked, took[0], took[1])
	}
	fmt.Fprintf(w, "| all that both can do | %s | %s |\n", total[0], total[1])
	for i, c := range []*client.Client{ours, own} {
		list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return err
		}
		raw, err := json.Marshal(list.Tools)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "tools/list of %s: %.0f tokens\n", []string{"outline-mcp", "Outline's own server"}[i], tasks.InTokens(utf8.RuneCount(raw)))
	}
	return nil
}

// connect connects to the MCP server that is a part of Outline.
func connect(ctx context.Context, address, key string) (*client.Client, error) {
	c, err := client.NewStreamableHttpClient(strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/api")+"/mcp",
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + key}))
	if err != nil {
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "compared", Version: "1"}
	_, err = c.Initialize(ctx, request)
	return c, err
}

// makePages makes the collection and its pages, and returns a function that deletes both.
func makePages(ctx context.Context, c *client.Client) (remove func() error, err error) {
	call := func(tool string, given tasks.Arguments) (string, error) {
		answer, err := cli.Call(context.WithoutCancel(ctx), c, tool, given)
		if err == nil && answer.Code != "" {
			err = fmt.Errorf("%s: %s", tool, answer.Text)
		}
		return answer.Text, err
	}
	if _, err := call("create_collection", tasks.Arguments{"name": collection, "permission": "private"}); err != nil {
		return nil, err
	}
	remove = func() error {
		_, err := call("delete_collection", tasks.Arguments{"collection_id": collection})
		return err
	}
	if _, err := call("batch_create_documents", tasks.Arguments{"documents": pages()}); err != nil {
		_ = remove() // the first error says more
		return nil, err
	}
	for range 60 { // until Outline's search has the last page
		found, err := call("search_documents", tasks.Arguments{"query": "radar recordings kept", "collection_id": collection})
		if err != nil {
			_ = remove()
			return nil, err
		}
		if strings.HasPrefix(found, "# 1 ") {
			break
		}
		time.Sleep(time.Second)
	}
	return remove, nil
}

// A meter makes calls and adds up what a model writes, names and arguments, and reads.
type meter struct {
	ctx               context.Context
	client            *client.Client
	calls, characters int
}

func (m meter) String() string {
	if m.calls == 0 {
		return "– | –"
	}
	return fmt.Sprintf("%d | %.0f", m.calls, tasks.InTokens(m.characters))
}

// call calls a tool and returns its text, in which want must occur.
func (m *meter) call(tool string, given tasks.Arguments, want string) (string, error) {
	raw, err := json.Marshal(given)
	if err != nil {
		return "", err
	}
	answer, err := cli.Call(m.ctx, m.client, tool, given)
	if err != nil {
		return "", err
	}
	m.calls++
	m.characters += len(tool) + utf8.RuneCount(raw) + utf8.RuneCountInString(answer.Text)
	if answer.Code != "" || !strings.Contains(answer.Text, want) {
		return "", fmt.Errorf("%s does not answer with %q: %.2000s", tool, want, answer.Text)
	}
	return answer.Text, nil
}
