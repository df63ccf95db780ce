// Rows as HDF5: one chunked dataset per unit and type, a time dataset, and a table of all variables.
//
//   /time                    [rows]            seconds
//   /units/wheel/Float64     [rows × signals]  attributes: names, units, descriptions, discrete
//   /Float64                 the same for a run of a single FMU, whose signals belong to no group
//   /variables               name → dataset, column (and type, unit, description, discrete, group)
//   /report/connections …    tables about the run as a whole, one dataset each
//   attributes of /          format, version, and the facts of the run
//
// The file has the oldest superblock, is not locked, and is valid at every moment: rows of numbers are added without
// the HDF5 library (hdf5_appender.hpp), texts and compressed chunks with it (hdf5_commit_driver.hpp). When a process is
// killed in the middle of a flush, some datasets may be longer than others, but none is shorter than /time: the rows of
// a file are as many as /time has. Readers with other ideas take the smallest number of rows.
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
  // Nothing is touched before begin().
  explicit Hdf5Sink(std::filesystem::path path, const SinkOptions& options = {});
  // Writes what is left, if it can: call end() to hear about failures.
  ~Hdf5Sink() override;
  Hdf5Sink(const Hdf5Sink&) = delete;
  Hdf5Sink& operator=(const Hdf5Sink&) = delete;

  // Creates or replaces the file. Throws Error (input) when it cannot be written there, when two signals have the same
  // name, and for a compression outside of 0 to 9.
  void begin(const Header& header) override;
  bool resume(const Header& header, std::uint64_t rows, const KnownRow* last) override;
  // Rows wait in memory (4 MiB at most, and 4 MiB of texts) until a chunk is complete, and reach the file at least
  // about once a second. With compression a chunk that is not complete is written every 10 seconds only, since it has
  // to be written anew for every row that it gains. Throws Error (run) when the disk is full; what was flushed before
  // is intact, and the sink accepts no further rows.
  void write(Time t, const Columns& row) override;
  bool write_batch(const RowBatch& batch) override;
  void flush() override;
  void add_table(const Table& table) override;
  // Never throws after a failure that has been reported.
  void end() override;

 private:
  // Elements that stand one after the other in the column of a row and in the row of a dataset.
  struct Run {
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t count = 0;
  };
  // A run of numbers, in bytes, with its place in the next row of a block: what is done for each row, and nothing else.
  struct Copy {
    std::byte* to = nullptr;
    std::size_t from = 0;
    std::uint32_t size = 0;
    std::uint32_t type = 0;
    std::size_t row_bytes = 0;
  };
  // The chunk of a dataset that is being filled.
  struct Block {
    Type type = Type::Float64;
    std::string group;
    std::string path;
    std::vector<std::size_t> signals;  // of the header
    std::vector<Run> runs;
    std::size_t columns = 0;
    std::size_t row_bytes = 0;
    std::size_t chunk_rows = 0;
    std::uint64_t header = 0;  // address in the file
    Hdf5Id dataset;            // while the library has the file
    Hdf5Id memory_type;
    std::vector<std::byte> bytes;  // of the rows of this chunk, or their texts
    std::vector<std::string> texts;
    std::uint64_t chunk_begin = 0;  // its first row
    std::uint64_t stored = 0;       // rows in the file
    std::size_t first_copy = 0;     // in copies_, one per run
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
  Hdf5Id file_;  // one of the two
  std::unique_ptr<Hdf5Appender> appender_;
  std::vector<Table> tables_;  // for the end
  std::vector<Block> blocks_;  // that of time first
  std::vector<Copy> copies_;
  std::byte* time_to_ = nullptr;                  // where the next time goes
  std::array<std::size_t, type_count> widths_{};  // of the columns of a row
  std::vector<std::size_t> text_blocks_;
  std::uint64_t rows_ = 0;
  std::uint64_t complete_at_ = 0;  // rows, when the next chunk is complete
  bool failed_ = false;
  std::size_t text_bytes_ = 0;    // in memory
  std::size_t since_commit_ = 0;  // bytes written
  int skipped_ = 0;               // flushes that left out incomplete chunks
  FlushClock clock_;
};

}  // namespace consort::record
