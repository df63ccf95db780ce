// Stores many small texts in few blocks. Returned views stay valid until the arena is destroyed, also if it is moved.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace consort {

class StringArena {
 public:
  std::string_view store(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > left_) grow(text.size());
    char* to = next_;
    std::memcpy(to, text.data(), text.size());
    next_ += text.size();
    left_ -= text.size();
    return {to, text.size()};
  }

 private:
  void grow(std::size_t at_least) {
    const std::size_t size = at_least > block_size ? at_least : block_size;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = blocks_.back().get();
    left_ = size;
  }

  static constexpr std::size_t block_size = 64 * 1024;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace consort
