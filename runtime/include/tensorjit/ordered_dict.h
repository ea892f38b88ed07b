#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tensorjit {

/// Named values in the order of insertion: `for (auto &item : dict) item.key(), item.value()`, or structured bindings.
template <class T> class OrderedDict {
public:
  struct Item {
    std::string name;
    T held;
    const std::string &key() const { return name; }
    T &value() { return held; }
    const T &value() const { return held; }
  };

  void insert(std::string key, T value) { items_.push_back({std::move(key), std::move(value)}); }
  T *find(const std::string &key) {
    for (Item &i : items_)
      if (i.name == key) return &i.held;
    return nullptr;
  }
  const T *find(const std::string &key) const { return const_cast<OrderedDict *>(this)->find(key); }
  bool contains(const std::string &key) const { return find(key); }
  /// Throws `std::out_of_range` for an unknown key.
  T &operator[](const std::string &key) {
    if (T *v = find(key)) return *v;
    throw std::out_of_range("no entry named '" + key + "'");
  }
  size_t size() const { return items_.size(); }
  bool is_empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

private:
  std::vector<Item> items_;
};

} // namespace tensorjit
