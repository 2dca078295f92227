-- Admits a request to an endpoint, and counts it, or returns the milliseconds to wait.
-- The rule is that of transport.PerSubjectShare.
-- KEYS: the refusal of the subject, the common limit, its window.
-- ARGV: the subject, the requests of a window for each one left (0: no share).
local wait = redis.call('PTTL', KEYS[1])
if wait > 0 then return wait end
local limit = redis.call('HMGET', KEYS[2], 'requests', 'length')
if not limit[1] then return 0 end
local counted = redis.call('HMGET', KEYS[3], 'used', 'by:' .. ARGV[1])
local left = tonumber(limit[1]) - tonumber(counted[1] or 0)
local share = tonumber(ARGV[2])
if left <= 0 or share > 0 and tonumber(counted[2] or 0) >= share * left then
	return math.max(redis.call('PTTL', KEYS[3]), 1)
end
redis.call('HINCRBY', KEYS[3], 'used', 1)
redis.call('HINCRBY', KEYS[3], 'by:' .. ARGV[1], 1)
if redis.call('PTTL', KEYS[3]) < 0 then redis.call('PEXPIRE', KEYS[3], limit[2]) end
return 0
