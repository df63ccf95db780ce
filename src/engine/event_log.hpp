// The events of a Model Exchange run as a CSV file: one row per event, written after the event is handled.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "describe/description.hpp"
#include "solve/integrate.hpp"

namespace consort::engine {

class EventLog {
 public:
  // Writes the header. Throws Error (input) if the file cannot be written.
  EventLog(const std::filesystem::path& file, const describe::Description& description);

  // Writes a row: time, n (superdense time: the round of the event iteration in which the event was settled), cause
  // ("state", "time", "step" or several joined by "+"), indicators that crossed zero ("gap falling"; "indicator 2
  // rising" if they have no names), event iterations.
  void add(const solve::EventRecord& event);

 private:
  [[nodiscard]] std::string indicators(const solve::EventRecord& event) const;

  std::vector<std::string> names_;  // names of event indicators (FMI 3.0)
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::optional<Time> last_;  // time of the last event
  std::uint64_t n_ = 0;       // rounds at that time so far
};

}  // namespace consort::engine
