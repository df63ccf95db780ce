#include "step/schedule.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace consort::step {

using graph::ScheduleEntry;
using graph::UnitId;

bool Schedule::sees_new(UnitId unit, UnitId source) const {
  if (unit == source) return false;
  const auto& mine = ways_[unit];
  const auto& its = ways_[source];
  for (std::size_t level = 0; level < mine.size() && level < its.size(); ++level) {
    if (mine[level].group != its[level].group) return false;
    if (mine[level].index != its[level].index) return mine[level].serial && its[level].index < mine[level].index;
  }
  return false;
}

// A unit steps in the first wave after the sources of its new values; results do not depend on the wave.
void Schedule::find_waves(const graph::Plan& plan) {
  std::vector<std::vector<UnitId>> sources(plan.units.size());
  for (const auto& c : plan.connections)
    if (c.from != graph::no_unit && sees_new(c.to, c.from)) sources[c.to].push_back(c.from);
  std::vector<std::uint32_t> wave(plan.units.size(), 0);
  std::vector<UnitId> by_way(plan.units.size());
  for (UnitId u = 0; u < by_way.size(); ++u) by_way[u] = u;
  // In the order of the groups, so that sources come before units that use their new values.
  std::stable_sort(by_way.begin(), by_way.end(), [&](UnitId a, UnitId b) {
    return std::lexicographical_compare(ways_[a].begin(), ways_[a].end(), ways_[b].begin(), ways_[b].end(),
                                        [](const Place& x, const Place& y) { return x.index < y.index; });
  });
  for (const auto u : by_way) {
    for (const auto s : sources[u]) wave[u] = std::max(wave[u], wave[s] + 1);
    if (waves_.size() <= wave[u]) waves_.resize(wave[u] + 1);
    waves_[wave[u]].push_back(u);
  }
  for (auto& w : waves_) std::sort(w.begin(), w.end());
}

Schedule Schedule::parallel(const graph::Plan& plan) {
  Schedule s;
  for (UnitId u = 0; u < plan.units.size(); ++u) s.ways_.push_back({{0, u, false}});
  s.find_waves(plan);
  return s;
}

Schedule Schedule::serial(const graph::Plan& plan, const std::vector<UnitId>& order) {
  Schedule s;
  s.ways_.resize(plan.units.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) s.ways_[order[i]] = {{0, i, true}};
  s.find_waves(plan);
  return s;
}

void Schedule::place(const graph::Plan& plan, const ScheduleEntry& group, std::vector<Place>& way,
                     std::uint32_t& groups) {
  if (group.kind == ScheduleEntry::Kind::unit) {
    const UnitId u = plan.require_unit(group.unit);
    if (!ways_[u].empty())
      throw input_error("unit '{}' appears twice in the schedule; remove one", group.unit)
          .in_unit(group.unit)
          .of_setting("schedule");
    ways_[u] = way;
    return;
  }
  const std::uint32_t id = groups++;
  for (std::uint32_t i = 0; i < group.members.size(); ++i) {
    way.push_back({id, i + 1, group.kind == ScheduleEntry::Kind::serial});
    place(plan, group.members[i], way, groups);
    way.pop_back();
  }
}

Schedule Schedule::given(const graph::Plan& plan, const ScheduleEntry& root) {
  Schedule s;
  s.ways_.resize(plan.units.size());
  std::vector<Place> way;
  std::uint32_t groups = 1;
  const ScheduleEntry outer{ScheduleEntry::Kind::serial, {}, {root}};
  const std::uint32_t first = groups;
  s.place(plan, outer, way, groups);
  for (auto& w : s.ways_)
    if (w.empty()) w = {{first, 0, true}};
  s.find_waves(plan);
  return s;
}

}  // namespace consort::step
