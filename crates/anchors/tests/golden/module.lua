#!/usr/bin/env lua
-- A module.
local M = {}

local VERSION = "1.0"
counter = 0

M.limit = 10

--- Adds.
-- @param a one
-- @param b two
function M.add(a, b)
  local sum = a + b
  local function helper(x)
    return x
  end
  return helper(sum)
end

function M:reset()
  self.count = 0
end

function M.deep.er.call() end

local function private(x) -- trailing
  return x
end

local bound = function(x)
  return x
end

M.assigned = function(...)
  return select("#", ...)
end

M.handlers = {
  open = function() return 1 end,
  close = function()
    return 2
  end,
  plain = 1,
  ["quoted"] = function() end,
}

function global_function()
end

local Class = setmetatable({}, { __index = M })
Class.__index = Class

function Class.new(name)
  local self = setmetatable({}, Class)
  self.on_event = function(e) end
  return self
end

local a, b = 1, 2

return M
