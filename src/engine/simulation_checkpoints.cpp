#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/checkpoint.hpp"
#include "engine/run_identity.hpp"
#include "engine/simulation_impl.hpp"

namespace consort::engine {

void Simulation::Impl::save(const std::string& file, std::uint64_t rows, std::string last_row) {
  require(initialized_ && !terminated_, "a simulation can be saved between initialize() and its end");
  require_serialization();
  Checkpoint c{identity(), state_.t, rows, std::move(last_row), {}, {}};
  ByteWriter run;
  couple::write(run, state_);
  c.run = text_of(run.take());
  fleet_->save(*saved_);
  for (UnitId u = 0; u < fleet_->size(); ++u) {
    ByteWriter unit;
    unit(text_of(fleet_->serialise(*saved_, u)), fleet_->counts(u));
    c.units.push_back(text_of(unit.take()));
  }
  write_checkpoint(file, c);
}

Simulation::Impl::Recorded Simulation::Impl::load(const std::string& file) {
  Checkpoint c = read_checkpoint(file);
  if (!initialized_) initialize();
  require_serialization();
  require_same_identity(c.identity, identity(), file);
  require(c.t <= experiment_.stop + experiment_.slack(),
          "the checkpoint '{}' is at t = {} s, after the stop time of {} s; choose a later stop time", file, c.t,
          experiment_.stop);
  ByteReader::check(c.units.size() == fleet_->size());
  std::vector<fleet::StepCounts> counts(fleet_->size());
  for (UnitId u = 0; u < fleet_->size(); ++u) {
    const auto bytes = bytes_of(c.units[u]);
    ByteReader reader(bytes);
    std::string state;
    reader(state, counts[u]);
    reader.expect_end();
    fleet_->deserialise(*saved_, u, bytes_of(state));
  }
  const auto run = bytes_of(c.run);
  ByteReader reader(run);
  couple::read(reader, state_);
  reader.expect_end();
  const auto estimated = state_.control.signals.size();
  ByteReader::check(std::isfinite(state_.t) && state_.t == c.t &&
                    (estimated == 0 || estimated == controller_->estimated().size()) &&
                    (state_.bonds.empty() || state_.bonds.size() == bonds_.size()) && point_->is_sound(state_));
  fleet_->restore(*saved_);
  for (UnitId u = 0; u < fleet_->size(); ++u) fleet_->go_on_from(u, counts[u]);
  report_.ended_early.clear();
  report_.began = state_.t;
  began_steps_ = state_.control.unit_steps;
  report_.notes.push_back(fmt::format("resumed from the checkpoint {} at t = {} s", file, state_.t));
  note_inexact_restart();
  return {c.rows, std::move(c.last_row)};
}

// Solvers that cannot save their history begin anew.
void Simulation::Impl::note_inexact_restart() {
  std::vector<std::string_view> units;
  for (UnitId u = 0; u < fleet_->size(); ++u)
    if (fleet_->traits(u).rollback == fleet::RollbackKind::state && !fleet_->traits(u).exact_restart)
      units.push_back(plan_.units[u].name);
  if (units.empty()) return;
  const bool one = units.size() == 1;
  report_.notes.push_back(fmt::format(
      "{} with a solver that begins anew at the checkpoint: the numbers agree with those of an uninterrupted run "
      "within "
      "the solver's tolerance, not exactly (the solver 'bdf' continues exactly)",
      one ? fmt::format("unit '{}' continues", units.front()) : fmt::format("units {} continue", some_of(units))));
}

const std::string& Simulation::Impl::identity() {
  if (identity_.empty()) identity_ = run_identity({plan_, o_.run, experiment_, files_}, tables_);
  return identity_;
}

// Throws Error (input) with alternatives if a unit cannot serialise its state.
void Simulation::Impl::require_serialization() const {
  for (UnitId u = 0; u < fleet_->size(); ++u) {
    if (fleet_->traits(u).serialises) continue;
    const auto& d = *plan_.units[u].description;
    throw input_error(
        "checkpoints need units that can serialise their state, but unit '{}' ({}) cannot; {}run without "
        "checkpoints",
        plan_.units[u].name, describe::name_of(d.version),
        d.interface(describe::InterfaceType::model_exchange) != nullptr && !fleet_->traits(u).responds_without_step
            ? "run it as Model Exchange (interface: me) if it can serialise its state there, or "
            : "");
  }
}

}  // namespace consort::engine
