// Checks a grown collection of texts as HDF5 1.14 does, which refuses one with an object that ends behind the end. HDF5
// 1.10 accepts it, so that tests of whole files do not see the error there.
#include "record/hdf5/hdf5_text_collection.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace consort::record::hdf5_text_collection_test {
namespace {

constexpr std::size_t page = 4096;

struct Object {
  std::size_t size;
  char content;
};

std::vector<char> collection(std::size_t size, const std::vector<Object>& objects) {
  std::vector<char> bytes(size);
  const auto header = [&](std::size_t at, std::uint16_t index, std::uint64_t length) {
    std::memcpy(bytes.data() + at, &index, sizeof index);
    std::memcpy(bytes.data() + at + 8, &length, sizeof length);
  };
  std::memcpy(bytes.data(), "GCOL\1", 5);
  const std::uint64_t whole = size;
  std::memcpy(bytes.data() + 8, &whole, sizeof whole);
  std::size_t at = 16;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    header(at, static_cast<std::uint16_t>(i + 1), objects[i].size);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at + 16), objects[i].size, objects[i].content);
    at += 16 + (objects[i].size + 7) / 8 * 8;
  }
  if (size - at >= 16) header(at, 0, size - at);
  return bytes;
}

// The number of objects at the beginning that a strict reader finds unchanged; 0 if it refuses the collection.
std::size_t readable(const std::vector<char>& bytes, const std::vector<Object>& expected) {
  const auto size = declared_size(bytes);
  std::size_t found = 0;
  for (std::size_t at = 16; at != size;) {
    if (size - at < 16) break;
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    std::memcpy(&index, bytes.data() + at, sizeof index);
    std::memcpy(&length, bytes.data() + at + 8, sizeof length);
    const std::size_t need = index == 0 ? length : 16 + (length + 7) / 8 * 8;
    if (need == 0 || need > size - at) return 0;
    if (index == found + 1 && found < expected.size() && length == expected[found].size &&
        std::all_of(bytes.data() + at + 16, bytes.data() + at + 16 + length,
                    [&](char c) { return c == expected[found].content; }))
      ++found;
    at += need;
  }
  return found;
}

// Writes the image page by page, last page first, and reads after each.
void write(std::vector<char>& file, const std::vector<char>& image, const std::vector<Object>& former) {
  for (std::size_t end = image.size(); end > 0;) {
    const std::size_t begin = (end - 1) / page * page;
    std::copy_n(image.data() + begin, end - begin, file.data() + begin);
    ASSERT_EQ(readable(file, former), former.size()) << "after the page at " << begin;
    end = begin;
  }
}

// Writes `now` in steps over `before`.
void expect_readable_throughout(std::size_t former_size, std::size_t size, const std::vector<Object>& former,
                                const std::vector<Object>& all) {
  auto file = collection(former_size, former);
  const auto now = collection(size, all);
  const auto steps = steps_between(file, now, page);
  file.resize(size, 'x');
  for (const auto& step : steps) write(file, step, former);
  write(file, now, former);
  EXPECT_EQ(readable(file, all), all.size());
}

// The free space begins so many bytes before the former end; its header may lie in two pages.
constexpr std::size_t free_spaces[] = {0, 8, 16, 24, 208, 400, 3000};
constexpr std::size_t former_sizes[] = {4096, 8192, 8392, 20512};

TEST(TextCollection, CanBeReadAfterEachWriteWhileItGrows) {
  for (const auto former_size : former_sizes) {
    for (const auto left : free_spaces) {
      for (const std::size_t added : {1U, 8U, 100U, 5000U}) {
        SCOPED_TRACE(std::to_string(former_size) + " " + std::to_string(left) + " " + std::to_string(added));
        const std::size_t first = former_size - 32 - left;
        expect_readable_throughout(former_size, former_size + added / 8 * 8 + 1000, {{first, 'a'}},
                                   {{first, 'a'}, {left + added, 'b'}, {30, 'c'}});
      }
    }
  }
}

TEST(TextCollection, CanBeReadAfterEachWriteWhileItFills) {
  for (const auto former_size : former_sizes) {
    for (const auto left : {208U, 400U, 3000U}) {
      SCOPED_TRACE(std::to_string(former_size) + " " + std::to_string(left));
      const std::size_t first = former_size - 32 - left;
      expect_readable_throughout(former_size, former_size, {{first, 'a'}}, {{first, 'a'}});
      expect_readable_throughout(former_size, former_size, {{first, 'a'}}, {{first, 'a'}, {90, 'b'}});
      expect_readable_throughout(former_size, former_size, {{first, 'a'}}, {{first, 'a'}, {left - 16, 'b'}});
    }
  }
}

TEST(TextCollection, TakesNoStepsIfItDidNotGrowOrIsDamaged) {
  const auto before = collection(4096, {{100, 'a'}});
  const auto same = collection(4096, {{100, 'a'}, {200, 'b'}});
  EXPECT_TRUE(steps_between(before, same, page).empty());
  auto damaged = before;
  damaged[24] = '\x77';  // the length of the first object
  damaged[26] = '\x77';
  EXPECT_TRUE(steps_between(damaged, collection(8192, {{100, 'a'}}), page).empty());
  EXPECT_TRUE(steps_between({}, same, page).empty());
}

}  // namespace
}  // namespace consort::record::hdf5_text_collection_test
