#include "execute/Serialize.h"
#include "file/FileReader.h"
#include "file/FileWriter.h"

namespace tensorjit {

void saveProgram(const SavedProgram &program, const std::string &path) {
  FileWriter out(path);
  out.write(serialize(program));
  out.commit();
}

SavedProgram loadProgram(const std::string &path) {
  FileReader file(path);
  std::vector<std::byte> bytes(file.size());
  file.read(0, bytes);
  return deserialize(bytes, path);
}

} // namespace tensorjit
