-- Short-term messages. KEYS[1]: the prefix of all keys; ARGV: function, session, turn, after, most tokens, seconds to live
-- (0: without end), and the messages as JSON. Redis runs a script whole; one that runs twice changes nothing the second time.
--
-- PREFIX:recent:SESSION      list: JSON of each message, oldest first
-- PREFIX:recent-at:SESSION   the turn that the list stands at; its value begins with a +

local list, at = KEYS[1] .. ':recent:' .. ARGV[2], KEYS[1] .. ':recent-at:' .. ARGV[2]
local turn, after, most, ttl = ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])

local function push()
  for place = 7, #ARGV do redis.call('RPUSH', list, ARGV[place]) end
  -- The newest that fit, whole; the very last however long it is.
  local length, taken, kept = redis.call('LLEN', list), 0, 0
  while kept < length do
    taken = taken + cjson.decode(redis.call('LINDEX', list, -1 - kept)).tokens
    if taken > most and kept > 0 then break end
    kept = kept + 1
  end
  if kept > 0 and kept < length then redis.call('LTRIM', list, -kept, -1) end
end

local function stand()
  redis.call('SET', at, '+' .. turn)
  for _, name in ipairs({list, at}) do
    if ttl > 0 then redis.call('EXPIRE', name, ttl) else redis.call('PERSIST', name) end
  end
end

local ops = {}

function ops.append()
  local stands = redis.call('GET', at)
  if not stands then return 0 end
  if stands ~= '+' .. turn then
    if stands ~= '+' .. after then return 0 end
    push()
  end
  stand()
  return 1
end

function ops.replace()
  redis.call('DEL', list)
  push()
  stand()
  return 1
end

function ops.clear() return redis.call('DEL', at, list) end

return ops[ARGV[1]]()
