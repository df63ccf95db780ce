// Rows off the step path: one writer thread hands them to any number of sinks.
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

// begin(), write(), flush() and end() are called by one thread. A row costs it about one copy; it waits only when the
// buffer is full, and for flush() and end(). The sinks' begin() and end() run on that thread too, everything else on
// the writer's, which also flushes sinks that have received no rows for a second. When a unit takes the process down,
// the writer still gets half a second for what is in the buffer (base/emergency_drain.hpp).
//
// A sink that fails gets no further rows, the others do. Its exception comes out of the next write(), flush() or end().
class BufferedSink : public Sink {
 public:
  // Small enough to stay in a cache; a run that keeps up with the clock must not wait for a disk, and takes more.
  static constexpr std::size_t default_capacity = std::size_t{512} << 10;
  static constexpr std::size_t patient_capacity = std::size_t{4} << 20;

  // The sinks must outlive this. `capacity` in bytes, more if a row needs it: a power of 2 that holds two rows.
  explicit BufferedSink(std::span<Sink* const> sinks, std::size_t capacity = default_capacity);
  // Ends what end() has not ended; call it to hear about failures.
  ~BufferedSink() override;
  BufferedSink(const BufferedSink&) = delete;
  BufferedSink& operator=(const BufferedSink&) = delete;

  // Begins every sink; when one throws, those begun before are ended.
  void begin(const Header& header) override;
  // True when every sink goes on; Error (input) when only some do.
  bool resume(const Header& header, std::uint64_t rows, const KnownRow* last) override;
  // Neither allocates nor locks while there is room, unless texts are larger than half of the buffer.
  void write(Time t, const Columns& row) override;
  // Returns when all rows are in the sinks and these are flushed.
  void flush() override;
  void add_table(const Table& table) override { tables_.push_back(table); }  // they go on in end()
  void end() override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

  // For callers that gather values themselves, if no signal is a text (String, Binary): the place of the next row in
  // the buffer, to be filled before end_row(). The elements of a type stand at offset(type), in the order of the
  // header; Float64 come first, at 0.
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
    bool takes_batches = true;  // until it says otherwise
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

  // The writer's thread.
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
  std::size_t fixed_size_ = 0;  // of the numbers of a row
  bool only_doubles_ = false;
  std::unique_ptr<RowRing> ring_;
  std::uint64_t look_at_ = 0;  // where the producer looks whether the writer is behind

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable to_writer_;
  std::condition_variable to_caller_;
  bool ready_ = false;  // these five under the mutex
  bool writer_wanted_ = false;
  std::uint64_t flushes_wanted_ = 0;
  std::uint64_t flushes_done_ = 0;
  bool stop_ = false;
  std::atomic<bool> caller_waits_{false};  // for room
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;  // set before failed_
  bool reported_ = false;       // the caller knows
  os::EmergencyDrain emergency_;

  Columns row_;  // the writer's
  bool dirty_ = false;
  std::chrono::steady_clock::time_point last_flush_{};
};

}  // namespace consort::record
