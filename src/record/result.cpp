#include "record/result.hpp"

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::record {

const Result::Trajectory* Result::find(std::string_view name) const {
  for (const Trajectory& t : trajectories) {
    if (t.signal.name == name) return &t;
  }
  return nullptr;
}

const Result::Trajectory& Result::operator[](std::string_view name) const {
  if (const Trajectory* found = find(name)) return *found;
  std::vector<std::string_view> names;
  names.reserve(trajectories.size());
  for (const Trajectory& t : trajectories) names.emplace_back(t.signal.name);
  std::string hint = suggestion(name, names);
  if (hint.empty()) hint = fmt::format("; it has {} signals, see its header for their names", names.size());
  throw input_error("the result has no signal '{}'{}", name, hint);
}

void MemorySink::begin(const Header& header) {
  result_.time.clear();
  result_.facts = header.facts;
  result_.trajectories.clear();
  result_.trajectories.reserve(header.signals.size());
  for (const Signal& signal : header.signals) result_.trajectories.push_back({signal, {}, {}});
}

namespace {

template <class T>
void store(Result::Trajectory& to, const T& element) {
  if constexpr (std::is_same_v<T, std::string>) {
    to.texts.push_back(element);
  } else if constexpr (std::is_same_v<T, Binary>) {
    append_element(to.texts.emplace_back(), element);
  } else if constexpr (std::is_base_of_v<Bool, T>) {
    to.numbers.push_back(element.value ? 1.0 : 0.0);
  } else if constexpr (std::is_same_v<T, EnumValue>) {
    to.numbers.push_back(static_cast<double>(element.value));
  } else {
    to.numbers.push_back(static_cast<double>(element));
  }
}

}  // namespace

void MemorySink::write(Time t, const Columns& row) {
  std::array<std::size_t, type_count> next{};
  for (Result::Trajectory& to : result_.trajectories) {
    with_type(to.signal.type, [&]<class T>() {
      const std::size_t i = next[static_cast<std::size_t>(to.signal.type)]++;
      CONSORT_ASSERT(i < row.column<T>().size());
      store(to, row.column<T>()[i]);
    });
  }
  result_.time.push_back(t);
}

}  // namespace consort::record
