# frozen_string_literal: true

require 'json'

LIMIT = 10

# Money things.
module Bank
  VERSION = '1.0'

  # An account.
  #
  # Holds money.
  class Account < Base
    include Comparable
    attr_accessor :owner, :balance

    Entry = Struct.new(:amount, :at) do
      def label
        "#{amount} at #{at}"
      end
    end

    class << self
      def open(owner)
        new(owner)
      end

      private

      def secret; end
    end

    def self.find(id, scope: nil)
      local = id
      LOCAL_LOOKING = local
    end

    # Makes one.
    def initialize(owner, balance = 0)
      @owner = owner
      @balance = balance
    end

    def deposit(amount) # how much
      raise ArgumentError unless amount.positive?

      @balance += amount
    end

    def balance=(value)
      @balance = value
    end

    def empty? = @balance.zero?

    def <=>(other)
      balance <=> other.balance
    end

    def [](index)
      index
    end

    def method_missing(name, *args, &block)
      super
    end

    class Error < StandardError; end

    private

    def audit!
      [1, 2].each do |x|
        puts x
      end
    end
  end

  module_function

  def convert(amount, to:)
    amount * to
  end
end

class Bank::Branch
  def address; end
end

def Bank.close(account)
  account.balance = 0
end

def main
  puts 'x'
end

class Größe
end

if __FILE__ == $PROGRAM_NAME
  main
end
