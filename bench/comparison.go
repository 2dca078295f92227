package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// runComparison solves tasks on an Outline with outline-mcp and, beside it, with Outline's own
// MCP server, and counts what each takes: the calls, and the tokens of arguments and answers,
// at four characters each. Its pages are in a collection of their own, which it deletes at the
// end. OUTLINE_API_URL and OUTLINE_API_KEY say where. The key's owner has to be allowed to
// create collections, and Outline's own server has to be turned on.
func runComparison(ctx context.Context, l *lab) error {
	ours, err := client.NewStdioMCPClient(l.binary(product), nil) // with the settings of this process
	if err != nil {
		return err
	}
	defer ours.Close()
	if err := initializeClient(ctx, ours); err != nil {
		return fmt.Errorf("connect to %s: %w", product, err)
	}
	own, err := connectOwn(ctx, os.Getenv("OUTLINE_API_URL"), os.Getenv("OUTLINE_API_KEY"))
	if err != nil {
		return fmt.Errorf("connect to Outline's own server: %w", err)
	}
	defer own.Close()
	l.row("", "calls, tokens", "calls, tokens", "")
	servers, names := []*client.Client{ours, own}, []string{product, "Outline's own server"}
	var total [2]meter
	for _, task := range comparedTasks() {
		var took [2]meter
		for i, c := range servers {
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
				return fmt.Errorf("%s, %s: %w", task.asked, names[i], err)
			}
			if task.own != nil {
				total[i].calls += took[i].calls
				total[i].characters += took[i].characters
			}
		}
		l.row(task.asked, took[0], took[1], "")
	}
	l.row("all that both can do", total[0], total[1], "")
	var lists [2]meter
	for i, c := range servers {
		list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return err
		}
		raw, err := json.Marshal(list.Tools)
		if err != nil {
			return err
		}
		lists[i] = meter{calls: 1, characters: utf8.RuneCount(raw)}
	}
	l.row("tools/list", lists[0], lists[1], "")
	return nil
}

// connectOwn connects to the MCP server that is a part of Outline.
func connectOwn(ctx context.Context, address, key string) (*client.Client, error) {
	c, err := client.NewStreamableHttpClient(strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/api")+"/mcp",
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + key}))
	if err != nil {
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	return c, initializeClient(ctx, c)
}

func initializeClient(ctx context.Context, c *client.Client) error {
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "compared", Version: "1"}
	_, err := c.Initialize(ctx, request)
	return err
}

// makePages makes the collection and its pages, and returns a function that deletes both.
func makePages(ctx context.Context, c *client.Client) (remove func() error, err error) {
	call := func(tool string, given arguments) (string, error) {
		return callTool(context.WithoutCancel(ctx), c, tool, given)
	}
	if _, err := call("create_collection", arguments{"name": collection, "permission": "private"}); err != nil {
		return nil, err
	}
	remove = func() error {
		_, err := call("delete_collection", arguments{"collection_id": collection})
		return err
	}
	if _, err := call("batch_create_documents", arguments{"documents": comparedPages()}); err != nil {
		_ = remove() // the first error says more
		return nil, err
	}
	for range 60 { // until Outline's search has the last page
		found, err := call("search_documents", arguments{"query": "radar recordings kept", "collection_id": collection})
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
		return "–"
	}
	return fmt.Sprintf("%d, %.0f", m.calls, float64(m.characters)/4)
}

// call calls a tool and returns its text, in which want must occur.
func (m *meter) call(tool string, given arguments, want string) (string, error) {
	raw, err := json.Marshal(given)
	if err != nil {
		return "", err
	}
	text, err := callTool(m.ctx, m.client, tool, given)
	if err != nil {
		return "", err
	}
	m.calls++
	m.characters += len(tool) + utf8.RuneCount(raw) + utf8.RuneCountInString(text)
	if !strings.Contains(text, want) {
		return "", fmt.Errorf("%s does not answer with %q: %.2000s", tool, want, text)
	}
	return text, nil
}

// callTool calls a tool and returns the text of the answer, which must not be a failure.
func callTool(ctx context.Context, c *client.Client, tool string, given arguments) (string, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, given
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return "", fmt.Errorf("call %s: %w", tool, err)
	}
	var text strings.Builder
	for _, content := range result.Content {
		if part, ok := content.(mcp.TextContent); ok {
			text.WriteString(part.Text)
		}
	}
	if result.IsError {
		return "", fmt.Errorf("%s fails: %.2000s", tool, text.String())
	}
	return text.String(), nil
}
