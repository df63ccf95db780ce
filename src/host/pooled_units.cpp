#include "host/pooled_units.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace consort::host {

using fleet::Local;
using Clock = fleet::Timeline::Clock;

namespace {

unsigned useful_threads(std::size_t units, unsigned threads) {
  return static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(units, 1)));
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

PooledUnits::PooledUnits(std::span<const fleet::UnitSpec> specs, const fleet::UnitFactory& factory, unsigned threads)
    : LocalUnits(specs, factory), times_(specs.size(), 0.0), crew_(useful_threads(specs.size(), threads)) {
  for (unsigned i = 0; i < crew_.threads(); ++i) shares_.push_back({fleet::Served(specs.size())});
}

PooledUnits::~PooledUnits() {
  if (present_ != nullptr) finish_present();
}

void PooledUnits::connect(const fleet::Wiring& wiring) {
  LocalUnits::connect(wiring);
  for (const auto& declared : wiring.waves) {
    auto& wave = waves_.emplace_back();
    wave.units = declared.units;
    if (wave.units.size() < 2) continue;
    for (auto& course : wave.courses)
      course = std::make_unique<Course>(Course{Placement(wave.units, crew_.threads()), {}});
  }
}

bool PooledUnits::submit(std::uint32_t index, const fleet::Work& work) {
  if (present_ != nullptr) finish_present();
  Wave& wave = waves_[index];
  const bool sample = work.verb == fleet::Verb::step && sampling_(work.request->t);
  if (!sample && usual_) [[likely]] {
    Course* const course = wave.courses[static_cast<std::size_t>(work.verb)].get();
    if (course == nullptr || course->choice.quiet()) [[likely]] {
      if (course != nullptr) course->choice.passed();
      serve(wave.units, work, served_);
      return served_.is_quiet();
    }
  }
  submit_unusual(wave, work, sample);
  return present_ == nullptr && served_.is_quiet();
}

void PooledUnits::submit_unusual(Wave& wave, const fleet::Work& work, bool sample) {
  measured_ = sample || timeline() != nullptr;
  auto* const course = wave.courses[static_cast<std::size_t>(work.verb)].get();
  if (course == nullptr) return serve_here(wave.units, work);
  // Measuring the units would distort the time of the wave. With a timeline, all waves have this overhead.
  timed_ = course->choice.timed() && (!sample || timeline() != nullptr || course->choice.fresh());
  if (timed_) begin_ = Clock::now();
  if (is_shared(*course)) {
    ++shared_waves_;
    work_ = work;
    present_ = course;
    return crew_.start(course->placement.shares(), serve_share, this);
  }
  serve_here(wave.units, work);
  learn(*course);
}

void PooledUnits::finish(fleet::Served& served) {
  if (present_ != nullptr) finish_present();
  served.add(served_);
}

void PooledUnits::serve_here(std::span<const Local> units, const fleet::Work& work) {
  if (measured_) [[unlikely]]
    return measure(units, work, served_, 0);
  serve(units, work, served_);
}

void PooledUnits::finish_present() {
  Course& course = *present_;
  crew_.finish();
  for (unsigned i = 0; i < course.placement.shares(); ++i) served_.add(shares_[i].served);
  present_ = nullptr;
  learn(course);
}

void PooledUnits::serve_share(void* self, unsigned share, unsigned thread) {
  auto& pool = *static_cast<PooledUnits*>(self);
  const auto units = pool.present_->placement.share(share);
  auto& served = pool.shares_[share].served;
  if (pool.measured_) [[unlikely]]
    return pool.measure(units, pool.work_, served, thread);
  pool.serve(units, pool.work_, served);
}

// Evaluates the measurements of a finished wave. Does not allocate and does almost nothing for most waves.
void PooledUnits::learn(Course& course) {
  if (timed_) {
    course.choice.passed(seconds_since(begin_));
  } else {
    course.choice.passed();
  }
  if (!measured_) [[likely]]
    return;
  const auto units = course.placement.units();
  const auto times = std::span(times_).first(units.size());
  std::transform(units.begin(), units.end(), times.begin(), [&](Local unit) { return last_time(unit); });
  course.placement.learn(times);
  course.choice.expect(course.placement.sum(), course.placement.longest());
}

}  // namespace consort::host
