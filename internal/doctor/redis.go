package doctor

import (
	"context"
	"fmt"

	"outline-mcp/internal/replicas"
)

// checkRedis reports whether replicas can share their limits, if the settings name a
// Redis. A server works without it.
func checkRedis(ctx context.Context, e *examination) {
	const check = "redis"
	if e.settings.RedisURL == "" || e.Demo {
		return
	}
	limits, err := replicas.New(replicas.Options{URL: e.settings.RedisURL.Reveal()})
	if err != nil {
		return // a problem of the setting
	}
	defer limits.Close()
	if err := limits.Ping(ctx); err != nil {
		e.add(Warning, check, fmt.Sprintf("Redis at %s cannot be used (%s): each replica has limits of its own", limits.Address(), short(err.Error())), "check MCP_REDIS_URL, its password, and the network")
		return
	}
	e.add(OK, check, "replicas share their limits through Redis at "+limits.Address(), "")
}
