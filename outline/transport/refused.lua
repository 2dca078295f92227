-- Records that Outline has refused a request. Returns 0.
-- The rule is that of transport.RateLimiter.
-- KEYS: as in admit.lua.
-- ARGV: the subject; milliseconds until it may try again; the requests that the limit
-- allows (0: unknown), the length of its window, and how long it is remembered.
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('SET', KEYS[1], 1, 'PX', ARGV[2]) end
if tonumber(ARGV[3]) == 0 then return 0 end
local length = math.max(tonumber(ARGV[4]), tonumber(redis.call('HGET', KEYS[2], 'length') or 0))
redis.call('HSET', KEYS[2], 'requests', ARGV[3], 'length', length)
redis.call('PEXPIRE', KEYS[2], math.max(tonumber(ARGV[5]), redis.call('PTTL', KEYS[2])))
local first = redis.call('HGET', KEYS[3], 'refused')
if not first then
	redis.call('HSET', KEYS[3], 'refused', ARGV[1])
elseif first ~= ARGV[1] then
	redis.call('HSET', KEYS[3], 'used', ARGV[3])
end
redis.call('PEXPIRE', KEYS[3], ARGV[2])
return 0
