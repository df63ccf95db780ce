// Records the unit calls and engine activities of every thread with their times, for --trace.
//
// Every thread records to its own preallocated track; no file is written and no memory is allocated during a run.
// Records that do not fit are counted and dropped. Only one thread at a time may record to a track; call all other
// functions only while nothing is being recorded.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace consort::fleet {

class Timeline {
 public:
  using Clock = std::chrono::steady_clock;

  // An activity of the engine, from activity(): routing, recording, ….
  struct Activity {
    std::uint32_t index = 0;
  };

  // Track 0 belongs to the thread that runs the simulation. Each track holds up to `capacity` records.
  explicit Timeline(unsigned tracks, std::size_t capacity = std::size_t{1} << 20);

  // Call before the run. Equal names return the same activity.
  [[nodiscard]] Activity activity(std::string_view name);
  void name_track(unsigned track, std::string_view name);

  // `simulated`: simulated time to show; NaN: show no time.
  void unit(unsigned track, std::uint32_t id, Clock::time_point begin, Clock::time_point end, Time simulated) noexcept {
    add(track, {id, begin, end, simulated});
  }
  void activity(unsigned track, Activity what, Clock::time_point begin, Clock::time_point end) noexcept {
    add(track, {what.index | activity_bit, begin, end, no_time});
  }

  // Records an activity until the end of the scope. Does nothing if the timeline is null. Spans may be nested.
  class Span {
   public:
    Span(Timeline* timeline, Activity what, unsigned track = 0) noexcept
        : timeline_(timeline), what_(what), track_(track) {
      if (timeline_ != nullptr) begin_ = Clock::now();
    }
    ~Span() {
      if (timeline_ != nullptr) timeline_->activity(track_, what_, begin_, Clock::now());
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    Timeline* timeline_;
    Activity what_;
    unsigned track_;
    Clock::time_point begin_{};
  };

  [[nodiscard]] unsigned tracks() const { return static_cast<unsigned>(tracks_.size()); }
  [[nodiscard]] std::uint64_t recorded() const;
  [[nodiscard]] std::uint64_t dropped() const;  // records that did not fit

  // Writes the Trace Event Format of chrome://tracing and Perfetto, one track per thread. `units`: unit names by id.
  // Throws Error (run) that names the file if it cannot be written.
  void write_chrome_trace(const std::filesystem::path& file, std::span<const std::string> units) const;

 private:
  static constexpr std::uint32_t activity_bit = std::uint32_t{1} << 31;
  static constexpr Time no_time = std::numeric_limits<Time>::quiet_NaN();

  struct Record {
    std::uint32_t what = 0;
    Clock::time_point begin{};
    Clock::time_point end{};
    Time simulated = no_time;
  };
  // Aligned so that tracks of different threads share no cache line.
  struct alignas(64) Track {
    std::string name;
    std::vector<Record> records;
    std::uint64_t dropped = 0;
  };

  void add(unsigned track, const Record& record) noexcept {
    Track& to = tracks_[track];
    if (to.records.size() < to.records.capacity()) {
      to.records.push_back(record);
    } else {
      ++to.dropped;
    }
  }
  [[nodiscard]] std::string_view name_of(std::uint32_t what, std::span<const std::string> units) const;

  Clock::time_point begin_ = Clock::now();
  std::vector<Track> tracks_;
  std::vector<std::string> activities_;
};

}  // namespace consort::fleet
