#include "couple/memory.hpp"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort::couple {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

struct Plain {
  double a = 0;
  std::uint8_t b = 0;
};

std::string complaint(const Arena& written, Arena& read) {
  ByteWriter writer;
  written.write(writer);
  const auto bytes = writer.take();
  try {
    ByteReader reader(bytes);
    read.read(reader);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(Arena, HasSlotsOfAnyPlainTypeThatBeginAsZero) {
  Arena arena;
  const auto bytes = arena.reserve<std::uint8_t>("bytes", 3);
  const auto plain = arena.reserve<Plain>("plain", 2);
  const auto numbers = arena.reserve<double>("numbers", 5);
  EXPECT_THAT(arena[bytes], Each(0));
  EXPECT_THAT(arena[numbers], Each(0.0));
  arena[plain][1] = {1.5, 7};
  for (auto& x : arena[numbers]) x = 2;
  for (auto& x : arena[bytes]) x = 255;
  EXPECT_EQ(arena[plain][0].a, 0);
  EXPECT_EQ(arena[plain][1].a, 1.5);
  EXPECT_EQ(arena[plain][1].b, 7);
  EXPECT_THAT(arena[numbers], Each(2.0));
}

TEST(Arena, IsCopiedAsAWhole) {
  Arena arena;
  const auto x = arena.reserve<double>("x");
  arena.at(x) = 1;
  Arena saved;
  saved.copy_from(arena);
  arena.at(x) = 2;
  arena.copy_from(saved);
  EXPECT_EQ(arena.at(x), 1);
}

TEST(Arena, IsWrittenAndReadWithTheNamesOfItsSlots) {
  Arena a;
  const auto x = a.reserve<double>("x", 2);
  a[x][1] = 3;
  Arena b;
  const auto y = b.reserve<double>("x", 2);
  EXPECT_EQ(complaint(a, b), "");
  EXPECT_EQ(b[y][1], 3);
  Arena longer;
  static_cast<void>(longer.reserve<double>("x", 3));
  EXPECT_THAT(complaint(a, longer), HasSubstr("'x'"));
  Arena other;
  static_cast<void>(other.reserve<double>("z", 2));
  EXPECT_THAT(complaint(a, other), HasSubstr("'z'"));
  Arena more;
  static_cast<void>(more.reserve<double>("x", 2));
  static_cast<void>(more.reserve<double>("law", 1));
  EXPECT_THAT(complaint(a, more), HasSubstr("'law'"));
  EXPECT_THAT(complaint(more, a), HasSubstr("'law'"));
}

}  // namespace
}  // namespace consort::couple
