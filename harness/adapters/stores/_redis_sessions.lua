-- The journal of sessions. KEYS[1]: the prefix of all keys; ARGV[1]: the function; the rest: its arguments.
-- Redis runs a script whole, and nothing else meanwhile. Every answer is a list that begins with a word.
--
-- PREFIX:sessions            sorted set: session id -> order of the last change
-- PREFIX:session:ID          hash: document, version, head, turns, updated_at, write
-- PREFIX:tree:ID             hash: turn id -> "SEQ NUMBER +PARENT", or "SEQ NUMBER -" for a root
-- PREFIX:records:ID          hash: turn id -> JSON of the record
-- PREFIX:snapshots:ID        hash: turn id -> JSON of the state there
-- PREFIX:done:WRITE          for a minute: that a session was deleted by this write

local prefix = KEYS[1] .. ':'
local order = prefix .. 'sessions'

local function keys_of(id)
  return prefix .. 'session:' .. id, prefix .. 'tree:' .. id, prefix .. 'records:' .. id, prefix .. 'snapshots:' .. id
end

local function place(tree, turn)
  local row = redis.call('HGET', tree, turn)
  if not row then return nil end
  local seq, number, sign, parent = string.match(row, '^(%d+) (%d+) ([+-])(.*)$')
  return tonumber(seq), number, sign == '+' and parent or nil
end

local function changed(id)
  redis.call('ZADD', order, redis.call('INCR', prefix .. 'changes'), id)
end

-- Whether a session may be written: nil when it may, or what is to be answered.
local function refused(session, expected, write)
  local found = redis.call('HMGET', session, 'version', 'write')
  if not found[1] then return {'none'} end
  -- The very write that a broken connection left in doubt: it had been done.
  if found[2] == write then return {'ok', found[1]} end
  if found[1] ~= expected then return {'stale', found[1]} end
  return nil
end

local function finished(session, id, expected, write, head, number, at)
  local version = string.format('%d', expected + 1)
  redis.call('HSET', session, 'version', version, 'head', head and '+' .. head or '-', 'turns', number, 'write', write)
  if at ~= '' then redis.call('HSET', session, 'updated_at', at) end
  changed(id)
  return {'ok', version}
end

local ops = {}

function ops.create(id, document, at, write)
  local session = keys_of(id)
  local found = redis.call('HGET', session, 'write')
  if found then return {found == write and 'ok' or 'exists'} end
  redis.call('HSET', session, 'document', document, 'version', '0', 'head', '-', 'turns', '0', 'updated_at', at, 'write', write)
  changed(id)
  return {'ok'}
end

function ops.delete(id, write)
  local session, tree, records, snapshots = keys_of(id)
  local done = prefix .. 'done:' .. write
  if redis.call('EXISTS', session) == 0 then return {redis.call('EXISTS', done) == 1 and 'ok' or 'none'} end
  redis.call('DEL', session, tree, records, snapshots)
  redis.call('ZREM', order, id)
  redis.call('SET', done, '1', 'EX', 60)
  return {'ok'}
end

function ops.append(id, expected, write, turn, parent, number, document, move, at)
  local session, tree, records = keys_of(id)
  local answer = refused(session, expected, write)
  if answer then return answer end
  if redis.call('HEXISTS', tree, turn) == 1 then return {'turn'} end
  if string.sub(parent, 1, 1) == '+' and redis.call('HEXISTS', tree, string.sub(parent, 2)) == 0 then
    return {'missing', string.sub(parent, 2)}
  end
  local seq = redis.call('HINCRBY', session, 'seq', 1)
  redis.call('HSET', tree, turn, string.format('%d', seq) .. ' ' .. number .. ' ' .. parent)
  redis.call('HSET', records, turn, document)
  if move == '1' then return finished(session, id, expected, write, turn, number, at) end
  local now = redis.call('HMGET', session, 'head', 'turns')
  return finished(session, id, expected, write, now[1] ~= '-' and string.sub(now[1], 2) or nil, now[2], at)
end

function ops.amend(id, expected, write, turn, parent, number, document, at)
  local session, tree, records, snapshots = keys_of(id)
  local answer = refused(session, expected, write)
  if answer then return answer end
  local seq, _, above = place(tree, turn)
  if not seq then return {'missing', turn} end
  if (above and '+' .. above or '-') ~= parent then return {'moved', above and '+' .. above or '-'} end
  redis.call('HSET', tree, turn, string.format('%d', seq) .. ' ' .. number .. ' ' .. parent)
  redis.call('HSET', records, turn, document)
  -- A parent's seq is lower, so that no walk from a snapshot goes further up than to the amended turn.
  for _, name in ipairs(redis.call('HKEYS', snapshots)) do
    local at_seq, _, up = place(tree, name)
    local current = name
    while at_seq and at_seq > seq and up do
      current = up
      at_seq, _, up = place(tree, current)
    end
    if current == turn then redis.call('HDEL', snapshots, name) end
  end
  local now = redis.call('HMGET', session, 'head', 'turns')
  local head = now[1] ~= '-' and string.sub(now[1], 2) or nil
  return finished(session, id, expected, write, head, head == turn and number or now[2], at)
end

function ops.move(id, expected, write, turn)
  local session, tree = keys_of(id)
  local answer = refused(session, expected, write)
  if answer then return answer end
  if turn == '-' then return finished(session, id, expected, write, nil, '0', '') end
  local name = string.sub(turn, 2)
  local seq, number = place(tree, name)
  if not seq then return {'missing', name} end
  return finished(session, id, expected, write, name, number, '')
end

function ops.snap(id, turn, document)
  local session, tree, _, snapshots = keys_of(id)
  if redis.call('EXISTS', session) == 0 then return {'none'} end
  if redis.call('HEXISTS', tree, turn) == 0 then return {'missing', turn} end
  redis.call('HSET', snapshots, turn, document)
  return {'ok'}
end

-- Turn, number and parent of each place from `turn` up to the root, or to below `after`.
function ops.path(id, turn, after)
  local session, tree = keys_of(id)
  if redis.call('EXISTS', session) == 0 then return {'none'} end
  local found = {'ok'}
  local current = turn ~= '-' and string.sub(turn, 2) or nil
  local stop = after ~= '-' and string.sub(after, 2) or nil
  local last
  while current and current ~= stop do
    local seq, number, parent = place(tree, current)
    if not seq then return {#found == 1 and 'missing' or 'cut', current} end
    if last and seq >= last then return {'cut', current} end
    last = seq
    found[#found + 1] = current
    found[#found + 1] = number
    found[#found + 1] = parent and '+' .. parent or '-'
    current = parent
  end
  if stop and not current then return {'apart'} end
  return found
end

-- The turns from `turn` up to the root that have a snapshot.
function ops.snapshots(id, turn)
  local session, tree, _, snapshots = keys_of(id)
  local found = ops.path(id, '+' .. turn, '-')
  if found[1] ~= 'ok' then return found end
  local having = {'ok'}
  if redis.call('EXISTS', snapshots) == 0 then return having end
  for at = 2, #found, 3 do
    if redis.call('HEXISTS', snapshots, found[at]) == 1 then having[#having + 1] = found[at] end
  end
  return having
end

-- Turn ids, oldest first.
function ops.turns(id)
  local session, tree = keys_of(id)
  if redis.call('EXISTS', session) == 0 then return {'none'} end
  local rows, found = redis.call('HGETALL', tree), {}
  for at = 1, #rows, 2 do
    found[#found + 1] = {tonumber(string.match(rows[at + 1], '^%d+')), rows[at]}
  end
  table.sort(found, function(one, other) return one[1] < other[1] end)
  local names = {'ok'}
  for _, row in ipairs(found) do names[#names + 1] = row[2] end
  return names
end

return ops[ARGV[1]](unpack(ARGV, 2))
