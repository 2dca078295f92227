package doctor_test

import (
	"strings"
	"testing"

	"outline-mcp/test/fixtures"
)

func TestASharedRedisIsTried(t *testing.T) {
	redis := fixtures.StartRedis(t)
	environment := served(nil, "MCP_TRANSPORT=http", "MCP_PORT=0", "MCP_REDIS_URL="+redis.URL)(t)
	code, report := doctorSays(t, false, environment)
	if code != 0 || !strings.Contains(report, "✓ redis: replicas share Outline's limits through Redis at 127.0.0.1:") || strings.Contains(report, fixtures.RedisPassword) {
		t.Errorf("exit code %d: %s", code, report)
	}
	environment = append(environment, "MCP_REDIS_URL="+strings.Replace(redis.URL, fixtures.RedisPassword, "guessed", 1))
	if _, report = doctorSays(t, false, environment); !strings.Contains(report, "! redis: Redis at 127.0.0.1:") || !strings.Contains(report, "refused the password") {
		t.Error(report)
	}
}
