// The bytes of a collection of texts (a global heap: HDF5 File Format Specification 3.0, III.E), and how it is
// written so that it can be read after each single write.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace consort::record {

inline constexpr std::size_t text_collection_header = 16;

// HDF5 passes collections of texts as raw data, although other blocks refer to them and they change. Rows that begin
// with the same bytes do no harm: they are written by the same commit as the references to them.
[[nodiscard]] bool is_text_collection(std::span<const char> bytes);

// The length that the collection declares. Precondition: bytes has at least text_collection_header bytes and
// is_text_collection(bytes).
[[nodiscard]] std::size_t declared_size(std::span<const char> bytes);

// A collection begins with its length, and its objects follow each other without gaps; the last is the free space. HDF5
// 1.14 refuses a collection with an object that ends behind its end. Two changes would lead to one for a moment:
// - The collection grows, and an object begins in the former free space and ends behind the former end.
// - The index and the length of the object that begins at the free space are in different pages.
//
// Returns images of the length of `now` to write in turn before `now`, page by page, last page first. `before` is the
// collection in the file. Each image differs from the one before only in bytes that no reader looks at, or in one
// number. The references to the texts that `before` lacks must be written later. Empty if nothing is to be done, or if
// `before` is damaged. `page`: bytes that are written at once; the collection begins on a page.
[[nodiscard]] std::vector<std::vector<char>> steps_between(std::span<const char> before, std::span<const char> now,
                                                           std::size_t page);

}  // namespace consort::record
