// Writes rows as HDF5: one chunked dataset per unit and type, a time dataset, and a table of all variables.
//
//   /time                    [rows]            seconds
//   /units/wheel/Float64     [rows × signals]  attributes: names, units, descriptions, discrete
//   /Float64                 the same for a run of a single FMU, whose signals have no group
//   /variables               name → dataset, column (and type, unit, description, discrete, group)
//   /report/connections …    tables about the whole run, one dataset each
//   attributes of /          format, version, and the facts of the run
//
// The file has the oldest superblock version, is not locked, and is valid at every moment. Numbers are appended without
// the HDF5 library (hdf5_appender.hpp), texts and compressed chunks with the library (hdf5_commit_driver.hpp). If the
// process is killed during a flush, datasets may differ in length, but no dataset is shorter than /time: the length of
// /time is the number of rows. Other readers should use the smallest length of all datasets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "record/flush_clock.hpp"
#include "record/formats.hpp"
#include "record/hdf5/hdf5_appender.hpp"
#include "record/hdf5/hdf5_commit_driver.hpp"
#include "record/hdf5/hdf5_handle.hpp"
#include "record/sink.hpp"

namespace consort::record {

class Hdf5Sink : public Sink {
 public:
  // No file is touched before begin().
  explicit Hdf5Sink(std::filesystem::path path, const SinkOptions& options = {});
  // Writes the remaining rows if possible and ignores errors; call end() to get them.
  ~Hdf5Sink() override;
  Hdf5Sink(const Hdf5Sink&) = delete;
  Hdf5Sink& operator=(const Hdf5Sink&) = delete;

  // Creates or replaces the file. Throws Error (input) if it cannot be written, if two signals have the same name or if
  // the compression is not in 0 to 9.
  void begin(const Header& header) override;
  bool resume(const Header& header, std::uint64_t rows, const KnownRow* last) override;
  // Rows are buffered (at most 4 MiB, and 4 MiB of texts) until a chunk is complete, and are written at least about
  // once a second. With compression, an incomplete chunk is written only every 10 seconds, because each write rewrites
  // the whole chunk. Throws Error (run) if the disk is full; rows flushed before are intact, and the sink accepts no
  // further rows.
  void write(Time t, const Columns& row) override;
  bool write_batch(const RowBatch& batch) override;
  void flush() override;
  void add_table(const Table& table) override;
  // Does not throw if an earlier failure was already reported.
  void end() override;

 private:
  // Elements that are contiguous both in the column of a row and in the row of a dataset.
  struct Run {
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t count = 0;
  };
  // A run of numbers in bytes, with its position in the next row of a block. Contains all data needed per row.
  struct Copy {
    std::byte* to = nullptr;
    std::size_t from = 0;
    std::uint32_t size = 0;
    std::uint32_t type = 0;
    std::size_t row_bytes = 0;
  };
  // A dataset and its chunk that is being filled.
  struct Block {
    Type type = Type::Float64;
    std::string group;
    std::string path;
    std::vector<std::size_t> signals;  // indices of signals in the header
    std::vector<Run> runs;
    std::size_t columns = 0;
    std::size_t row_bytes = 0;
    std::size_t chunk_rows = 0;
    std::uint64_t header = 0;  // address of the object header in the file
    Hdf5Id dataset;            // open while the library has the file open
    Hdf5Id memory_type;
    std::vector<std::byte> bytes;  // numbers of the rows of this chunk; `texts` for text types
    std::vector<std::string> texts;
    std::uint64_t chunk_begin = 0;  // first row of the chunk
    std::uint64_t stored = 0;       // number of rows in the file
    std::size_t first_copy = 0;     // index in copies_, which has one entry per run
  };

  void open(unsigned how);
  void reopen();
  void append_directly();
  void write_tables();
  [[nodiscard]] bool is_open() const { return file_.valid() || appender_ != nullptr; }
  void lay_out(const Header& header);
  void create(Block& block, int rank);
  void describe(const Block& block, const Header& header);
  void write_facts(const Header& header);
  void write_variables(const Header& header);
  void require_whole() const;
  void require_continuable(const std::filesystem::path& file, const Header& header, std::uint64_t rows);
  void take_over(const std::filesystem::path& file, std::uint64_t rows);
  void copy_from(const std::filesystem::path& file, std::uint64_t rows);
  void go_to_row(std::uint64_t row);
  void flush_when_due(std::size_t rows);
  void append_texts(Block& block, const Columns& row);
  void store(Block& block);
  void store_rows(Block& block);
  void store_complete();
  void place_copies(Block& block);
  void commit(bool also_incomplete);
  void check_disk();
  void close() noexcept;
  template <class Work>
  void guarded(Work&& work);

  std::filesystem::path path_;
  SinkOptions options_;
  CommitStatus status_;
  Hdf5Id file_;  // either file_ or appender_ is in use
  std::unique_ptr<Hdf5Appender> appender_;
  std::vector<Table> tables_;  // written in end()
  std::vector<Block> blocks_;  // the block of time is first
  std::vector<Copy> copies_;
  std::byte* time_to_ = nullptr;                  // position of the next time
  std::array<std::size_t, type_count> widths_{};  // widths of the columns of a row
  std::vector<std::size_t> text_blocks_;
  std::uint64_t rows_ = 0;
  std::uint64_t complete_at_ = 0;  // number of rows at which the next chunk is complete
  bool failed_ = false;
  std::size_t text_bytes_ = 0;    // bytes of texts in memory
  std::size_t since_commit_ = 0;  // bytes written since the last commit
  int skipped_ = 0;               // number of flushes that skipped incomplete chunks
  FlushClock clock_;
};

}  // namespace consort::record
