package subscriptions_test

import (
	"fmt"
	"log/slog"
	"testing"

	"outline-mcp/internal/app/subscriptions"
	"outline-mcp/internal/auth"
)

func TestEightKeysLeavePlacesForOthers(t *testing.T) {
	s := subscriptions.New(subscriptions.Options{MostListeners: 512, Log: slog.New(slog.DiscardHandler)})
	defer s.Close()
	listen := func(key int) (listeners int) {
		ctx := auth.NewContext(t.Context(), auth.Principal{Subject: fmt.Sprint(key)})
		for {
			l, err := s.Listen(ctx, subscriptions.Callbacks{})
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
