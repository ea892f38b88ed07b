#include "driver/Api.h"
#include "driver/Copy.h"
#include "driver/Launch.h"
#include "driver/Queue.h"

#include <algorithm>

using namespace cudasim;

namespace {

/// Graphs live until they are destroyed; one that is being captured is owned by the capture.
std::set<std::unique_ptr<Graph>> &graphs() {
  static auto *all = new std::set<std::unique_ptr<Graph>>;
  return *all;
}

Graph *makeGraph() {
  auto graph = std::make_unique<Graph>();
  Graph *p = graph.get();
  driver().handles.insert(p);
  graphs().insert(std::move(graph));
  return p;
}

void destroyGraph(Graph *graph) {
  for (auto &node : graph->nodes) driver().handles.erase(node.get());
  driver().handles.erase(graph);
  std::erase_if(graphs(), [&](auto &g) { return g.get() == graph; });
}

void forgetCapture(Stream &s) {
  s.capturing = nullptr;
  s.captured.clear();
  s.captureOrigin = s.captureBroken = false;
}

CUgraphNode handleOf(GraphNode *node) { return reinterpret_cast<CUgraphNode>(node); }

CUresult addNode(CUgraphNode *out, CUgraph graphHandle, const CUgraphNode *dependencies, size_t count, Work work,
                 CUgraphNodeType type) {
  auto *graph = object<Graph>(graphHandle);
  if (!graph || !out || (count && !dependencies)) return CUDA_ERROR_INVALID_VALUE;
  auto node = std::make_unique<GraphNode>();
  node->graph = graph;
  node->work = std::move(work);
  node->type = type;
  for (size_t i = 0; i < count; ++i) {
    auto *before = object<GraphNode>(dependencies[i]);
    if (!before || before->graph != graph) return CUDA_ERROR_INVALID_VALUE;
    node->dependencies.push_back(before);
  }
  driver().handles.insert(node.get());
  *out = handleOf(node.get());
  graph->nodes.push_back(std::move(node));
  return CUDA_SUCCESS;
}

/// The nodes' copies, every one behind what it depends on.
std::shared_ptr<GraphPlan> planOf(const Graph &graph) {
  auto plan = std::make_shared<GraphPlan>();
  std::map<const GraphNode *, size_t> at;
  for (auto &node : graph.nodes)
    at[node.get()] = plan->steps.size(), plan->steps.push_back({node->work, {}, node->type, node.get()});
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (GraphNode *before : graph.nodes[i]->dependencies) plan->steps[i].dependencies.push_back(at.at(before));
  return plan;
}

/// A cycle could never run.
bool isAcyclic(const GraphPlan &plan) {
  std::vector<bool> done(plan.steps.size(), false);
  for (size_t round = 0; round < plan.steps.size(); ++round)
    for (size_t i = 0; i < plan.steps.size(); ++i)
      done[i] = done[i] || std::all_of(plan.steps[i].dependencies.begin(), plan.steps[i].dependencies.end(),
                                       [&](size_t d) { return done[d]; });
  return std::all_of(done.begin(), done.end(), [](bool d) { return d; });
}

CUresult instantiate(CUgraphExec *out, CUgraph handle) {
  return inContext([&](Context &) {
    auto *graph = object<Graph>(handle);
    if (!graph || !out) return CUDA_ERROR_INVALID_VALUE;
    auto exec = std::make_unique<GraphExec>();
    exec->plan = planOf(*graph);
    if (!isAcyclic(*exec->plan)) return CUDA_ERROR_INVALID_VALUE;
    driver().handles.insert(exec.get());
    *out = reinterpret_cast<CUgraphExec>(exec.release());
    return CUDA_SUCCESS;
  });
}

CUresult kernelWork(const CUDA_KERNEL_NODE_PARAMS *p, Work &out) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  KernelWork work;
  LaunchShape shape{
      {p->gridDimX, p->gridDimY, p->gridDimZ}, {p->blockDimX, p->blockDimY, p->blockDimZ}, p->sharedMemBytes, false};
  CUresult error = makeKernelWork(p->func, shape, p->kernelParams, p->extra, work);
  out = std::move(work);
  return error;
}

FillWork fillWork(const CUDA_MEMSET_NODE_PARAMS &p) {
  return {p.dst, p.height > 1 ? p.pitch : p.width * p.elementSize, p.width, p.height, p.value, p.elementSize};
}

/// An instantiated graph keeps running as it was when an update comes: the plan is copied.
CUresult setStep(CUgraphExec execHandle, CUgraphNode nodeHandle, Work work) {
  auto *exec = object<GraphExec>(execHandle);
  auto *node = object<GraphNode>(nodeHandle);
  if (!exec || !node) return CUDA_ERROR_INVALID_VALUE;
  auto plan = std::make_shared<GraphPlan>(*exec->plan);
  for (auto &step : plan->steps)
    if (step.origin == node && step.work.index() == work.index()) {
      step.work = std::move(work);
      exec->plan = std::move(plan);
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUDASIM_API cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode) {
  return inContext([&](Context &context) {
    Stream *s = streamOf(context, handle);
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    if (s == &context.defaultStream) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (s->capturing) return CUDA_ERROR_ILLEGAL_STATE;
    s->capturing = makeGraph();
    s->captured.clear();
    s->captureOrigin = true;
    s->captureId = ++driver().nextId;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuStreamEndCapture(CUstream handle, CUgraph *out) {
  return inContext([&](Context &context) {
    Stream *s = streamOf(context, handle);
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (!s->capturing) return CUDA_ERROR_ILLEGAL_STATE;
    if (!s->captureOrigin) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    Graph *graph = s->capturing;
    bool broken = s->captureBroken, unjoined = false;
    std::vector<GraphNode *> reached = s->captured;
    for (size_t i = 0; i < reached.size(); ++i)
      for (GraphNode *before : reached[i]->dependencies)
        if (std::find(reached.begin(), reached.end(), before) == reached.end()) reached.push_back(before);
    for (auto &each : context.streams)
      if (each.get() != s && each->capturing == graph) {
        for (GraphNode *node : each->captured)
          unjoined |= std::find(reached.begin(), reached.end(), node) == reached.end();
        forgetCapture(*each);
      }
    forgetCapture(*s);
    for (auto &event : context.events)
      if (event->captureGraph == graph) event->captureGraph = nullptr;
    *out = nullptr;
    if (broken || unjoined) {
      destroyGraph(graph);
      return broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
    *out = reinterpret_cast<CUgraph>(graph);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  return inContext([&](Context &context) {
    Stream *s = streamOf(context, handle);
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    *status = !s->capturing      ? CU_STREAM_CAPTURE_STATUS_NONE
              : s->captureBroken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                 : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                      const CUgraphNode **dependencies, size_t *count) {
  return inContext([&](Context &context) {
    Stream *s = streamOf(context, handle);
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    *status = s->capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    if (!s->capturing) return CUDA_SUCCESS;
    if (id) *id = s->captureId;
    if (graph) *graph = reinterpret_cast<CUgraph>(s->capturing);
    if (dependencies) *dependencies = reinterpret_cast<const CUgraphNode *>(s->captured.data());
    if (count) *count = s->captured.size();
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  thread_local CUstreamCaptureMode current = CU_STREAM_CAPTURE_MODE_GLOBAL;
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, current);
  return CUDA_SUCCESS;
}

CUDASIM_API cuGraphCreate(CUgraph *out, unsigned flags) {
  return initialized([&] {
    if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
    *out = reinterpret_cast<CUgraph>(makeGraph());
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuGraphDestroy(CUgraph handle) {
  return initialized([&] {
    auto *graph = object<Graph>(handle);
    if (!graph) return CUDA_ERROR_INVALID_VALUE;
    destroyGraph(graph);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                    const CUDA_KERNEL_NODE_PARAMS *p) {
  return inContext([&](Context &) -> CUresult {
    Work work;
    if (CUresult error = kernelWork(p, work)) return error;
    return addNode(out, graph, dependencies, count, std::move(work), CU_GRAPH_NODE_TYPE_KERNEL);
  });
}

CUDASIM_API cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                 const CUDA_MEMCPY3D *p, CUcontext) {
  return inContext([&](Context &) -> CUresult {
    CopyWork work;
    if (!copyFrom3D(p, work)) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = checkCopy(work)) return error;
    return addNode(out, graph, dependencies, count, work, CU_GRAPH_NODE_TYPE_MEMCPY);
  });
}

CUDASIM_API cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                 const CUDA_MEMSET_NODE_PARAMS *p, CUcontext) {
  return inContext([&](Context &) -> CUresult {
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = checkFill(fillWork(*p))) return error;
    return addNode(out, graph, dependencies, count, fillWork(*p), CU_GRAPH_NODE_TYPE_MEMSET);
  });
}

CUDASIM_API cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                               const CUDA_HOST_NODE_PARAMS *p) {
  return inContext([&](Context &) -> CUresult {
    if (!p || !p->fn) return CUDA_ERROR_INVALID_VALUE;
    return addNode(out, graph, dependencies, count, HostWork{p->fn, p->userData}, CU_GRAPH_NODE_TYPE_HOST);
  });
}

CUDASIM_API cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count) {
  return inContext(
      [&](Context &) { return addNode(out, graph, dependencies, count, Work(), CU_GRAPH_NODE_TYPE_EMPTY); });
}

CUDASIM_API cuGraphAddDependencies_v2(CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *, size_t count) {
  return inContext([&](Context &) {
    auto *graph = object<Graph>(handle);
    if (!graph || (count && (!from || !to))) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) {
      auto *before = object<GraphNode>(from[i]), *after = object<GraphNode>(to[i]);
      if (!before || !after || before->graph != graph || after->graph != graph) return CUDA_ERROR_INVALID_VALUE;
      after->dependencies.push_back(before);
    }
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuGraphGetNodes(CUgraph handle, CUgraphNode *nodes, size_t *count) {
  return inContext([&](Context &) {
    auto *graph = object<Graph>(handle);
    if (!graph || !count) return CUDA_ERROR_INVALID_VALUE;
    if (nodes)
      for (size_t i = 0; i < *count; ++i)
        nodes[i] = i < graph->nodes.size() ? handleOf(graph->nodes[i].get()) : nullptr;
    *count = nodes ? std::min(*count, graph->nodes.size()) : graph->nodes.size();
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type) {
  return inContext([&](Context &) {
    auto *node = object<GraphNode>(handle);
    if (!node || !type) return CUDA_ERROR_INVALID_VALUE;
    *type = node->type;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *p) {
  return inContext([&](Context &context) {
    auto *node = object<GraphNode>(handle);
    auto *work = node ? std::get_if<KernelWork>(&node->work) : nullptr;
    if (!work || !p) return CUDA_ERROR_INVALID_VALUE;
    node->parameterPointers.clear();
    for (auto &parameter : work->program->parameters)
      node->parameterPointers.push_back(work->parameters.data() + parameter.at);
    *p = {reinterpret_cast<CUfunction>(work->function),
          work->shape.grid[0],
          work->shape.grid[1],
          work->shape.grid[2],
          work->shape.block[0],
          work->shape.block[1],
          work->shape.block[2],
          work->shape.dynamicShared,
          node->parameterPointers.data(),
          nullptr,
          nullptr,
          reinterpret_cast<CUcontext>(&context)};
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuGraphKernelNodeSetParams_v2(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS *p) {
  return inContext([&](Context &) -> CUresult {
    auto *node = object<GraphNode>(handle);
    if (!node || node->type != CU_GRAPH_NODE_TYPE_KERNEL) return CUDA_ERROR_INVALID_VALUE;
    Work work;
    if (CUresult error = kernelWork(p, work)) return error;
    node->work = std::move(work);
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long) {
  return instantiate(out, graph);
}
CUDASIM_API cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, CUgraphNode *, char *, size_t) {
  return instantiate(out, graph);
}
CUDASIM_API cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = instantiate(out, graph);
  p->result_out = result ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return result;
}

CUDASIM_API cuGraphExecDestroy(CUgraphExec handle) {
  return initialized([&] {
    auto *exec = object<GraphExec>(handle);
    if (!exec) return CUDA_ERROR_INVALID_VALUE;
    driver().handles.erase(exec);
    delete exec;
    return CUDA_SUCCESS;
  });
}

CUDASIM_API cuGraphUpload(CUgraphExec handle, CUstream) {
  return inContext([&](Context &) { return object<GraphExec>(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; });
}

CUDASIM_API cuGraphLaunch(CUgraphExec handle, CUstream streamHandle) {
  return inContext([&](Context &context) -> CUresult {
    auto *exec = object<GraphExec>(handle);
    if (!exec) return CUDA_ERROR_INVALID_VALUE;
    Stream *s = streamOf(context, streamHandle);
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    return submit(*s, GraphWork{exec->plan}, CU_GRAPH_NODE_TYPE_GRAPH);
  });
}

CUDASIM_API cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
  return inContext([&](Context &) -> CUresult {
    Work work;
    if (CUresult error = kernelWork(p, work)) return error;
    return setStep(exec, node, std::move(work));
  });
}

CUDASIM_API cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *p, CUcontext) {
  return inContext([&](Context &) -> CUresult {
    CopyWork work;
    if (!copyFrom3D(p, work)) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = checkCopy(work)) return error;
    return setStep(exec, node, work);
  });
}

CUDASIM_API cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p,
                                           CUcontext) {
  return inContext([&](Context &) -> CUresult {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = checkFill(fillWork(*p))) return error;
    return setStep(exec, node, fillWork(*p));
  });
}

CUDASIM_API cuGraphExecUpdate_v2(CUgraphExec execHandle, CUgraph graphHandle, CUgraphExecUpdateResultInfo *info) {
  return inContext([&](Context &) {
    auto *exec = object<GraphExec>(execHandle);
    auto *graph = object<Graph>(graphHandle);
    if (!exec || !graph || !info) return CUDA_ERROR_INVALID_VALUE;
    auto plan = planOf(*graph);
    *info = {};
    auto refuse = [&](CUgraphExecUpdateResult why) {
      info->result = why;
      return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    };
    if (plan->steps.size() != exec->plan->steps.size()) return refuse(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    for (size_t i = 0; i < plan->steps.size(); ++i) {
      if (plan->steps[i].type != exec->plan->steps[i].type) return refuse(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
      if (plan->steps[i].dependencies != exec->plan->steps[i].dependencies)
        return refuse(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    }
    for (size_t i = 0; i < plan->steps.size(); ++i) plan->steps[i].origin = exec->plan->steps[i].origin;
    exec->plan = std::move(plan);
    info->result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    return CUDA_SUCCESS;
  });
}
