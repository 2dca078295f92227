// Command http serves package bare on loopback: MCP_PORT says where, and
// OUTLINE_API_URL where Outline is.
package main

import (
	"log"
	"net"
	"net/http"
	"os"

	"outline-mcp/bench/bare"
)

func main() {
	log.Fatal(http.ListenAndServe(net.JoinHostPort("127.0.0.1", os.Getenv("MCP_PORT")), bare.New(os.Getenv("OUTLINE_API_URL"))))
}
