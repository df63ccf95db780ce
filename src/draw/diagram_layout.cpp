// Automatic layout: layers from left to right, crossings reduced by several sweeps, axis-parallel lines in channels
// between the layers.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "draw/diagram_model.hpp"
#include "draw/diagram_sizes.hpp"
#include "draw/text.hpp"

namespace consort::draw {

using namespace sizes;

void place_ports(std::vector<BlockPort>& ports, double top, double height) {
  const double first = top + (height - port_pitch * static_cast<double>(ports.size())) / 2 + port_pitch / 2;
  for (std::size_t i = 0; i < ports.size(); ++i) ports[i].y = std::round(first + port_pitch * static_cast<double>(i));
}

std::string pin_text(const Block& frame, const Pin& pin, bool sink) {
  if (pin.box == the_frame) return (sink ? frame.outputs : frame.inputs)[pin.port].name;
  const auto& box = frame.children[pin.box];
  return box.title + "." + (sink ? box.inputs : box.outputs)[pin.port].name;
}

double widest(const std::vector<BlockPort>& ports) {
  double width = 0;
  for (const auto& port : ports) width = std::max(width, width_in_pixels(port_label(port.name), port_font));
  return width;
}

namespace {

double ports_height(const Block& b) {
  return port_pitch * static_cast<double>(std::max(b.inputs.size(), b.outputs.size()));
}

void lay_out_unit(Block& b) {
  const double labels = widest(b.inputs) + widest(b.outputs) + 40;
  const double title =
      std::max(width_in_pixels(box_label(b.title), title_font), width_in_pixels(b.note, port_font)) + 24;
  b.width = std::ceil(std::max({90.0, labels, title}));
  b.height = title_height + std::max(8.0, ports_height(b) + 8);
  place_ports(b.inputs, title_height, b.height - title_height - 4);
  place_ports(b.outputs, title_height, b.height - title_height - 4);
}

// The layout of the content of one frame.
class FrameLayout {
 public:
  explicit FrameLayout(Block& frame) : frame_(frame) {}

  void operator()() {
    assign_layers();
    make_slots();
    index_nets();
    for (int sweep = 0; sweep < 8; ++sweep) reorder(sweep % 2 == 0);
    place_vertically();
    plan_tracks();
    place_horizontally();
    for (auto& net : frame_.nets) route(net);
  }

 private:
  // A box, or the position at which a net passes through a layer.
  struct Slot {
    std::uint32_t box = the_frame;
    std::size_t net = 0;  // used if this is not a box
    double y = 0, height = 0, wish = 0;
  };
  // The vertical part of a net in a channel.
  struct Track {
    double low = 1e300, high = -1e300;
    std::size_t place = 0;
    void include(double y) {
      low = std::min(low, y);
      high = std::max(high, y);
    }
  };

  // --- layers

  void assign_layers() {
    const auto n = frame_.children.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return frame_.children[a].rank < frame_.children[b].rank; });
    std::vector<std::size_t> place(n);
    for (std::size_t i = 0; i < n; ++i) place[order[i]] = i;
    std::vector<std::vector<std::size_t>> next(n);
    for (const auto& net : frame_.nets)
      for (const auto& sink : net.sinks)
        if (net.source.box != the_frame && sink.pin.box != the_frame && place[net.source.box] < place[sink.pin.box])
          next[net.source.box].push_back(sink.pin.box);
    layer_.assign(n, 0);
    for (const auto i : order)
      for (const auto j : next[i]) layer_[j] = std::max(layer_[j], layer_[i] + 1);
    layers_ = n == 0 ? 0 : 1 + *std::max_element(layer_.begin(), layer_.end());
  }

  // Sources of the frame are before the first layer, its outputs after the last layer.
  [[nodiscard]] int source_layer(const Net& net) const {
    return net.source.box == the_frame ? -1 : layer_[net.source.box];
  }
  [[nodiscard]] int sink_layer(const Pin& pin) const { return pin.box == the_frame ? layers_ : layer_[pin.box]; }

  void make_slots() {
    slots_.resize(static_cast<std::size_t>(layers_));
    std::vector<std::size_t> order(frame_.children.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return frame_.children[a].rank < frame_.children[b].rank; });
    for (const auto i : order)
      slots_[static_cast<std::size_t>(layer_[i])].push_back(
          {static_cast<std::uint32_t>(i), 0, 0, frame_.children[i].height, 0});
    for (std::size_t k = 0; k < frame_.nets.size(); ++k) {
      const auto& net = frame_.nets[k];
      int last = source_layer(net);
      for (const auto& sink : net.sinks) last = std::max(last, sink_layer(sink.pin) - 1);
      for (int l = source_layer(net) + 1; l <= last && l < layers_; ++l)
        slots_[static_cast<std::size_t>(l)].push_back({the_frame, k, 0, lane_pitch, 0});
    }
    box_slot_.assign(frame_.children.size(), 0);
    for (std::size_t l = 0; l < slots_.size(); ++l) find_slots(l);
  }

  void find_slots(std::size_t l) {
    for (std::size_t i = 0; i < slots_[l].size(); ++i) {
      const auto& slot = slots_[l][i];
      if (slot.box != the_frame) {
        box_slot_[slot.box] = i;
      } else {
        pass_slot_[{l, slot.net}] = i;
      }
    }
  }

  // Returns the y at which a net leaves a layer to the right: of the box or of the pass.
  [[nodiscard]] double leaving(std::size_t k, int layer) const {
    const auto& net = frame_.nets[k];
    if (layer == source_layer(net)) return pin_y(net.source, false);
    const auto l = static_cast<std::size_t>(layer);
    const auto& slot = slots_[l][pass_slot_.at({l, k})];
    return slot.y + slot.height / 2;
  }

  [[nodiscard]] double pin_y(const Pin& pin, bool sink) const {
    if (pin.box == the_frame) return (sink ? frame_.outputs : frame_.inputs)[pin.port].y;
    const auto& box = frame_.children[pin.box];
    const auto& slot = slots_[static_cast<std::size_t>(layer_[pin.box])][box_slot_[pin.box]];
    return slot.y + (sink ? box.inputs : box.outputs)[pin.port].y;
  }

  // --- order within layers: by the mean of the neighbours

  // Collects the nets that touch each layer, so that a sweep visits each net once.
  void index_nets() {
    nets_near_.assign(static_cast<std::size_t>(layers_), {});
    for (std::size_t k = 0; k < frame_.nets.size(); ++k) {
      const auto& net = frame_.nets[k];
      const int from = source_layer(net);
      int last = from;
      for (const auto& sink : net.sinks) last = std::max(last, sink_layer(sink.pin));
      for (int l = std::max(from, 0); l <= last && l < layers_; ++l)
        nets_near_[static_cast<std::size_t>(l)].push_back(k);
    }
  }

  void reorder(bool forward) {
    for (auto& layer : slots_) {
      double y = 0;
      for (auto& slot : layer) {
        slot.y = y;
        y += slot.height + gap;
      }
    }
    for (int step = 0; step < layers_; ++step) {
      const int l = forward ? step : layers_ - 1 - step;
      auto& layer = slots_[static_cast<std::size_t>(l)];
      wish(l, forward, !forward);
      std::stable_sort(layer.begin(), layer.end(), [](const Slot& a, const Slot& b) { return a.wish < b.wish; });
      double y = 0;
      for (auto& slot : layer) {
        slot.y = y;
        y += slot.height + gap;
      }
      find_slots(static_cast<std::size_t>(l));
    }
  }

  // Computes the preferred top of each slot of a layer from the ends of its lines to the left and to the right.
  void wish(int l, bool left, bool right) {
    auto& layer = slots_[static_cast<std::size_t>(l)];
    std::vector<double> sum(layer.size(), 0);
    std::vector<int> count(layer.size(), 0);
    const auto add = [&](std::size_t slot, double shift) {
      sum[slot] += shift;
      ++count[slot];
    };
    for (const auto k : nets_near_[static_cast<std::size_t>(l)]) {
      const auto& net = frame_.nets[k];
      const int from = source_layer(net);
      const auto pass = pass_slot_.find({static_cast<std::size_t>(l), k});
      if (left && from < l) {
        const double y = leaving(k, l - 1);
        if (pass != pass_slot_.end()) add(pass->second, y - layer[pass->second].height / 2 - layer[pass->second].y);
        for (const auto& sink : net.sinks)
          if (sink_layer(sink.pin) == l && sink.pin.box != the_frame)
            add(box_slot_[sink.pin.box], y - pin_y(sink.pin, true));
      }
      if (!right || from > l) continue;
      const bool is_source = from == l;
      if (!is_source && pass == pass_slot_.end()) continue;
      const double here = leaving(k, l);
      const auto slot = is_source ? box_slot_[net.source.box] : pass->second;
      for (const auto& sink : net.sinks)
        if (sink_layer(sink.pin) == l + 1) add(slot, pin_y(sink.pin, true) - here);
      if (const auto next = pass_slot_.find({static_cast<std::size_t>(l) + 1, k}); next != pass_slot_.end())
        add(slot, leaving(k, l + 1) - here);
    }
    for (std::size_t i = 0; i < layer.size(); ++i)
      layer[i].wish = layer[i].y + (count[i] > 0 ? sum[i] / count[i] : 0.0);
  }

  // --- positions

  void place_vertically() {
    for (int sweep = 0; sweep < 6; ++sweep) {
      for (int step = 0; step < layers_; ++step) {
        const int l = sweep % 2 == 0 ? step : layers_ - 1 - step;
        wish(l, sweep % 2 == 0 || sweep > 3, sweep % 2 == 1 || sweep > 3);
        settle(slots_[static_cast<std::size_t>(l)]);
      }
    }
    double top = 1e300, bottom = -1e300;
    for (const auto& layer : slots_) {
      for (const auto& slot : layer) {
        top = std::min(top, slot.y);
        bottom = std::max(bottom, slot.y + slot.height);
      }
    }
    if (slots_.empty()) top = bottom = 0;
    const double shift = std::round(frame_top + 8 - top);
    for (auto& layer : slots_)
      for (auto& slot : layer) slot.y = std::round(slot.y + shift);
    inner_bottom_ = std::max(bottom + shift, frame_top + ports_height(frame_) + 8);
    place_ports(frame_.inputs, frame_top, inner_bottom_ - frame_top);
    place_ports(frame_.outputs, frame_top, inner_bottom_ - frame_top);
  }

  // Places slots as close to their preferred positions as order and gaps allow: runs of touching slots use the mean of
  // their preferred positions.
  static void settle(std::vector<Slot>& layer) {
    struct Run {
      std::size_t begin, end;
      double sum, count, height;
      [[nodiscard]] double top() const { return sum / count; }
    };
    std::vector<Run> runs;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      runs.push_back({i, i + 1, layer[i].wish, 1, layer[i].height + gap});
      while (runs.size() > 1 && runs[runs.size() - 2].top() + runs[runs.size() - 2].height > runs.back().top()) {
        const Run last = runs.back();
        runs.pop_back();
        Run& run = runs.back();
        run.sum += last.sum - last.count * run.height;
        run.count += last.count;
        run.height += last.height;
        run.end = last.end;
      }
    }
    for (const auto& run : runs) {
      double y = run.top();
      for (std::size_t i = run.begin; i < run.end; ++i) {
        layer[i].y = y;
        y += layer[i].height + gap;
      }
    }
  }

  // --- channels: channel c is left of layer c

  void plan_tracks() {
    tracks_.assign(static_cast<std::size_t>(layers_) + 1, {});
    std::size_t lanes = 0;
    for (std::size_t k = 0; k < frame_.nets.size(); ++k) {
      const auto& net = frame_.nets[k];
      const int from = source_layer(net);
      bool back = false;
      for (const auto& sink : net.sinks) back = back || sink_layer(sink.pin) <= from;
      if (back) lane_[k] = inner_bottom_ + 12 + lane_pitch * static_cast<double>(lanes++);
      for (const auto& sink : net.sinks) {
        const int to = sink_layer(sink.pin);
        auto& track = track_of(to, k);
        track.include(pin_y(sink.pin, true));
        track.include(to <= from ? lane_[k] : leaving(k, to - 1));
      }
      if (back) {
        auto& track = track_of(from + 1, k);
        track.include(pin_y(net.source, false));
        track.include(lane_[k]);
      }
      for (int l = from + 1; l < layers_; ++l) {
        if (!pass_slot_.contains({static_cast<std::size_t>(l), k})) break;
        track_of(l, k).include(leaving(k, l - 1));
        track_of(l, k).include(leaving(k, l));
      }
    }
    lanes_bottom_ = lanes == 0 ? inner_bottom_ : inner_bottom_ + 12 + lane_pitch * static_cast<double>(lanes);
    for (auto& channel : tracks_) pack(channel);
  }

  Track& track_of(int channel, std::size_t net) { return tracks_[static_cast<std::size_t>(channel)][net]; }

  // Nets whose vertical parts do not overlap share a track position.
  static void pack(std::map<std::size_t, Track>& channel) {
    std::vector<Track*> all;
    for (auto& [net, track] : channel)
      if (track.high - track.low > 0.5) all.push_back(&track);
    std::stable_sort(all.begin(), all.end(), [](const Track* a, const Track* b) { return a->low < b->low; });
    std::vector<double> ends;
    for (auto* track : all) {
      std::size_t place = 0;
      while (place < ends.size() && ends[place] + 4 > track->low) ++place;
      if (place == ends.size()) ends.push_back(0);
      ends[place] = track->high;
      track->place = place;
    }
  }

  [[nodiscard]] static std::size_t places(const std::map<std::size_t, Track>& channel) {
    std::size_t most = 0;
    for (const auto& [net, track] : channel)
      if (track.high - track.low > 0.5) most = std::max(most, track.place + 1);
    return most;
  }

  void place_horizontally() {
    double x = frame_padding + (frame_.inputs.empty() ? 0 : widest(frame_.inputs) + 10);
    left_end_ = widest(frame_.inputs) + 12;
    for (int c = 0; c <= layers_; ++c) {
      channel_x_.push_back(x + channel_margin);
      const auto used = places(tracks_[static_cast<std::size_t>(c)]);
      const bool edge = c == 0 || c == layers_;
      if (!edge || used > 0) x += 2 * channel_margin + track_pitch * static_cast<double>(used);
      if (c == layers_) break;
      double width = 0;
      for (const auto& slot : slots_[static_cast<std::size_t>(c)])
        if (slot.box != the_frame) width = std::max(width, frame_.children[slot.box].width);
      for (const auto& slot : slots_[static_cast<std::size_t>(c)]) {
        if (slot.box == the_frame) continue;
        auto& box = frame_.children[slot.box];
        box.x = std::round(x + (width - box.width) / 2);
        box.y = slot.y;
      }
      x += width;
    }
    x += frame_.outputs.empty() ? 0 : widest(frame_.outputs) + 10;
    const double title = width_in_pixels(box_label(frame_.title), title_font) + 2 * frame_padding + 10;
    frame_.width = std::ceil(std::max(x + frame_padding, title));
    right_begin_ = frame_.width - widest(frame_.outputs) - 12;
    frame_.height = std::ceil(lanes_bottom_ + frame_padding);
  }

  // --- lines

  [[nodiscard]] double track_x(int channel, std::size_t net) const {
    const auto c = static_cast<std::size_t>(channel);
    const auto found = tracks_[c].find(net);
    const std::size_t place = found == tracks_[c].end() ? 0 : found->second.place;
    return channel_x_[c] + track_pitch * static_cast<double>(place);
  }

  void route(const Net& net) {
    const auto k = static_cast<std::size_t>(&net - frame_.nets.data());
    const int from = source_layer(net);
    const double start = net.source.box == the_frame
                             ? left_end_
                             : frame_.children[net.source.box].x + frame_.children[net.source.box].width;
    for (const auto& sink : net.sinks) {
      const int to = sink_layer(sink.pin);
      const double end = sink.pin.box == the_frame ? right_begin_ : frame_.children[sink.pin.box].x;
      Wiring wire;
      wire.loop = sink.loop;
      wire.signals = net.signals;
      wire.tip = pin_text(frame_, net.source, false) + " → " + pin_text(frame_, sink.pin, true);
      double y = pin_y(net.source, false);
      wire.corners.push_back({start, y});
      const auto turn = [&](int channel, double next) {
        if (std::abs(next - y) > 0.25) {
          wire.corners.push_back({track_x(channel, k), y});
          wire.corners.push_back({track_x(channel, k), next});
        }
        y = next;
      };
      if (to <= from) {
        turn(from + 1, lane_.at(k));
      } else {
        for (int l = from + 1; l < to; ++l) turn(l, leaving(k, l));
      }
      turn(to, pin_y(sink.pin, true));
      wire.corners.push_back({end, y});
      frame_.wires.push_back(std::move(wire));
    }
  }

  Block& frame_;
  std::vector<int> layer_;  // by child
  int layers_ = 0;
  std::vector<std::vector<Slot>> slots_;  // per layer
  std::vector<std::vector<std::size_t>> nets_near_;
  std::vector<std::size_t> box_slot_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> pass_slot_;  // layer and net
  std::vector<std::map<std::size_t, Track>> tracks_;                      // per channel and net
  std::map<std::size_t, double> lane_;                                    // by backward net; below all boxes
  std::vector<double> channel_x_;
  double inner_bottom_ = 0, lanes_bottom_ = 0, left_end_ = 0, right_begin_ = 0;
};

// Measures from the innermost blocks outwards.
void measure(Block& block) {
  if (!block.is_system) return lay_out_unit(block);
  for (auto& child : block.children) measure(child);
  if (block.sheet != nullptr) return measure_placed(block);
  FrameLayout layout(block);
  layout();
}

// Arranges from the outermost block inwards.
void arrange(Block& block, bool outermost) {
  if (block.sheet != nullptr) arrange_placed(block, outermost);
  for (auto& child : block.children) arrange(child, false);
}

}  // namespace

void lay_out(Block& block) {
  measure(block);
  arrange(block, true);
}

}  // namespace consort::draw
