#include "host/pool_fleet.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace consort::host {

using unit::UnitId;
using Clock = unit::Timeline::Clock;

namespace {

// Lists that were seen; a caller that makes up new ones all the time does not fill the memory.
constexpr std::size_t most_waves = 4096;

unsigned useful_threads(std::size_t units, unsigned threads) {
  return static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(units, 1)));
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

PoolFleet::PoolFleet(std::span<const std::unique_ptr<unit::Unit>> units, std::span<const unit::Ports> ports,
                     unsigned threads)
    : units_(units, ports),
      shares_(useful_threads(units.size(), threads)),
      times_(units.size(), 0.0),
      crew_(useful_threads(units.size(), threads)) {}

PoolFleet::~PoolFleet() {
  if (present_ != nullptr) finish();
}

void PoolFleet::submit(std::span<const UnitId> units, unit::Verb verb, const unit::StepRequest& request,
                       unit::Signals& signals) {
  if (present_ != nullptr) finish();
  const unit::Work work{verb, &request, &signals};
  const bool sample = verb == unit::Verb::step && sampling_(request.t);
  if (!sample && usual_) [[likely]] {
    if (Wave* const next = expected(units, verb)) [[likely]] {
      next->choice.passed();
      last_ = next;
      return units_.serve(units, work, served_);
    }
  }
  measured_ = sample || timeline_ != nullptr;
  if (units.size() < 2) return serve_here(units, work);
  Wave& wave = wave_of(units, verb);
  // Taking the times of units would be a part of the wave's; with a timeline it is a part of all.
  timed_ = wave.choice.timed() && (!sample || timeline_ != nullptr || wave.choice.fresh());
  if (timed_) begin_ = Clock::now();
  if (is_shared(wave)) {
    ++shared_waves_;
    work_ = work;
    present_ = &wave;
    return crew_.start(wave.placement.shares(), serve_share, this);
  }
  serve_here(units, work);
  learn(wave);
}

bool PoolFleet::wait() {
  if (present_ != nullptr) finish();
  return served_.settle();
}

void PoolFleet::serve_here(std::span<const UnitId> units, const unit::Work& work) {
  if (measured_) [[unlikely]]
    return units_.measure(units, work, served_, timeline_, 0);
  units_.serve(units, work, served_);
}

void PoolFleet::finish() {
  Wave& wave = *present_;
  crew_.finish();
  for (unsigned i = 0; i < wave.placement.shares(); ++i) served_.add(shares_[i].served);
  present_ = nullptr;
  learn(wave);
}

void PoolFleet::serve_share(void* self, unsigned share, unsigned thread) {
  auto& fleet = *static_cast<PoolFleet*>(self);
  const auto units = fleet.present_->placement.share(share);
  auto& served = fleet.shares_[share].served;
  if (fleet.measured_) [[unlikely]]
    return fleet.units_.measure(units, fleet.work_, served, fleet.timeline_, thread);
  fleet.units_.serve(units, fleet.work_, served);
}

// What a wave tells, now that it is over. Nothing is allocated, and next to nothing is done for most of them.
void PoolFleet::learn(Wave& wave) {
  if (timed_) {
    wave.choice.passed(seconds_since(begin_));
  } else {
    wave.choice.passed();
  }
  if (!measured_) [[likely]]
    return;
  const auto units = wave.placement.units();
  const auto times = std::span(times_).first(units.size());
  std::transform(units.begin(), units.end(), times.begin(), [&](UnitId id) { return units_.last_time(id); });
  wave.placement.learn(times);
  wave.choice.expect(wave.placement.sum(), wave.placement.longest());
}

// The short way for cheap waves. A list in the same place is the same list, most likely; for a wave in this thread,
// whose units are not taken from the one that is remembered, that will do: comparing would take longer than a cheap
// unit does.
PoolFleet::Wave* PoolFleet::expected(std::span<const UnitId> units, unit::Verb verb) const {
  Wave* const next = last_ != nullptr ? last_->next : nullptr;
  const bool same = next != nullptr && next->memory == units.data() && next->size == units.size() && next->verb == verb;
  return same && next->choice.quiet() ? next : nullptr;
}

PoolFleet::Wave& PoolFleet::wave_of(std::span<const UnitId> units, unit::Verb verb) {
  const auto is = [&](const Wave& wave) {
    const auto own = wave.placement.units();
    return wave.verb == verb && std::equal(own.begin(), own.end(), units.begin(), units.end());
  };
  const auto found = [&](Wave& wave) -> Wave& {
    wave.memory = units.data();
    wave.size = units.size();
    if (last_ != nullptr) last_->next = &wave;
    last_ = &wave;
    return wave;
  };
  if (last_ != nullptr && last_->next != nullptr && is(*last_->next)) [[likely]]
    return found(*last_->next);
  for (const auto& wave : waves_)
    if (is(*wave)) return found(*wave);
  if (waves_.size() == most_waves) {
    waves_.clear();
    last_ = nullptr;
  }
  waves_.push_back(std::make_unique<Wave>(Wave{verb, Placement(units, crew_.threads()), {}}));
  return found(*waves_.back());
}

void PoolFleet::save(std::span<const UnitId> units, unit::FleetSnapshot& snapshot) { units_.save(units, snapshot); }

}  // namespace consort::host
