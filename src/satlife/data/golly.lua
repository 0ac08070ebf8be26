-- Ask satlife about the selection, from Golly: open this file as a script (File > Run Script).
--
--   predecessor 1    what was the selection so many generations ago?  States above 1 may become anything.
--   orphan           or is there no past at all, whatever surrounds it?
--   oscillator 3     of this period in the box of the selection, live cells as they are; states above 1 are dead
--   ship c/4d        likewise, of this speed
--   eater NE         in the box of the selection, of a glider that flies there: NE, NW, SE or SW
--
-- The find replaces the selection, in its place; Undo brings the selection back.  SATLIFE names the program if it is not
-- on the PATH, SATLIFE_SECONDS how long Golly may wait (60), SATLIFE_QUESTION a question that is not asked for.

local g = golly()
local program = os.getenv("SATLIFE") or "satlife"
local seconds = tonumber(os.getenv("SATLIFE_SECONDS") or "") or 60

local box = g.getselrect()
if #box == 0 then g.exit("Select the cells you ask about first.") end
local x0, y0, width, height = table.unpack(box)

local prompt = "predecessor N, orphan, oscillator P, ship SPEED or eater HEADING?"
local question = os.getenv("SATLIFE_QUESTION") or g.getstring(prompt, "predecessor 1", "Ask satlife")
if not question:match("^[%w%s/().,+-]+$") then g.exit("That is no question: " .. question) end
local words = {}
for word in question:gmatch("%S+") do words[#words + 1] = word end
local kind, value = words[1], words[2]

-- Of LifeHistory and its kin we ask the rule without history; marked cells are alive (3, 5) or dead (4).
local rule, count = g.getrule():gsub(":.*", ""):gsub("History$", "")
local history = count > 0
local alive = { [1] = true, [3] = history, [5] = history }
local dead = { [0] = true, [4] = history }

-- What a cell says, by its state: dead cells are free where a pattern is sought around the live ones.
local seeks_around = kind == "oscillator" or kind == "ship"
local function symbol(state)
    if alive[state] then return "o" end
    if seeks_around then return state == 0 and "?" or "b" end
    return dead[state] and "b" or "?"
end

local function selection_as_rle(rule)
    local rows = { string.format("x = %d, y = %d, rule = %s", width, height, rule) }
    for y = y0, y0 + height - 1 do
        local row = {}
        for x = x0, x0 + width - 1 do row[#row + 1] = symbol(g.getcell(x, y)) end
        rows[#rows + 1] = table.concat(row) .. (y < y0 + height - 1 and "$" or "!")
    end
    return table.concat(rows, "\n") .. "\n"
end

local file, found, said = os.tmpname(), os.tmpname(), os.tmpname()
local stream = assert(io.open(file, "w"))
stream:write(string.format("#CXRLE Pos=%d,%d\n", x0, y0), selection_as_rle(rule))
stream:close()

local size = string.format("%dx%d", width, height)
local commands = {
    predecessor = string.format("predecessor '%s' -g %s --margin 2", file, value or "1"),
    orphan = string.format("orphan '%s'", file),
    oscillator = string.format("oscillator %s -p %s --known '%s' --at 0,0 -r '%s'", size, value or "2", file, rule),
    ship = string.format("spaceship %s -d '%s' --known '%s' --at 0,0 -r '%s'", size, value or "c/4d", file, rule),
    eater = string.format("eater %s --heading %s -r '%s'", size, value or "NE", rule),
}
if not commands[kind] then g.exit("There is no question '" .. tostring(kind) .. "': " .. prompt) end

g.show("satlife searches, for at most " .. seconds .. " s ...")
g.update()
local command = string.format("'%s' %s --time %s > '%s' 2> '%s'", program, commands[kind], seconds, found, said)
local _, _, code = os.execute(command)

local function contents(name)
    local opened = io.open(name)
    local text = opened and opened:read("a") or ""
    if opened then opened:close() end
    os.remove(name)
    return text
end

os.remove(file)
local answer, words_of_satlife = contents(found), contents(said):gsub("satlife: ", ""):gsub("%s+$", "")
if code == 0 and answer ~= "" then
    -- Predecessors say where they lie; the others lie in the box of the selection.
    local x, y = answer:match("#CXRLE Pos=(-?%d+),(-?%d+)")
    local placed = kind == "predecessor" or kind == "orphan"
    local left = tonumber(x or 0) + (placed and 0 or x0)
    local top = tonumber(y or 0) + (placed and 0 or y0)
    local body = answer:gsub("#[^\n]*\n", ""):gsub("^%s*x[^\n]*\n", "")
    g.clear(0)
    g.putcells(g.parse(body), left, top)
    g.fitsel()
end
g.show("satlife: " .. words_of_satlife)
