// Command profiled is one of the two servers for a team, outline-mcp or the
// bare one, which writes a CPU profile of its life when it is told to end:
//
//	profiled outline-mcp|bare FILE
//
// It takes the same environment as they do.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"

	"outline-mcp/bench/bare"
	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: profiled outline-mcp|bare FILE")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, which, file string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := pprof.StartCPUProfile(out); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	if which == "bare" {
		return serveBare(ctx)
	}
	settings, err := config.Load(os.Environ(), app.CheckTools)
	if err != nil {
		return err
	}
	server, err := app.New(app.Options{Config: settings, Version: "profiled", Log: app.NewLogger(os.Stderr, settings)})
	if err != nil {
		return err
	}
	listener, err := server.ListenHTTP(ctx)
	if err != nil {
		return err
	}
	return server.ServeHTTP(ctx, listener)
}

func serveBare(ctx context.Context) error {
	server := &http.Server{Addr: net.JoinHostPort("127.0.0.1", os.Getenv("MCP_PORT")), Handler: bare.New(os.Getenv("OUTLINE_API_URL"))}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
