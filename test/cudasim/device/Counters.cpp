#include "device/Counters.h"

namespace cudasim {
namespace {

void add(Traffic &to, const Traffic &from) {
  to.requests += from.requests;
  to.bytes += from.bytes;
  to.sectors += from.sectors;
  to.uniqueSectors += from.uniqueSectors;
}

using Fields = std::initializer_list<std::pair<const char *, uint64_t>>;

std::string object(Fields fields) {
  std::string out = "{";
  for (auto &[name, value] : fields)
    out += (out.size() > 1 ? ", \"" : "\"") + std::string(name) + "\": " + std::to_string(value);
  return out + "}";
}

std::string json(const Traffic &t) {
  return object(
      {{"requests", t.requests}, {"bytes", t.bytes}, {"sectors", t.sectors}, {"unique_sectors", t.uniqueSectors}});
}

std::string json(const KernelCounters &k) {
  std::string out =
      "{\"launches\": " + std::to_string(k.launches) + ", \"blocks\": " + std::to_string(k.blocks) +
      ", \"warp_instructions\": " + std::to_string(k.warpInstructions) +
      ", \"lane_instructions\": " + std::to_string(k.laneInstructions) + ", \"global_load\": " + json(k.globalLoad) +
      ", \"global_store\": " + json(k.globalStore) + ", \"atomic\": " + json(k.atomic) + ", \"shared\": " +
      object({{"requests", k.sharedRequests}, {"waves", k.sharedWaves}, {"bank_conflicts", k.bankConflicts}}) +
      ", \"instructions\": {";
  bool first = true;
  for (size_t i = 1; i < k.byClass.size(); ++i) {
    if (!k.byClass[i]) continue;
    out += (first ? "\"" : ", \"") + std::string(name(static_cast<OpClass>(i))) + "\": " + std::to_string(k.byClass[i]);
    first = false;
  }
  return out + "}}";
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

} // namespace

void KernelCounters::add(const KernelCounters &o) {
  launches += o.launches;
  blocks += o.blocks;
  warpInstructions += o.warpInstructions;
  laneInstructions += o.laneInstructions;
  for (size_t i = 0; i < byClass.size(); ++i) byClass[i] += o.byClass[i];
  cudasim::add(globalLoad, o.globalLoad);
  cudasim::add(globalStore, o.globalStore);
  cudasim::add(atomic, o.atomic);
  sharedRequests += o.sharedRequests;
  sharedWaves += o.sharedWaves;
  bankConflicts += o.bankConflicts;
}

KernelCounters Counters::total() const {
  KernelCounters sum;
  for (auto &[name, k] : kernels) sum.add(k);
  return sum;
}

std::string Counters::json() const {
  auto copies = [](const Copies &c) { return object({{"count", c.count}, {"bytes", c.bytes}}); };
  std::string out = "{\"total\": " + cudasim::json(total()) + ",\n \"kernels\": {";
  bool first = true;
  for (auto &[name, k] : kernels) {
    out += (first ? "\n  " : ",\n  ") + quoted(name) + ": " + cudasim::json(k);
    first = false;
  }
  out += "},\n \"copies\": {\"host_to_device\": " + copies(hostToDevice) +
         ", \"device_to_host\": " + copies(deviceToHost) + ", \"device_to_device\": " + copies(deviceToDevice) +
         ", \"host_to_host\": " + copies(hostToHost) + ", \"memset\": " + copies(memset) + "},\n \"allocations\": " +
         object({{"count", allocations}, {"bytes", allocatedBytes}, {"frees", frees}, {"host", hostAllocations}}) +
         ",\n \"modules\": " + std::to_string(modules) + ", \"graph_launches\": " + std::to_string(graphLaunches) +
         ", \"synchronizations\": " + std::to_string(synchronizations) + "}\n";
  return out;
}

Counters &counters() {
  static auto *all = new Counters;
  return *all;
}

} // namespace cudasim
