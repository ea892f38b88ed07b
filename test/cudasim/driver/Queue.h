#pragma once
#include "driver/Objects.h"

namespace cudasim {

/// Puts work into a stream, or into the graph that the stream records. Nothing has to run before someone waits for it.
CUresult submit(Stream &stream, Work work, CUgraphNodeType type);

/// Run until the stream, the event or everything of the context is done. The context's error, if it has one then.
CUresult finish(Stream &stream);
CUresult finish(Event &event);
CUresult finish(Context &context);
/// Lets some work run, as time would.
void progress(Context &context);
bool isCapturing(Context &context);

} // namespace cudasim
