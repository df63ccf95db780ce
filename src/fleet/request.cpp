#include "fleet/request.hpp"

#include <algorithm>

namespace consort::fleet {

void Served::fail(UnitId id, std::exception_ptr why) noexcept {
  if (error_ && failed_ < id) return;
  failed_ = id;
  error_ = std::move(why);
}

void Served::take(Served& other) noexcept {
  for (const auto id : other.told_) told_.push_back(id);
  other.told_.clear();
  if (other.error_) fail(other.failed_, std::exchange(other.error_, nullptr));
}

void Served::rethrow() {
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Served::sort() {
  std::sort(told_.begin(), told_.end());
  told_.erase(std::unique(told_.begin(), told_.end()), told_.end());
}

}  // namespace consort::fleet
