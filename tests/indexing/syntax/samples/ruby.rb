require "json"
require_relative "store/disk"

# Everything that keeps things.
module Shop
  VERSION = "1.2"
  Point = Struct.new(:x, :y) do
    def far?; end
  end

  # A cart of lines.
  # It is not shared.
  class Cart < Store::Base
    include Comparable
    autoload :Line, "shop/line"
    attr_reader :lines, :owner

    def initialize(owner, lines: [])
      @owner = owner
      log_it
      Store::Disk.open(owner).each { |line| add(line) }
    end

    def self.load(path) = new(JSON.parse(path))

    def <=>(other)
      total <=> other.total
    end
    alias_method :compare, :<=>

    private

    def recount
      raise Store::Broken, "no"
    end
  end

  class Cart::Line; end
end

def main(args)
  Shop::Cart.load(args.first)
end
