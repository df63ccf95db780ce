// Adds rows to the datasets of an HDF5 file that the library has laid out, without the library: it takes some 35 KiB of
// memory for a dataset that grows, and most of the time that a small chunk takes. Only what is plain goes this way:
// numbers that are not compressed, in datasets of chunks that a B-tree of version 1 finds.
//
// The file is valid at every moment. Rows go to the file at once: nothing refers to them yet. What refers to them is
// written by commit(), in an order in which the file is whole after each single write: nodes in new space, the length
// of the file, nodes that were there, the roots of trees, the lengths of datasets. Nodes do not cross pages, so that
// one is never half written. A write that fails (the disk is full) freezes the file: it stays as it was committed last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "record/hdf5/hdf5_chunk_tree.hpp"
#include "record/hdf5/hdf5_commit_driver.hpp"

namespace consort::record {

struct GrowingDataset {
  std::uint64_t header = 0;  // address of its object header
  ChunkShape chunk;
};

class Hdf5Appender {
 public:
  // The file must be closed and its datasets empty; `status` must outlive this, and is to be looked at after every
  // call. Null when the file is not of the kind that is known here.
  static std::unique_ptr<Hdf5Appender> open(const std::filesystem::path& file, std::span<const GrowingDataset> datasets,
                                            CommitStatus& status);
  ~Hdf5Appender();
  Hdf5Appender(const Hdf5Appender&) = delete;
  Hdf5Appender& operator=(const Hdf5Appender&) = delete;

  // Whole rows from `row` on, all of one chunk: of the last one, or the first of the next.
  void write(std::size_t dataset, std::uint64_t row, std::span<const std::byte> bytes);
  // All datasets have `rows` rows from now on; the first one is the last to grow.
  void commit(std::uint64_t rows);

 private:
  struct Growing {
    ChunkShape chunk;
    ChunkTree tree;
    std::uint64_t rows_at;  // where the file says how many rows it has
    std::uint64_t root_at;  // and where its tree is
    std::uint64_t last_chunk = no_address;
    std::uint64_t root = no_address;  // as committed
  };

  Hdf5Appender(int fd, CommitStatus& status) : fd_(fd), status_(status) {}
  bool find(std::span<const GrowingDataset> datasets);
  bool read_superblock();
  bool find_places(std::uint64_t header, Growing& growing) const;
  bool look_at_message(std::uint64_t type, std::span<const std::byte> data, std::uint64_t address,
                       Growing& growing) const;
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t address, std::size_t size) const;
  std::uint64_t allocate(std::uint64_t size, std::uint64_t alignment);
  std::uint64_t allocate_node(std::size_t size);
  void put(std::uint64_t address, std::span<const std::byte> bytes);
  void put_number_at(std::uint64_t address, std::uint64_t value);

  int fd_;
  CommitStatus& status_;
  std::uint64_t end_ = 0;        // of what is in use
  std::uint64_t committed_ = 0;  // as the file says
  std::uint64_t end_at_ = 0;     // where it says so
  std::size_t most_children_ = 64;
  std::uint64_t node_place_ = 0;  // in the page that nodes are put into
  std::uint64_t node_page_end_ = 0;
  std::vector<Growing> datasets_;
  std::uint64_t rows_ = 0;  // as committed
};

}  // namespace consort::record
