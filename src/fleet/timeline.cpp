#include "fleet/timeline.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::fleet {

namespace {

constexpr std::string_view escapes = "\"\\";

// Returns `text` as a JSON string with quotes.
std::string json(std::string_view text) {
  std::string out = "\"";
  if (!is_utf8(text)) return out + "?\"";
  for (const char c : text) {
    if (escapes.find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

class File {
 public:
  explicit File(const std::filesystem::path& path) : path_(path), file_(std::fopen(path.c_str(), "wbe")) {
    check(file_ != nullptr);
  }
  ~File() {
    if (file_ != nullptr) std::fclose(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(const std::string& text) { check(std::fwrite(text.data(), 1, text.size(), file_) == text.size()); }
  void close() { check(std::fclose(std::exchange(file_, nullptr)) == 0); }

 private:
  void check(bool good) const {
    if (good) return;
    throw run_error("cannot write the timeline to {}: {}; choose another place for it", path_.string(),
                    std::strerror(errno));
  }

  const std::filesystem::path& path_;
  std::FILE* file_;
};

}  // namespace

Timeline::Timeline(unsigned tracks, std::size_t capacity) : tracks_(std::max(tracks, 1U)) {
  for (unsigned i = 0; i < tracks_.size(); ++i) {
    tracks_[i].name = i == 0 ? std::string("engine") : fmt::format("worker {}", i);
    tracks_[i].records.reserve(capacity);
  }
}

Timeline::Activity Timeline::activity(std::string_view name) {
  const auto found = std::find(activities_.begin(), activities_.end(), name);
  const auto index = static_cast<std::uint32_t>(found - activities_.begin());
  if (found == activities_.end()) activities_.emplace_back(name);
  return {index};
}

void Timeline::name_track(unsigned track, std::string_view name) { tracks_[track].name = name; }

std::uint64_t Timeline::recorded() const {
  std::uint64_t sum = 0;
  for (const auto& track : tracks_) sum += track.records.size();
  return sum;
}

std::uint64_t Timeline::dropped() const {
  std::uint64_t sum = 0;
  for (const auto& track : tracks_) sum += track.dropped;
  return sum;
}

std::string_view Timeline::name_of(std::uint32_t what, std::span<const std::string> units) const {
  if ((what & activity_bit) != 0) return activities_[what & ~activity_bit];
  return what < units.size() ? std::string_view(units[what]) : std::string_view("unit");
}

void Timeline::write_chrome_trace(const std::filesystem::path& path, std::span<const std::string> units) const {
  const auto microseconds = [](Clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); };
  File file(path);
  file.write(R"({"displayTimeUnit":"ns","otherData":{"dropped":)" + std::to_string(dropped()) +
             "},\n\"traceEvents\":[\n");
  file.write(R"({"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"consort"}})");
  std::string line;
  for (unsigned i = 0; i < tracks_.size(); ++i) {
    file.write(fmt::format(",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{},\"args\":{{\"name\":{}}}}}",
                           i, json(tracks_[i].name)));
    for (const auto& r : tracks_[i].records) {
      line.clear();
      fmt::format_to(std::back_inserter(line),
                     ",\n{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}",
                     json(name_of(r.what, units)), (r.what & activity_bit) != 0 ? "engine" : "unit", i,
                     microseconds(r.begin - begin_), microseconds(r.end - r.begin));
      if (std::isfinite(r.simulated)) fmt::format_to(std::back_inserter(line), ",\"args\":{{\"t\":{}}}", r.simulated);
      line += '}';
      file.write(line);
    }
  }
  file.write("\n]}\n");
  file.close();
}

}  // namespace consort::fleet
