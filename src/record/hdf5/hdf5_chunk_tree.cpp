#include "record/hdf5/hdf5_chunk_tree.hpp"

#include <cstring>

namespace consort::record {

namespace {

// A node: signature, type, level, number of children, both siblings; then alternating keys and children, ending with a
// key.
constexpr std::size_t type_at = 4;
constexpr std::size_t level_at = 5;
constexpr std::size_t used_at = 6;
constexpr std::size_t left_at = 8;
constexpr std::size_t right_at = 16;
constexpr std::size_t head_bytes = 24;
constexpr std::size_t address_bytes = 8;
constexpr std::uint64_t of_chunks = 1;
// A key: size of the chunk, mask of skipped filters, offset in every dimension, and an additional offset for the bytes
// of an element.
constexpr std::size_t offsets_at = 8;

}  // namespace

void put_number(std::byte* to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

std::uint64_t number_at(const std::byte* from, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(from[i]);
  return value;
}

ChunkTree::ChunkTree(const ChunkShape& shape, std::size_t most_children)
    : shape_(shape),
      most_children_(most_children),
      key_bytes_(offsets_at + 8 * (shape.rank + 1)),
      node_bytes_(head_bytes + most_children * (key_bytes_ + address_bytes) + key_bytes_) {}

void ChunkTree::settle() {
  left_.clear();
  for (Node& node : levels_) node.fresh = node.changed = false;
}

ChunkTree::Node ChunkTree::make_node(std::size_t level, std::uint64_t left, std::uint64_t address) const {
  Node node;
  node.address = address;
  node.bytes.resize(node_bytes_);
  std::memcpy(node.bytes.data(), "TREE", type_at);
  put_number(node.bytes.data() + type_at, of_chunks, 1);
  put_number(node.bytes.data() + level_at, level, 1);
  put_number(node.bytes.data() + left_at, left);
  put_number(node.bytes.data() + right_at, no_address);
  return node;
}

std::byte* ChunkTree::key(Node& node, std::size_t i) const {
  return node.bytes.data() + head_bytes + i * (key_bytes_ + address_bytes);
}

std::uint64_t ChunkTree::first_row(Node& node) const { return number_at(key(node, 0) + offsets_at); }

void ChunkTree::set_key(Node& node, std::size_t i, std::uint64_t row) const {
  std::byte* const to = key(node, i);
  std::memset(to, 0, key_bytes_);
  put_number(to, shape_.bytes(), 4);
  put_number(to + offsets_at, row);
}

// As in HDF5, the key after the last child is that of a chunk without bytes, one step further in every dimension.
void ChunkTree::set_bound(Node& node, std::uint64_t row) const {
  std::byte* const to = key(node, node.used);
  std::memset(to, 0, offsets_at);
  put_number(to + offsets_at, row);
  if (shape_.rank == 2) put_number(to + offsets_at + 8, shape_.columns);
  put_number(to + offsets_at + 8 * shape_.rank, shape_.element_bytes);
  node.changed = true;
}

void ChunkTree::add_child(Node& node, std::uint64_t row, std::uint64_t address) const {
  set_key(node, node.used, row);
  put_number(key(node, node.used) + key_bytes_, address);
  put_number(node.bytes.data() + used_at, ++node.used, 2);
  node.changed = true;
}

// The last key of a node equals the first key of its right sibling.
void ChunkTree::close(Node& node, std::uint64_t next_row, std::uint64_t right) const {
  set_key(node, node.used, next_row);
  put_number(node.bytes.data() + right_at, right);
  node.changed = true;
}

}  // namespace consort::record
