// Saving and restoring the state of a group.
#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "group/instance.hpp"

namespace consort::group {

struct GroupInstance::Saved : fmi::SavedState {
  std::vector<std::unique_ptr<fmi::SavedState>> members;
  Coupling::State coupling;
  Memory memory;
};

fmi::StateSaving* GroupInstance::state_saving() { return can_save_ ? this : nullptr; }

bool GroupInstance::can_serialize() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](const Member& m) { return m.instance->state_saving()->can_serialize(); });
}

std::unique_ptr<fmi::SavedState> GroupInstance::save(std::unique_ptr<fmi::SavedState> reuse) {
  auto* saved = dynamic_cast<Saved*>(reuse.get());
  if (saved == nullptr) {
    reuse = std::make_unique<Saved>();
    saved = static_cast<Saved*>(reuse.get());
    saved->members.resize(members_.size());
  }
  for (MemberId m = 0; m < members_.size(); ++m)
    saved->members[m] = members_[m].instance->state_saving()->save(std::move(saved->members[m]));
  saved->coupling = coupling_.state();
  saved->memory = memory_;
  saved->memory.events = own_events_.state();
  return reuse;
}

void GroupInstance::restore(const fmi::SavedState& state) {
  const auto* const saved = dynamic_cast<const Saved*>(&state);
  CONSORT_ASSERT(saved != nullptr);
  for (MemberId m = 0; m < members_.size(); ++m) members_[m].instance->state_saving()->restore(*saved->members[m]);
  if (!jacobian_) lay_out();
  coupling_.restore(saved->coupling);
  memory_ = saved->memory;
  own_events_.restore(memory_.events);
  std::fill(in_event_.begin(), in_event_.end(), std::uint8_t{0});
  std::fill(initialised_.begin(), initialised_.end(), std::uint8_t{1});
  mode_ = Mode::continuous;
  coupling_.hold_relations(true);
  dirty_ = true;
  ++point_;
}

std::vector<std::uint8_t> GroupInstance::serialize(const fmi::SavedState& state) {
  const auto* const saved = dynamic_cast<const Saved*>(&state);
  CONSORT_ASSERT(saved != nullptr);
  ByteWriter writer;
  for (MemberId m = 0; m < members_.size(); ++m) {
    const auto bytes = members_[m].instance->state_saving()->serialize(*saved->members[m]);
    writer(std::string(bytes.begin(), bytes.end()));
  }
  auto coupling = saved->coupling;
  auto memory = saved->memory;
  writer(static_cast<std::uint64_t>(memory.signs.size()));
  coupling.fields(writer);
  memory.fields(writer);
  return writer.take();
}

std::unique_ptr<fmi::SavedState> GroupInstance::deserialize(std::span<const std::uint8_t> bytes) {
  return with_unit(name_, [&]() -> std::unique_ptr<fmi::SavedState> {
    ByteReader reader(bytes);
    auto saved = std::make_unique<Saved>();
    for (auto& m : members_) {
      std::string text;
      reader(text);
      const std::vector<std::uint8_t> own(text.begin(), text.end());
      try {
        saved->members.push_back(m.instance->state_saving()->deserialize(own));
      } catch (const Error& error) {
        throw error.with_text(fmt::format("unit '{}': {}", name_, error.what()));
      }
    }
    saved->coupling = coupling_.state();
    saved->memory = memory_;
    saved->memory.events = own_events_.state();
    std::uint64_t indicators = 0;
    reader(indicators);
    ByteReader::check(indicators < 1'000'000);
    saved->memory.signs.resize(indicators);
    saved->coupling.fields(reader);
    saved->memory.fields(reader);
    reader.expect_end();
    return saved;
  });
}

}  // namespace consort::group
