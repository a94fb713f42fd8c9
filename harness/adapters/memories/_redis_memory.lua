-- Memory items. KEYS[1]: the prefix of all keys; ARGV[1]: the function; ARGV[2]: its arguments as JSON; the rest: texts and
-- vectors. Redis runs a script whole, and nothing else meanwhile. Each may run twice: the second time changes nothing.
--
-- Below PREFIX:memory: there are
-- totals             hash: items, tokens, next_doc, next_group, model, dimensions, changes and removals of vectors, layout;
--                    measured, measure_to: numbers between them are of items whose terms are not in lengths yet
-- counts             hash: layer:L2, kind:fact, status:active … -> how many
-- docs               hash: id -> number of the item; ids, bare: sorted sets of all ids, and of those without a vector
-- items, rows, states  hashes by number: JSON of the item; what it is found by; "STATUS USES MICROSECONDS LAST-USED"
-- groups, sizes, lengths   hashes: [layer, scope …] as JSON -> number of the group; -> how many items it holds; -> how many
--                    terms those have together
-- terms              hash: term -> how many items have it
-- words:GROUP:TERM   string of 8 bytes for each item, numbers rising: terms in it, how often this one (16 bits each), number
-- kinds:GROUP:KIND, pinned:GROUP   sorted sets of ids
-- messages:SESSION   sorted set: number -> place; turn:…, key:…, slot:… sets of numbers
-- vectors            hash: number -> group and 32-bit floats; vchanges, vgone: number -> count of the change or removal
-- followed           hash: session -> turn

local base = KEYS[1] .. ':memory:'
local call = redis.call
local BITS16 = 65535
local REMEMBERED = 10000
local LAYOUT = '2'
local PORTION = 1000

local function key(name) return base .. name end
local function int(number) return string.format('%d', number) end

local function count(name, field, by)
  if by ~= 0 and call('HINCRBY', key(name), field, by) <= 0 then call('HDEL', key(name), field) end
end

local function total(field, by) return call('HINCRBY', key('totals'), field, by) end

-- Lengths of groups are kept since layout 2: what an earlier one holds is counted, see ops.measure.
local function settle()
  if call('HGET', key('totals'), 'layout') then return end
  call('HSET', key('totals'), 'layout', LAYOUT)
  local last = tonumber(call('HGET', key('totals'), 'next_doc') or 0)
  if last > 0 then call('HSET', key('totals'), 'measured', 0, 'measure_to', int(last)) end
end

local function measured(doc)
  local to = call('HMGET', key('totals'), 'measured', 'measure_to')
  local number = tonumber(doc)
  return not to[1] or number <= tonumber(to[1]) or number > tonumber(to[2])
end

-- Status, and the rest of a state.
local function parted(state) return string.match(state, '^(%S+) (.*)$') end

local function group_of(meta) return call('HGET', key('groups'), meta.g) end

local function fresh_group(meta)
  local group = group_of(meta)
  if not group then
    group = int(total('next_group', 1))
    call('HSET', key('groups'), meta.g, group)
  end
  count('sizes', meta.g, 1)
  return group
end

local function link(doc, meta, group, status)
  call('ZADD', key('kinds:' .. group .. ':' .. meta.k), 0, meta.i)
  if meta.pin then call('ZADD', key('pinned:' .. group), 0, meta.i) end
  if meta.p then call('ZADD', key('messages:' .. meta.s), meta.p, doc) end
  if meta.u then call('SADD', key('turn:' .. meta.u), doc) end
  if meta.key then call('SADD', key('key:' .. meta.key), doc) end
  if meta.slot then call('SADD', key('slot:' .. meta.slot), doc) end
  count('counts', 'layer:' .. meta.l, 1)
  count('counts', 'kind:' .. meta.k, 1)
  count('counts', 'status:' .. status, 1)
end

local function unlink(doc, meta, group, status)
  call('ZREM', key('kinds:' .. group .. ':' .. meta.k), meta.i)
  if meta.pin then call('ZREM', key('pinned:' .. group), meta.i) end
  if meta.p then call('ZREM', key('messages:' .. meta.s), doc) end
  if meta.u then call('SREM', key('turn:' .. meta.u), doc) end
  if meta.key then call('SREM', key('key:' .. meta.key), doc) end
  if meta.slot then call('SREM', key('slot:' .. meta.slot), doc) end
  count('counts', 'layer:' .. meta.l, -1)
  count('counts', 'kind:' .. meta.k, -1)
  count('counts', 'status:' .. status, -1)
end

local function set_vector(doc, id, group, vector)
  local change = total('changes', 1)
  call('HSET', key('vectors'), doc, struct.pack('<I4', tonumber(group)) .. vector)
  call('ZADD', key('vchanges'), change, doc)
  call('ZREM', key('bare'), id)
end

local function drop_vector(doc)
  if call('HDEL', key('vectors'), doc) == 0 then return end
  call('ZREM', key('vchanges'), doc)
  call('ZADD', key('vgone'), total('removals', 1), doc)
  call('ZREMRANGEBYRANK', key('vgone'), 0, -REMEMBERED - 1)
end

local function index(doc, meta, group)
  local number, length = tonumber(doc), math.min(meta.n, BITS16)
  for term, often in pairs(meta.t) do
    local entry = struct.pack('<I4I4', math.min(often, BITS16) * 65536 + length, number)
    call('APPEND', key('words:' .. group .. ':' .. term), entry)
    call('HINCRBY', key('terms'), term, 1)
  end
end

-- Where in a list of entries a number stands, counted from 0; nil when it is not there.
local function position(list, number)
  local low, high = 0, #list / 8 - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local found = struct.unpack('<I4', list, middle * 8 + 5)
    if found == number then return middle end
    if found < number then low = middle + 1 else high = middle - 1 end
  end
  return nil
end

-- Take the numbers out of a list of entries, in one pass.
local function take(name, numbers)
  local list = call('GET', name)
  if not list then return end
  local places, kept, from = {}, {}, 1
  for _, number in ipairs(numbers) do places[#places + 1] = position(list, number) end
  table.sort(places)
  for _, place in ipairs(places) do
    kept[#kept + 1] = string.sub(list, from, place * 8)
    from = place * 8 + 9
  end
  kept[#kept + 1] = string.sub(list, from)
  local left = table.concat(kept)
  if left == '' then call('DEL', name) else call('SET', name, left) end
end

-- Remove items and whatever was made of them; gives how many there were.
local function remove(docs)
  local lists, removed = {}, 0
  for _, doc in ipairs(docs) do
    local row = call('HGET', key('rows'), doc)
    if row then
      local meta = cjson.decode(row)
      local group = group_of(meta)
      unlink(doc, meta, group, (parted(call('HGET', key('states'), doc))))
      for term in pairs(meta.t) do
        local name = key('words:' .. group .. ':' .. term)
        lists[name] = lists[name] or {}
        table.insert(lists[name], tonumber(doc))
        count('terms', term, -1)
      end
      drop_vector(doc)
      call('ZREM', key('bare'), meta.i)
      call('ZREM', key('ids'), meta.i)
      call('HDEL', key('docs'), meta.i)
      for _, name in ipairs({'items', 'rows', 'states'}) do call('HDEL', key(name), doc) end
      count('sizes', meta.g, -1)
      if call('HEXISTS', key('sizes'), meta.g) == 0 then call('HDEL', key('groups'), meta.g) end
      total('items', -1)
      total('tokens', -meta.n)
      if measured(doc) then count('lengths', meta.g, -meta.n) end
      removed = removed + 1
    end
  end
  for name, numbers in pairs(lists) do take(name, numbers) end
  return removed
end

local function insert(row, meta, document, state, vector)
  local doc, group = int(total('next_doc', 1)), fresh_group(meta)
  call('HSET', key('docs'), meta.i, doc)
  call('ZADD', key('ids'), 0, meta.i)
  call('HSET', key('items'), doc, document)
  call('HSET', key('rows'), doc, row)
  call('HSET', key('states'), doc, state)
  link(doc, meta, group, (parted(state)))
  index(doc, meta, group)
  total('items', 1)
  total('tokens', meta.n)
  count('lengths', meta.g, meta.n)
  if vector ~= '' then set_vector(doc, meta.i, group, vector) else call('ZADD', key('bare'), 0, meta.i) end
end

local given = cjson.decode(ARGV[2])

-- given.read_as: of items that are changed, the status each was read with.
local function put(row, document, state, vector)
  local meta = cjson.decode(row)
  local doc = call('HGET', key('docs'), meta.i)
  local read_as = given.read_as and given.read_as[meta.i]
  if not doc and read_as then return end
  if not doc then return insert(row, meta, document, state, vector) end
  local old = cjson.decode(call('HGET', key('rows'), doc))
  local was, used = parted(call('HGET', key('states'), doc))
  local status = parted(state)
  if read_as and read_as ~= was then status = was end
  state = status .. ' ' .. used
  if old.sign ~= meta.sign then
    if vector == '' and old.x == meta.x then
      vector = string.sub(call('HGET', key('vectors'), doc) or '', 5)
    end
    remove({doc})
    return insert(row, meta, document, state, vector)
  end
  local group = group_of(meta)
  unlink(doc, old, group, was)
  link(doc, meta, group, status)
  call('HSET', key('items'), doc, document)
  call('HSET', key('rows'), doc, row)
  call('HSET', key('states'), doc, state)
  if vector ~= '' then
    set_vector(doc, meta.i, group, vector)
  elseif old.x ~= meta.x then
    drop_vector(doc)
    call('ZADD', key('bare'), 0, meta.i)
  end
end

local function turned(session_turns, from, to)
  for _, turn in ipairs(session_turns) do
    for _, doc in ipairs(call('SMEMBERS', key('turn:' .. turn))) do
      local status, used = parted(call('HGET', key('states'), doc))
      if status == from then
        call('HSET', key('states'), doc, to .. ' ' .. used)
        count('counts', 'status:' .. from, -1)
        count('counts', 'status:' .. to, 1)
      end
    end
  end
end

-- Documents and states of items, one after the other.
local function shown(docs)
  local found = {}
  for _, doc in ipairs(docs) do
    local document = call('HGET', key('items'), doc)
    if document then
      found[#found + 1] = document
      found[#found + 1] = call('HGET', key('states'), doc)
    end
  end
  return found
end

local function docs_of(ids)
  local found = {}
  for _, id in ipairs(ids) do
    local doc = call('HGET', key('docs'), id)
    if doc then found[#found + 1] = doc end
  end
  return found
end

-- Whether a text has one of these in it.
local function has(text, needles)
  for _, needle in ipairs(needles) do
    if string.find(text, needle, 1, true) then return true end
  end
  return false
end

-- Whether what a row tells of speaker, subject and times may pass. Rows of an earlier version tell nothing of it, and pass. Times
-- are rounded here, the greater of two never below the other: the very moment passes, the caller looks at it again.
local function told_fits(row, sift)
  if not (sift.told[1] or sift.since or sift['until'] or sift.now) or string.sub(row, 1, 7) ~= '{"by":"' then return true end
  local head = string.sub(row, 1, (string.find(row, ',"i":"', 1, true)))
  for _, needle in ipairs(sift.told) do
    if not string.find(head, needle, 1, true) then return false end
  end
  local expires = sift.now and tonumber(string.match(head, '"e_":(-?%d+)'))
  if expires and expires < sift.now then return false end
  if not sift.since and not sift['until'] then return true end
  local moment = tonumber(string.match(head, '"w_":(-?%d+)'))
  return moment and (not sift.since or moment >= sift.since) and (not sift['until'] or moment <= sift['until'])
end

-- sift: any: lists of pieces of a row, of each of which it has one; none: pieces it has none of; told: all of which it has, if it
-- tells of them; since, until, now: microseconds; statuses, if they matter. Places in `docs`, at most 1000, of those that may pass.
-- A row is searched as text: in its strings no quote stands without a backslash.
local function passing(docs, sift)
  if #docs == 0 then return {} end
  local rows = call('HMGET', key('rows'), unpack(docs))
  local states = sift.statuses and call('HMGET', key('states'), unpack(docs))
  local found, wanted = {}, {}
  for _, status in ipairs(sift.statuses or {}) do wanted[status] = true end
  for place, row in ipairs(rows) do
    local passes = row and not has(row, sift.none)
    if passes and states then passes = states[place] and wanted[string.match(states[place], '^%S+')] end
    for _, needles in ipairs(passes and sift.any or {}) do passes = passes and has(row, needles) end
    if passes and told_fits(row, sift) then found[#found + 1] = place end
  end
  return found
end

-- What `shown` gives of those that may pass.
local function shown_of(docs)
  if not given.sift then return shown(docs) end
  local fit = {}
  for from = 1, #docs, PORTION do
    local some = {unpack(docs, from, math.min(from + PORTION - 1, #docs))}
    for _, place in ipairs(passing(some, given.sift)) do fit[#fit + 1] = some[place] end
  end
  return shown(fit)
end

local ops = {}

-- given: words, groups (their names; without any, what holds for all items). Items, terms and space of the store; for each group its
-- number, items and terms; how many items of the groups have each word. Nothing when it must be measured first.
function ops.told()
  settle()
  if call('HEXISTS', key('totals'), 'measured') == 1 then return false end
  local store = call('HMGET', key('totals'), 'items', 'tokens', 'model', 'dimensions')
  if not given.groups then
    return {store, {}, {}, {}, #given.words > 0 and call('HMGET', key('terms'), unpack(given.words)) or {}}
  end
  local numbers, sizes, lengths, having = {}, {}, {}, {}
  for at, name in ipairs(given.groups) do
    numbers[at] = call('HGET', key('groups'), name)
    sizes[at] = call('HGET', key('sizes'), name)
    lengths[at] = call('HGET', key('lengths'), name)
  end
  for at, word in ipairs(given.words) do
    having[at] = 0
    for group = 1, #given.groups do
      if numbers[group] then
        having[at] = having[at] + call('STRLEN', key('words:' .. numbers[group] .. ':' .. word)) / 8
      end
    end
  end
  return {store, numbers, sizes, lengths, having}
end

-- Count the terms of some items that an earlier layout holds; gives how many numbers are left to be looked at.
function ops.measure()
  local to = call('HMGET', key('totals'), 'measured', 'measure_to')
  if not to[1] then return 0 end
  local from, last = tonumber(to[1]), tonumber(to[2])
  local upto = math.min(from + PORTION, last)
  for doc = from + 1, upto do
    local row = call('HGET', key('rows'), int(doc))
    if row then
      local meta = cjson.decode(row)
      count('lengths', meta.g, meta.n)
    end
  end
  if upto < last then
    call('HSET', key('totals'), 'measured', int(upto))
  else
    call('HDEL', key('totals'), 'measured', 'measure_to')
  end
  return last - upto
end

-- given: dimensions (of vectors that come along), session, turn, hide, show; then row, document, state, vector of each item.
function ops.write()
  settle()
  if given.dimensions and call('HGET', key('totals'), 'dimensions') ~= int(given.dimensions) then return 'space' end
  for at = 3, #ARGV, 4 do put(ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]) end
  if given.session then
    turned(given.hide, 'active', 'hidden')
    turned(given.show, 'hidden', 'active')
    call('HSET', key('followed'), given.session, given.turn)
  end
  return 'ok'
end

-- given: model, dimensions; then id and vector of each.
function ops.embed()
  local known = call('HMGET', key('totals'), 'model', 'dimensions')
  if known[1] ~= given.model or known[2] ~= int(given.dimensions) then
    total('removals', call('HLEN', key('vectors')) + 1)
    call('DEL', key('vectors'), key('vchanges'), key('vgone'))
    call('ZUNIONSTORE', key('bare'), 1, key('ids'))
    call('HSET', key('totals'), 'model', given.model, 'dimensions', int(given.dimensions))
  end
  for at = 3, #ARGV, 2 do
    local doc = call('HGET', key('docs'), ARGV[at])
    if doc then
      set_vector(doc, ARGV[at], group_of(cjson.decode(call('HGET', key('rows'), doc))), ARGV[at + 1])
    end
  end
  return 'ok'
end

-- given: ids, moment (microseconds, as text), at (as it is read back).
function ops.used()
  for _, doc in ipairs(docs_of(given.ids)) do
    local status, uses, moment, at = string.match(call('HGET', key('states'), doc), '^(%S+) (%d+) (%S+) (.*)$')
    if moment ~= given.moment then
      if moment == '-' or tonumber(moment) < tonumber(given.moment) then moment, at = given.moment, given.at end
      call('HSET', key('states'), doc, status .. ' ' .. int(uses + 1) .. ' ' .. moment .. ' ' .. at)
    end
  end
  return 'ok'
end

function ops.delete()
  settle()
  return remove(docs_of(given.ids))
end

function ops.unfollow()
  local gone = 0
  for _, session in ipairs(given.sessions) do gone = gone + call('HDEL', key('followed'), session) end
  return gone
end

-- given: docs, sift. Places of those that may pass.
function ops.sift() return passing(given.docs, given.sift) end

function ops.ids() return shown(docs_of(given.ids)) end

-- given: sets, names of sets of numbers; sift, if it matters.
function ops.sets()
  local seen, docs = {}, {}
  for _, name in ipairs(given.sets) do
    for _, doc in ipairs(call('SMEMBERS', key(name))) do
      if not seen[doc] then
        seen[doc] = true
        docs[#docs + 1] = doc
      end
    end
  end
  return shown_of(docs)
end

-- given: places, lists of places by session; sift, if it matters.
function ops.around()
  local docs = {}
  for session, places in pairs(given.places) do
    for _, place in ipairs(places) do
      for _, doc in ipairs(call('ZRANGEBYSCORE', key('messages:' .. session), place, place)) do docs[#docs + 1] = doc end
    end
  end
  return shown_of(docs)
end

-- Whether a text comes before another, byte by byte as ZRANGEBYLEX has them: Lua's own comparison heeds the locale.
local function before(one, other)
  for at = 1, math.min(#one, #other) do
    local left, right = string.byte(one, at), string.byte(other, at)
    if left ~= right then return left < right end
  end
  return #one < #other
end

-- given: names of sorted sets of ids, after, limit, look (at most 1000); sift, if it matters. The last id that was looked at, of at most `look` behind
-- `after`; whether there may be more; and what `shown` gives of the first `limit` of them that may pass.
function ops.browse()
  local seen, ids = {}, {}
  for _, name in ipairs(given.names) do
    local from = given.after == '' and '-' or '(' .. given.after
    for _, id in ipairs(call('ZRANGEBYLEX', key(name), from, '+', 'LIMIT', 0, given.look)) do
      if not seen[id] then
        seen[id] = true
        ids[#ids + 1] = id
      end
    end
  end
  if #given.names > 1 then table.sort(ids, before) end
  while #ids > given.look do ids[#ids] = nil end
  local more, last = #ids == given.look, ids[#ids] or given.after
  local docs, of = {}, {}
  for place, doc in ipairs(#ids > 0 and call('HMGET', key('docs'), unpack(ids)) or {}) do
    if doc then
      docs[#docs + 1] = doc
      of[#of + 1] = ids[place]
    end
  end
  if given.sift then
    local fit = {}
    for _, place in ipairs(passing(docs, given.sift)) do
      if #fit == given.limit then
        more = true
        break
      end
      fit[#fit + 1] = docs[place]
      if #fit == given.limit and place < #docs then last = of[place] end
    end
    docs = fit
  end
  return {last, more and 1 or 0, shown(docs)}
end

return ops[ARGV[1]]()
