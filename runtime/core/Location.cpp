#include "core/Location.h"
#include "core/Dispatch.h"

#include <string_view>

namespace tensorjit {

std::string dispatch::at(const SourceLocation &loc) {
  std::string_view file = loc.file_name();
  if (size_t slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  return " (" + std::string(file) + ":" + std::to_string(loc.line()) + ")";
}

/// Whether the text ends in "(name:digits)".
static bool hasLine(std::string_view text) {
  if (text.empty() || text.back() != ')') return false;
  size_t colon = text.rfind(':'), open = text.rfind(" (");
  if (colon == text.npos || open == text.npos || colon < open || colon + 2 >= text.size()) return false;
  return text.substr(colon + 1, text.size() - colon - 2).find_first_not_of("0123456789") == text.npos;
}

void rethrowAt(const std::source_location &loc) {
  auto located = [&](const Error &e) { return hasLine(e.what()) ? e.what() : e.what() + dispatch::at(loc); };
  try {
    throw;
  } catch (const shape_error &e) {
    throw shape_error(located(e));
  } catch (const type_error &e) {
    throw type_error(located(e));
  } catch (const value_error &e) {
    throw value_error(located(e));
  } catch (const index_error &e) {
    throw index_error(located(e));
  } catch (const alias_error &e) {
    throw alias_error(located(e));
  } catch (const grad_error &e) {
    throw grad_error(located(e));
  } catch (const device_error &e) {
    throw device_error(located(e));
  } catch (const out_of_memory &e) {
    throw out_of_memory(located(e));
  } catch (const not_supported &e) {
    throw not_supported(located(e));
  } catch (const io_error &e) {
    throw io_error(located(e));
  } catch (const compile_error &e) {
    throw compile_error(located(e));
  } catch (const std::bad_alloc &) {
    throw out_of_memory("the program's own memory is at its end" + dispatch::at(loc));
  } catch (const Error &e) {
    throw Error(located(e));
  }
}

} // namespace tensorjit
