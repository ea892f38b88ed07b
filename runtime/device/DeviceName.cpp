#include "tensorjit/device.h"
#include "tensorjit/error.h"

#include <charconv>

namespace tensorjit {

static constexpr const char *kinds[] = {"cpu", "cuda", "null"};

Device::Device(const std::string &text) {
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  for (uint8_t k = 0; k < std::size(kinds); ++k) {
    if (kind != kinds[k]) continue;
    int index = 0;
    if (colon != text.npos) {
      const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
      const auto [last, error] = std::from_chars(begin, end, index);
      if (begin == end || last != end || error != std::errc()) break;
    }
    *this = Device(static_cast<DeviceType>(k), index);
    return;
  }
  throw device_error("there is no device '" + text + "'; there are cpu, cuda and cuda:0, cuda:1, ...");
}

void Device::failIndex(int index) {
  throw device_error("there is no device number " + std::to_string(index) + "; numbers go from 0 to " +
                     std::to_string(maxIndex));
}

std::string Device::str() const {
  const std::string kind = kinds[static_cast<size_t>(type())];
  return is_cpu() ? kind : kind + ":" + std::to_string(index());
}

} // namespace tensorjit
