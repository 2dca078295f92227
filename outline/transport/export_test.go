package transport

import "time"

// TryAgain ends the pause after a failure.
func (l *RedisLimiter) TryAgain() {
	l.redis.state.mu.Lock()
	defer l.redis.state.mu.Unlock()
	l.redis.state.again = time.Time{}
}
