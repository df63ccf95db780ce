// Takes rows off the step path: a writer thread passes them to any number of sinks.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "os/emergency_drain.hpp"
#include "record/row_ring.hpp"
#include "record/sink.hpp"

namespace consort::record {

// One thread, the caller, must call begin(), write(), flush() and end(). A row costs the caller about one copy; it
// waits only if the buffer is full, and in flush() and end(). begin() and end() of the sinks also run in that thread;
// all other sink functions run in the writer thread, which also flushes sinks that have received no rows for a second.
// If a unit crashes the process, the writer gets half a second to write the buffered rows (os/emergency_drain.hpp).
//
// A sink that fails gets no further rows; the other sinks continue. The next write(), flush() or end() throws its
// exception.
class BufferedSink : public Sink {
 public:
  // The default fits into a cache. Real-time runs must not wait for a disk and use the larger capacity.
  static constexpr std::size_t default_capacity = std::size_t{512} << 10;
  static constexpr std::size_t patient_capacity = std::size_t{4} << 20;

  // The sinks must outlive this object. `capacity` is in bytes; it is rounded up to a power of 2 that holds at least
  // two rows.
  explicit BufferedSink(std::span<Sink* const> sinks, std::size_t capacity = default_capacity);
  // Calls end() if necessary and ignores errors; call end() yourself to get them.
  ~BufferedSink() override;
  BufferedSink(const BufferedSink&) = delete;
  BufferedSink& operator=(const BufferedSink&) = delete;

  // Begins every sink. If one throws, the sinks begun before are ended.
  void begin(const Header& header) override;
  // Returns true if all sinks resume. Throws Error (input) if only some do.
  bool resume(const Header& header, std::uint64_t rows, const KnownRow* last) override;
  // Neither allocates nor locks while the buffer has room, unless texts are larger than half of the buffer.
  void write(Time t, const Columns& row) override;
  // Returns after all rows were passed to the sinks and the sinks were flushed.
  void flush() override;
  void add_table(const Table& table) override { tables_.push_back(table); }  // passed on in end()
  void end() override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

  // For callers that write values directly, if no signal is a text (String, Binary): returns the memory of the next
  // row, to be filled before end_row(). The elements of a type begin at offset(type), in the order of the header;
  // Float64 elements begin at 0.
  [[nodiscard]] std::byte* begin_row(Time t);
  void end_row() { ring_->publish(); }
  [[nodiscard]] std::size_t offset(Type type) const { return offsets_[static_cast<std::size_t>(type)]; }

 private:
  struct Part {
    Type type = Type::Float64;
    std::size_t count = 0;
    std::size_t offset = 0;
  };
  struct Target {
    Sink* sink = nullptr;
    bool failed = false;
    bool takes_batches = true;  // until write_batch() returns false
  };

  void lay_out(const Header& header);
  void start();
  std::byte* reserve(std::size_t size);
  std::byte* wait_for_room(std::size_t size);
  [[nodiscard]] bool is_half_empty() const { return ring_->produced() - ring_->consumed() <= ring_->capacity() / 2; }
  void wake();
  void throw_failure();
  void report_failure();
  [[nodiscard]] std::size_t text_size(const Columns& row) const;
  void encode(std::byte* to, const Columns& row) const;
  void end_sinks();

  // The writer thread:
  void work();
  bool drain();
  bool drain_batch();
  void give_room();
  void hand_over(std::span<const std::byte> record, bool to_all);
  void drain_and_stay();
  void decode(std::span<const std::byte> record);
  void flush_sinks();
  template <class Action>
  void attempt(Target& target, Action&& action);

  std::vector<Target> targets_;
  std::size_t begun_ = 0;
  std::vector<Table> tables_;
  std::size_t capacity_;
  std::vector<Part> parts_;       // numbers
  std::vector<Part> text_parts_;  // String, Binary
  std::array<std::size_t, type_count> offsets_{};
  std::size_t fixed_size_ = 0;  // bytes of the numbers of a row
  bool only_doubles_ = false;
  std::unique_ptr<RowRing> ring_;
  std::uint64_t look_at_ = 0;  // position at which the producer checks whether the writer lags behind

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable to_writer_;
  std::condition_variable to_caller_;
  bool ready_ = false;  // mutex_ protects this and the next four members
  bool writer_wanted_ = false;
  std::uint64_t flushes_wanted_ = 0;
  std::uint64_t flushes_done_ = 0;
  bool stop_ = false;
  std::atomic<bool> caller_waits_{false};  // the caller waits for room
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;  // set before failed_
  bool reported_ = false;       // the caller has received the exception
  os::EmergencyDrain emergency_;

  Columns row_;  // used by the writer
  bool dirty_ = false;
  std::chrono::steady_clock::time_point last_flush_{};
};

}  // namespace consort::record
