-- SPDX-License-Identifier: Apache-2.0
-- Endless work for Lua, in units of some milliseconds: strings, tables, sorting, closures, coroutines.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function words(seed)
    local list = {}
    for i = 1, 300 do list[i] = tostring((i * 7919 + seed) % 1000) .. 'x' end
    table.sort(list)
    local sum = 0
    for number in table.concat(list, ' '):gmatch('%d+') do sum = sum + #number end
    return sum
end

local function tree(depth)
    if depth == 0 then return {} end
    return {tree(depth - 1), tree(depth - 1)}
end

local function walk(node) return node[1] and 1 + walk(node[1]) + walk(node[2]) or 1 end

local function produce() for i = 1, 300 do coroutine.yield(i) end return 0 end

local n = 0
while true do
    local sum = 0
    pcall(function()
        sum = words(n) + fib(16) + walk(tree(8))
        for i in coroutine.wrap(produce) do sum = sum + i; if i == 0 then break end end
        error('as it happens')
    end)
    n = n + 1
    io.write(n, '\n')
    io.flush()
end
