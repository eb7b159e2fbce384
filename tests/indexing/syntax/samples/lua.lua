local M = {}
local util = require("shop.util")
require "shop.setup"

M.limit = 10

--- Opens a cart.
---@param name string
function M.open(name)
  util.log(name)
  return M:check(name)
end

function M:check(name)
  return setmetatable({}, { __index = M })
end

M.close = function()
  helper()
end

local function helper() end

function shout() end

local Handlers = {
  add = function(line) end,
  ["remove"] = function(line) end,
}

return M
