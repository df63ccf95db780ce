#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/pace.hpp"
#include "engine/simulation_impl.hpp"
#include "report/growth_watch.hpp"

namespace consort::engine {

// Writes checkpoints during a run. Does nothing unless they were requested.
class Simulation::Impl::Checkpoints {
 public:
  explicit Checkpoints(Impl& impl) : impl_(impl) {
    if (impl_.o_.checkpoint_every) next_ = count(impl_.state_.t) + 1;
  }
  void write_when_due(SystemRecorder& recorder) {
    if (next_ == 0 || count(impl_.state_.t) < next_) [[likely]]
      return;
    next_ = count(impl_.state_.t) + 1;
    write(recorder);
  }
  // Writes a checkpoint when a run is stopped on request, so that it can resume.
  void end(SystemRecorder& recorder) {
    const auto* const stop = impl_.o_.stop_requested;
    const bool stopped = stop != nullptr && stop->load(std::memory_order_relaxed);
    if (next_ != 0 && stopped && (written_ == 0 || last_ != impl_.state_.t)) write(recorder);
  }
  void tell(std::vector<std::string>& notes) const {
    if (written_ == 0 && next_ != 0 && !failed_)
      notes.push_back(fmt::format("no checkpoint was written, because the run is shorter than the {} s between them",
                                  *impl_.o_.checkpoint_every));
    if (written_ == 0) return;
    notes.push_back(fmt::format("{} checkpoint{}, the last one at t = {} s: {}", written_, written_ == 1 ? "" : "s",
                                last_, impl_.o_.checkpoint_file));
  }

 private:
  // The number of checkpoint times up to t.
  [[nodiscard]] std::uint64_t count(Time t) const {
    const auto& e = impl_.experiment_;
    return static_cast<std::uint64_t>((t - e.start + e.slack()) / *impl_.o_.checkpoint_every);
  }
  // Flush rows first: a checkpoint must not count rows that are not in the file.
  void write(SystemRecorder& recorder) {
    recorder.flush();
    try {
      impl_.save(impl_.o_.checkpoint_file, recorder.rows(), recorder.last_row());
      last_ = impl_.state_.t;
      ++written_;
    } catch (const Error& error) {  // e.g. a full disk, which must not end a long run
      if (std::exchange(failed_, true)) return;
      impl_.report_.warnings.push_back(fmt::format("no checkpoint at t = {} s: {}", impl_.state_.t, error.what()));
    }
  }

  Impl& impl_;
  std::uint64_t next_ = 0;  // next checkpoint, counted from 1; 0: not requested
  std::uint64_t written_ = 0;
  Time last_ = 0;
  bool failed_ = false;
};

// Reports progress and handles requests to stop; reads the clock rarely if steps are fast.
class Simulation::Impl::Look {
 public:
  Look(Impl& impl, Clock::time_point begun) : impl_(impl), begun_(begun), last_(begun) {}
  void around() {
    const auto* const stop = impl_.o_.stop_requested;
    if (stop != nullptr && stop->load(std::memory_order_relaxed) && !impl_.done())
      impl_.report_.ended_early = fmt::format("stopped on request at t = {} s", impl_.state_.t);
    if (!impl_.o_.progress || ++since_ < every_) return;
    since_ = 0;
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    if (passed < 0.02 && every_ < 65536) every_ *= 2;
    if (passed > 0.2 && every_ > 1) every_ /= 2;
    if (passed < 0.02) return;
    last_ = now;
    const auto& e = impl_.experiment_;
    impl_.o_.progress({e.start, impl_.state_.t, e.stop, impl_.varies_ ? impl_.state_.control.taken : e.step,
                       std::chrono::duration<double>(now - begun_).count(), impl_.report_.began});
  }

 private:
  Impl& impl_;
  Clock::time_point begun_, last_;
  std::uint32_t since_ = 0;
  std::uint32_t every_ = 1;
};

namespace {

struct OutputElements {
  std::vector<double> nominals;
  std::vector<std::string> names;
};
OutputElements output_elements(const graph::Plan& plan) {
  // External signals are not watched for growth.
  OutputElements all{std::vector<double>(plan.output_count[float64], std::numeric_limits<double>::infinity()),
                     std::vector<std::string>(plan.output_count[float64])};
  for (const auto& unit : plan.units) {
    const auto& choice = unit.outputs.choice();
    for (std::size_t i = 0; i < choice.size(); ++i) {
      const auto place = unit.outputs.place(i);
      const auto& v = (*unit.description)[choice[i]];
      if (place.type != Type::Float64) continue;
      for (std::uint32_t e = 0; e < place.count; ++e) {
        const auto element = unit.first_output[float64] + place.first + e;
        all.nominals[element] = std::abs(v.nominal) > 0 && std::isfinite(v.nominal) ? std::abs(v.nominal) : 1.0;
        all.names[element] = unit.path_of(unit.starts.element_name(*unit.description, v, e));
      }
    }
  }
  return all;
}

}  // namespace

void Simulation::Impl::warn_of_growth(const report::GrowthWatch& watch, const std::vector<std::string>& names) {
  const auto found = watch.growth();
  if (!found) return;
  report_.warnings.push_back(
      fmt::format("'{}' grows without end, to {:.3g} at t = {} s: unless the model itself is unstable, the coupling is "
                  "unstable and the result is useless; use shorter steps, or the stepper 'iterated'",
                  names[found->signal], found->value, state_.t));
}

report::SystemReport Simulation::Impl::run(std::span<record::Sink* const> sinks) {
  SystemRecorder recorder =
      o_.solo ? SystemRecorder(plan_, UnitVariables{o_.solo->variables}, sinks)
              : SystemRecorder(plan_, o_.run.record.variables, sinks, {varies_, controller_->estimated()});
  if (!o_.solo) {
    recorder.set_tables([this, &recorder] {
      report_.rows = recorder.rows();
      return report().tables();
    });
  }
  report_.records_trust = recorder.has_trust();
  if (varies_ && plan_.find_unit("trust") != graph::no_unit)
    report_.notes.emplace_back(
        "a unit is called 'trust', so that step sizes and errors (trust.*) are not recorded; give it another name");
  Pace pace(o_.run.real_time, o_.stop_requested);
  initialize();
  recorder.leave_out_unreadable(*fleet_);
  begin_recording(recorder);
  if (runs_ahead()) o_.solo->ahead->listen([&](Time t) { recorder.write(t, *o_.solo->ahead); });
  const auto loop_begun = Clock::now();
  pace.begin(state_.t);
  Look look(*this, loop_begun);
  Checkpoints checkpoints(*this);
  auto& growth = state_.memory.stays.at(growth_);
  const auto outputs = output_elements(plan_);
  const bool watches_growth = !o_.solo;  // growth in a single unit is not caused by coupling
  while (!done()) {
    const Time wanted = experiment_.output_point(state_.rows.next);
    Time limit = unit::never;
    if (all_vary_) limit = wanted;
    const Time begin = state_.t;
    const Time jump = stays_at_events_ ? point_->next_event(state_) : unit::never;
    advance(limit);
    const fleet::Timeline::Span recording(timeline_.get(), recording_);
    bool row = experiment_.records(state_.t, wanted);
    const bool settles = stays_at_events_ && has_event(begin, jump);
    if (settles) {
      recorder.write(state_.t, *fleet_, state_);
      settle_event();
      row = true;
    }
    if (row) {
      if (experiment_.output_interval > 0)
        while (experiment_.output_point(state_.rows.next) <= state_.t + experiment_.slack()) ++state_.rows.next;
      ++state_.rows.points;
      row = o_.run.record.every == 1 || state_.rows.points % o_.run.record.every == 0;
    }
    if (row && o_.run.record.substeps && report_.ended_early.empty())
      recorder.write_parts(point_->begun(), state_.t, *fleet_);
    const bool is_new = settles || state_.t > begin;  // false: a unit that runs alone ends the run where it is
    if (is_new && (row || done())) {
      recorder.write(state_.t, *fleet_, state_);
    } else if (o_.run.record.substeps) {
      recorder.look(*fleet_, state_);
    }
    if (watches_growth && growth.is_due()) growth.look(state_.signals.outputs.column<double>(), outputs.nominals);
    checkpoints.write_when_due(recorder);
    pace.wait(state_.t);
    look.around();
  }
  checkpoints.end(recorder);
  report_.run_seconds = seconds_since(loop_begun);
  if (o_.solo && o_.solo->keep_final_state) {
    fleet_->save(*saved_);
    final_state_ = fleet_->serialise(*saved_, 0);
  }
  terminate();
  if (watches_growth) warn_of_growth(growth, outputs.names);
  checkpoints.tell(report_.notes);
  for (auto& w : recorder.warnings()) report_.warnings.push_back(std::move(w));
  recorder.end();
  report_.rows = recorder.rows();
  report_.paced = o_.run.real_time.has_value();
  report_.overruns = pace.overruns();
  report_.latest = pace.latest();
  waited_ = pace.waited();
  if (timeline_) timeline_->write_chrome_trace(o_.trace_file, unit_names());
  return report();
}

// Begins recording, or appends to the rows of a checkpoint.
void Simulation::Impl::begin_recording(SystemRecorder& recorder) {
  if (o_.restart_from.empty()) {
    recorder.begin(facts());
  } else {
    const auto recorded = load(o_.restart_from);
    if (recorder.resume(facts(), recorded.rows, recorded.last_row)) {
      if (o_.run.record.substeps) recorder.look(*fleet_, state_);
      return;
    }
    if (recorded.rows > 1)
      report_.notes.push_back(fmt::format(
          "rows begin at t = {} s, where the run resumed; earlier rows are in the result of the interrupted run",
          state_.t));
  }
  recorder.write(state_.t, *fleet_, state_);
}

}  // namespace consort::engine
