#include "base/digest.hpp"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"

namespace consort {

namespace {

std::string digest(const std::string& text) {
  Sha256 sha;
  sha.add(std::as_bytes(std::span(text)));
  return sha.finish();
}

// The examples published by NIST for FIPS 180-4.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFileIsThatOfItsBytesAndAMissingFileIsAnError) {
  const std::string file = places::scratch() + "/digest.txt";
  std::ofstream(file, std::ios::binary) << "abc";
  EXPECT_EQ(sha256_of_file(file), digest("abc"));
  EXPECT_THROW((void)sha256_of_file(file + ".missing"), Error);
}

}  // namespace

}  // namespace consort
