// Command wiki plays tasks on a wiki of 174 pages: the calls that a model makes that knows
// the instructions, the descriptions of the tools and earlier answers. tasks.json has the
// tasks, each with its calls and with what shows that it is done. The wiki is that of the
// recordings (test/fixtures).
//
//	go run ./test/wiki
//
// plays them in the embedded workspace. With OUTLINE_API_URL and OUTLINE_API_KEY, an admin's,
// it makes the wiki in that Outline, plays the tasks there, some of them also with Outline's
// own MCP server, and deletes the wiki. That Outline must have no pages but a collection,
// because it keeps its last one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Getenv("OUTLINE_API_URL"), os.Getenv("OUTLINE_API_KEY"))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wiki:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address, key string) error {
	if address == "" {
		w, err := embedded(ctx)
		if err != nil {
			return err
		}
		return w.playAll(ctx)
	}
	own, err := connectOwn(ctx, address, key)
	if err != nil {
		return fmt.Errorf("connect to Outline's own server: %w", err)
	}
	defer own.Close()
	w, err := fill(ctx, address, key)
	if err != nil {
		return err
	}
	w.own = own
	return errors.Join(w.playAll(ctx), w.remove(context.WithoutCancel(ctx)))
}

// playAll plays the tasks and prints tables. What Outline's own server does not do as asked
// is a result; what outline-mcp does not do is an error, too.
func (w *wiki) playAll(ctx context.Context) error {
	groups, err := readTasks()
	if err != nil {
		return err
	}
	var failures []error
	for _, g := range groups {
		fmt.Printf("\n| %s | calls | tokens written | tokens read | done |\n|---|---|---|---|---|\n", g.Name)
		var all, both, own cost
		for _, t := range g.Tasks {
			took, err := w.play(ctx, g, t, false)
			if ctx.Err() != nil {
				return err
			}
			if err != nil {
				failures = append(failures, fmt.Errorf("%s: %w", t.Asked, err))
			}
			all.add(took)
			fmt.Printf("| %s | %s | %s |\n", t.Asked, took, done(err))
			if w.own != nil && len(t.Own) > 0 {
				tookOwn, err := w.play(ctx, g, t, true)
				both.add(took)
				own.add(tookOwn)
				fmt.Printf("| – with Outline's own server | %s | %s |\n", tookOwn, done(err))
			}
		}
		fmt.Printf("| all | %s | |\n", all)
		if own.calls > 0 {
			fmt.Printf("| all that both can do | %s | |\n| – with Outline's own server | %s | |\n", both, own)
		}
	}
	if w.own != nil {
		for name, c := range map[string]*client.Client{"outline-mcp": w.ours, "Outline's own server": w.own} {
			list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
			if err != nil {
				return err
			}
			raw, err := json.Marshal(list.Tools)
			if err != nil {
				return err
			}
			fmt.Printf("\ntools/list of %s: %d tools, %d tokens\n", name, len(list.Tools), tokens(utf8.RuneCount(raw)))
		}
	}
	return errors.Join(failures...)
}

// done tells why a task is not done.
func done(err error) string {
	if err != nil {
		return fmt.Sprintf("no: %.300s", strings.ReplaceAll(strings.Join(strings.Fields(err.Error()), " "), "|", "¦"))
	}
	return "yes"
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
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "compared", Version: "1"}
	_, err = c.Initialize(ctx, request)
	return c, err
}
