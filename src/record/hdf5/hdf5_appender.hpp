// Appends rows to the datasets of an HDF5 file without the HDF5 library, which has created the file. The library needs
// about 35 KiB of memory per growing dataset and accounts for most of the time of a small chunk. Only the simple case
// is supported: uncompressed numbers in chunked datasets that are indexed by a B-tree of version 1.
//
// The file is valid at every moment. Rows are written at once, because nothing in the file refers to them yet. commit()
// writes the references in an order that keeps the file consistent after each single write: new nodes, the length of
// the file, existing nodes, the roots of trees, the lengths of datasets. Nodes do not cross page boundaries, so that a
// node is never partially written. A failed write (disk full) freezes the file in its last committed state.
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
  std::uint64_t header = 0;  // address of the object header
  ChunkShape chunk;
};

class Hdf5Appender {
 public:
  // The file must be closed and its datasets must be empty. `status` must outlive this object; check it after every
  // call. Returns null if the structure of the file is not supported.
  static std::unique_ptr<Hdf5Appender> open(const std::filesystem::path& file, std::span<const GrowingDataset> datasets,
                                            CommitStatus& status);
  ~Hdf5Appender();
  Hdf5Appender(const Hdf5Appender&) = delete;
  Hdf5Appender& operator=(const Hdf5Appender&) = delete;

  // Writes whole rows from `row` on. All rows must belong to one chunk: the last chunk, or the beginning of the next
  // one.
  void write(std::size_t dataset, std::uint64_t row, std::span<const std::byte> bytes);
  // Sets the length of all datasets to `rows`; the first dataset is updated last.
  void commit(std::uint64_t rows);

 private:
  struct Growing {
    ChunkShape chunk;
    ChunkTree tree;
    std::uint64_t rows_at;  // file offset of its number of rows
    std::uint64_t root_at;  // file offset of the address of its tree
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
  std::uint64_t end_ = 0;        // end of the used space
  std::uint64_t committed_ = 0;  // end of the file according to the superblock
  std::uint64_t end_at_ = 0;     // file offset of that value
  std::size_t most_children_ = 64;
  std::uint64_t node_place_ = 0;  // next free position in the current page of nodes
  std::uint64_t node_page_end_ = 0;
  std::vector<Growing> datasets_;
  std::uint64_t rows_ = 0;  // as committed
};

}  // namespace consort::record
