// Rows of chosen variables to sinks, whatever runs them. Sinks are ended also after a failure.
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
  // `names`: what to record; none: the outputs, without clocks. Throws Error (input) for names that do not exist and
  // for clocks.
  MeRecorder(unit::Variables& source, std::span<const std::string> names, const StartValues& starts,
             std::span<record::Sink* const> sinks);
  // Ends what end() has not ended; after a failure, which is then the one to tell, not that of a sink on top of it.
  ~MeRecorder();
  MeRecorder(const MeRecorder&) = delete;
  MeRecorder& operator=(const MeRecorder&) = delete;

  void begin(const RunPlan& plan);
  // Reads the variables and writes a row.
  void write(Time t);
  // Ends every sink that was begun, whatever the others say; throws the first complaint.
  void end();
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // "'x' is not a number (NaN) from t = 1 s on"; empty when all was well.
  [[nodiscard]] const std::string& warning() const { return warning_; }

 private:
  void watch_for_nan(Time t);

  unit::Variables& source_;
  const StartValues& starts_;
  std::span<record::Sink* const> sinks_;
  describe::SignalSet signals_;
  Columns row_;
  std::uint64_t rows_ = 0;
  std::string warning_;
  std::size_t begun_ = 0;  // sinks
};

}  // namespace consort::engine
