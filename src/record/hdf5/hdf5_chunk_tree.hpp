// The chunk index of a dataset in an HDF5 file, for a dataset that only grows: a B-tree of version 1 ("HDF5 File Format
// Specification 3.0", III.A.1, node type 1). It is filled from left to right, so that only the nodes on its right edge
// change and only these are kept in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace consort::record {

inline constexpr std::uint64_t no_address = ~std::uint64_t{0};

// Little-endian, like all numbers in the file.
void put_number(std::byte* to, std::uint64_t value, std::size_t bytes = 8);
[[nodiscard]] std::uint64_t number_at(const std::byte* from, std::size_t bytes = 8);

struct ChunkShape {
  std::size_t rank = 1;  // 1 or 2; a chunk contains all columns
  std::uint64_t rows = 0;
  std::uint64_t columns = 1;
  std::uint64_t element_bytes = 0;
  [[nodiscard]] std::uint64_t row_bytes() const { return columns * element_bytes; }
  [[nodiscard]] std::uint64_t bytes() const { return rows * row_bytes(); }
};

class ChunkTree {
 public:
  // `most_children`: maximum number of children of a node; twice the K of the file.
  ChunkTree(const ChunkShape& shape, std::size_t most_children);

  [[nodiscard]] std::size_t node_bytes() const { return node_bytes_; }
  [[nodiscard]] std::uint64_t root() const { return levels_.empty() ? no_address : levels_.back().address; }

  // Appends a chunk that begins at `row`. `allocate()` returns the address of a new node.
  template <class Allocate>
  void append(std::uint64_t row, std::uint64_t address, Allocate&& allocate) {
    if (levels_.empty()) levels_.push_back(make_node(0, no_address, allocate()));
    insert(0, row, address, allocate);
    for (Node& node : levels_) set_bound(node, row + shape_.rows);
  }

  // Calls put(address, bytes) for nodes that are new since the last settle() (`fresh`), or for changed older nodes
  // (otherwise).
  template <class Put>
  void write(bool fresh, Put&& put) const {
    for (const auto* nodes : {&left_, &levels_})
      for (const Node& node : *nodes)
        if (node.changed && node.fresh == fresh) put(node.address, std::span<const std::byte>(node.bytes));
  }
  // Call after all nodes were written.
  void settle();

 private:
  struct Node {
    std::uint64_t address = 0;
    std::size_t used = 0;  // number of children
    bool fresh = true;
    bool changed = true;
    std::vector<std::byte> bytes;
  };

  [[nodiscard]] Node make_node(std::size_t level, std::uint64_t left, std::uint64_t address) const;
  [[nodiscard]] std::byte* key(Node& node, std::size_t i) const;
  [[nodiscard]] std::uint64_t first_row(Node& node) const;
  void set_key(Node& node, std::size_t i, std::uint64_t row) const;
  void set_bound(Node& node, std::uint64_t row) const;
  void add_child(Node& node, std::uint64_t row, std::uint64_t address) const;
  void close(Node& node, std::uint64_t next_row, std::uint64_t right) const;

  template <class Allocate>
  void insert(std::size_t level, std::uint64_t row, std::uint64_t address, Allocate& allocate) {
    if (levels_[level].used == most_children_) {
      Node next = make_node(level, levels_[level].address, allocate());
      Node full = std::exchange(levels_[level], std::move(next));
      close(full, row, levels_[level].address);
      if (level + 1 == levels_.size()) {
        levels_.push_back(make_node(level + 1, no_address, allocate()));
        add_child(levels_.back(), first_row(full), full.address);
      }
      left_.push_back(std::move(full));
      insert(level + 1, row, levels_[level].address, allocate);
    }
    add_child(levels_[level], row, address);
  }

  ChunkShape shape_;
  std::size_t most_children_;
  std::size_t key_bytes_;
  std::size_t node_bytes_;
  std::vector<Node> levels_;  // nodes on the right edge, leaves first
  std::vector<Node> left_;    // nodes that left the right edge since the last settle()
};

}  // namespace consort::record
