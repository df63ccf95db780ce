#include "couple/memory.hpp"

#include <algorithm>
#include <limits>

namespace consort::couple {

std::uint32_t Arena::reserve_bytes(std::string name, std::size_t count, std::size_t size) {
  for (const auto& entry : entries_) CONSORT_ASSERT(entry.name != name);
  constexpr std::size_t alignment = 8;
  const std::size_t offset = bytes_.size();
  const std::size_t rounded = (count * size + alignment - 1) / alignment * alignment;
  CONSORT_ASSERT(offset + rounded <= std::numeric_limits<std::uint32_t>::max());
  bytes_.resize(offset + rounded);
  entries_.push_back({std::move(name), static_cast<std::uint32_t>(offset), count * size});
  return static_cast<std::uint32_t>(offset);
}

void Arena::write(ByteWriter& writer) const {
  writer(static_cast<std::uint64_t>(entries_.size()));
  for (const auto& entry : entries_) {
    writer(entry.name);
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes_.data() + entry.offset);
    writer(std::vector<std::uint8_t>(first, first + entry.size));
  }
}

void Arena::read(ByteReader& reader) {
  std::uint64_t count = 0;
  reader(count);
  for (std::size_t i = 0; i < std::max<std::size_t>(count, entries_.size()); ++i) {
    require(i < count,
            "the checkpoint has no data for '{}', which this run needs; start a new run, since the checkpoint "
            "belongs to another version",
            i < entries_.size() ? entries_[i].name : "");
    std::string name;
    std::vector<std::uint8_t> bytes;
    reader(name);
    reader.any_size(bytes);
    require(
        i < entries_.size() && entries_[i].name == name,
        "the checkpoint has data for '{}' where this run expects '{}'; start a new run, since the checkpoint belongs "
        "to another system or version",
        name, i < entries_.size() ? entries_[i].name : "nothing");
    require(bytes.size() == entries_[i].size,
            "the checkpoint has {} bytes for '{}' where this run expects {}; start a new run, since the checkpoint "
            "belongs to another system or version",
            bytes.size(), name, entries_[i].size);
    if (!bytes.empty()) std::memcpy(bytes_.data() + entries_[i].offset, bytes.data(), bytes.size());
  }
}

}  // namespace consort::couple
