-- Counts a call of a subject, and returns 1, or 0 if too many are under way.
-- KEYS: the calls of the subject, by when they end at the latest.
-- ARGV: the call, the most calls at a time, milliseconds that a call can take.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
