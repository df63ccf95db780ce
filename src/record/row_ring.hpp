// Passes records from one thread to another: a lock-free ring buffer of bytes.
//
// One producer calls reserve() and publish(); one consumer calls front() and pop(). A record begins at a multiple of 8
// bytes and is contiguous: if it does not fit before the end of the ring, the remaining bytes there are skipped.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "base/error.hpp"

namespace consort::record {

class RowRing {
 public:
  // Holds at least `capacity` bytes. A record may have at most half of the capacity minus 8 bytes.
  explicit RowRing(std::size_t capacity)
      : capacity_(std::bit_ceil(std::max<std::size_t>(capacity, 64))),
        bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity_)) {}

  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t largest_record() const { return capacity_ / 2 - header_size; }

  // --- the producer

  // Returns space for a record of `size` bytes; null: the ring is too full.
  [[nodiscard]] std::byte* reserve(std::size_t size) {
    CONSORT_ASSERT(size <= largest_record());
    const std::size_t whole = header_size + round_up(size);
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    const std::size_t at = static_cast<std::size_t>(head) & (capacity_ - 1);
    const std::size_t to_end = capacity_ - at;
    const std::size_t skipped = whole > to_end ? to_end : 0;
    if (head + skipped + whole - tail_seen_ > capacity_) {
      tail_seen_ = tail_.load(std::memory_order_acquire);
      if (head + skipped + whole - tail_seen_ > capacity_) return nullptr;
    }
    if (skipped > 0) store(at, skip);
    const std::size_t begin = skipped > 0 ? 0 : at;
    store(begin, size);
    next_head_ = head + skipped + whole;
    return bytes_.get() + begin + header_size;
  }
  // Passes the record that was reserved last to the consumer.
  void publish() { head_.store(next_head_, std::memory_order_release); }

  // --- the consumer

  // Returns the oldest record, valid until pop(); data() is null if the ring is empty.
  [[nodiscard]] std::span<const std::byte> front() {
    std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_seen_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail == head_seen_) return {};
    }
    std::size_t at = static_cast<std::size_t>(tail) & (capacity_ - 1);
    if (load(at) == skip) {
      tail += capacity_ - at;
      at = 0;
    }
    const auto size = static_cast<std::size_t>(load(at));
    next_tail_ = tail + header_size + round_up(size);
    return {bytes_.get() + at + header_size, size};
  }
  // Call after front(), if all records have the same size. Returns the number of records, starting with that of
  // front(), that are contiguous in memory, stride() bytes apart; at most `most`. pop_many() removes that many.
  [[nodiscard]] std::size_t run(std::size_t size, std::size_t most) const {
    const std::size_t whole = stride(size);
    const std::uint64_t begin = next_tail_ - whole;
    const std::size_t at = static_cast<std::size_t>(begin) & (capacity_ - 1);
    return std::min({most, static_cast<std::size_t>(head_seen_ - begin) / whole, (capacity_ - at) / whole});
  }
  [[nodiscard]] static std::size_t stride(std::size_t size) { return header_size + round_up(size); }
  void pop_many(std::size_t size, std::size_t count) {
    tail_.store(next_tail_ + (count - 1) * stride(size), std::memory_order_release);
  }
  void pop() { tail_.store(next_tail_, std::memory_order_release); }

  // --- any thread

  // Bytes produced and consumed so far.
  [[nodiscard]] std::uint64_t produced() const { return head_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t consumed() const { return tail_.load(std::memory_order_acquire); }

 private:
  static constexpr std::size_t header_size = sizeof(std::uint64_t);
  static constexpr std::uint64_t skip = ~std::uint64_t{0};
  static std::size_t round_up(std::size_t size) { return (size + 7) & ~std::size_t{7}; }
  void store(std::size_t at, std::uint64_t value) { std::memcpy(bytes_.get() + at, &value, sizeof value); }
  [[nodiscard]] std::uint64_t load(std::size_t at) const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.get() + at, sizeof value);
    return value;
  }

  // Each thread has its own cache line, so that they interfere only once per lap or batch, not once per record.
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> bytes_;
  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::uint64_t next_head_ = 0;
  std::uint64_t tail_seen_ = 0;
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::uint64_t next_tail_ = 0;
  std::uint64_t head_seen_ = 0;
};

}  // namespace consort::record
