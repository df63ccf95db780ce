// Writes rows of chosen variables to sinks, for a Model Exchange run. Sinks are also ended after a failure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "describe/signals.hpp"
#include "engine/run_plan.hpp"
#include "engine/start_values.hpp"
#include "record/sink.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

class MeRecorder {
 public:
  // `names`: variables to record; empty: the outputs without clocks. Throws Error (input) for unknown names and clocks.
  MeRecorder(unit::Variables& source, std::span<const std::string> names, const StartValues& starts,
             std::span<record::Sink* const> sinks);
  // Ends sinks that end() did not end. That happens after a failure, so it ignores errors of sinks.
  ~MeRecorder();
  MeRecorder(const MeRecorder&) = delete;
  MeRecorder& operator=(const MeRecorder&) = delete;

  // The source must be initialised. Leaves out variables that it refuses to read. `origin`: facts for the results.
  void begin(const RunPlan& plan, const std::vector<record::Fact>& origin);
  // Reads the variables and writes a row.
  void write(Time t);
  // Ends every sink that was begun, even if one of them throws; throws the first error.
  void end();
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // Variables left out, and "'x' is not a number (NaN) from t = 1 s on".
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void leave_out_unreadable();
  void watch_for_nan(Time t);

  unit::Variables& source_;
  const StartValues& starts_;
  std::span<record::Sink* const> sinks_;
  describe::SignalSet signals_;
  Columns row_;
  std::uint64_t rows_ = 0;
  std::vector<std::string> warnings_;
  bool met_nan_ = false;
  std::size_t begun_ = 0;  // number of sinks begun
};

}  // namespace consort::engine
