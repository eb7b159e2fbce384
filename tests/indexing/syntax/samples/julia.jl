module Shop
using LinearAlgebra: norm
import Base.show
include("till.jl")

"""A cart."""
struct Cart
    items::Vector{Int}
end

# Adds one.
function add(c::Cart, x)
    push!(c.items, x)
end

twice(c) = add(c, 2)
const MOST = 3
export add, Cart
end
