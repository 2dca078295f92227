package resources_test

import (
	"fmt"
	"log/slog"
	"testing"

	"outline-mcp/internal/auth"
	"outline-mcp/resources"
)

func TestEightKeysLeavePlacesForOthers(t *testing.T) {
	s := resources.NewSubscriptions(resources.SubscriptionOptions{MostListeners: 512, Log: slog.New(slog.DiscardHandler)})
	defer s.Close()
	listen := func(key int) (listeners int) {
		ctx := auth.NewContext(t.Context(), auth.Principal{Subject: fmt.Sprint(key)})
		for {
			l, err := s.Listen(ctx, func(string) {}, nil)
			if err != nil {
				return listeners
			}
			t.Cleanup(l.Close)
			listeners++
		}
	}
	for key := range 8 {
		listen(key)
	}
	if got := listen(8); got < 10 {
		t.Errorf("a ninth key has %d listeners", got)
	}
}
