#include "tensor/RecordOp.h"

#include "tensor/OpBridge.h"
#include "tensorjit/error.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <deque>

using namespace mlir;

namespace tensorjit::tj {

namespace {

/// `tj.add %a, %b {attributes} : (types) -> types`
ParseResult parseRecordOp(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc at = parser.getCurrentLocation();
  FunctionType type;
  if (parser.parseOperandList(operands) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) || parser.resolveOperands(operands, type.getInputs(), at, state.operands))
    return failure();
  state.addTypes(type.getResults());
  return success();
}

LogicalResult verifyCounts(Operation *op, const OpInfo &row) {
  const unsigned count = op->getNumOperands();
  if (count < row.minOperands || count > row.maxOperands) {
    auto error = op->emitOpError() << "expected " << unsigned(row.minOperands);
    if (row.maxOperands > row.minOperands) error << " to " << unsigned(row.maxOperands);
    return error << " operands, got " << count;
  }
  if (op->getNumResults() != row.numResults)
    return op->emitOpError() << "expected " << unsigned(row.numResults) << " results, got " << op->getNumResults();
  if (op->getNumRegions() || op->getNumSuccessors()) return op->emitOpError("takes neither regions nor successors");
  return success();
}

LogicalResult verifyTypes(Operation *op, TypeRange types, const char *what) {
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !dtypeOf(tensor.getElementType()))
      return op->emitOpError() << what << " #" << i
                               << " must be a ranked tensor of i1, ui8, i8, i16, i32, i64, f16, bf16, f32 or f64, got "
                               << type;
  }
  return success();
}

/// One op of the dialect. It has no properties: its attributes are the dictionary's.
class RecordOp final : public OperationName::Impl {
public:
  RecordOp(OpId id, TypeID typeId, Dialect &dialect, const Rewrites *rewrites)
      : Impl(("tj." + Twine(info(id).name)).str(), &dialect, typeId, interfaces(info(id))), row_(info(id)),
        rewrites_(rewrites) {}

  LogicalResult verifyInvariants(Operation *op) override {
    if (failed(verifyCounts(op, row_)) || failed(verifyTypes(op, op->getOperandTypes(), "operand")) ||
        failed(verifyTypes(op, op->getResultTypes(), "result")))
      return failure();
    for (const AttrSpec &spec : row_.attrs)
      if (!op->hasAttr(spec.name)) return op->emitOpError() << "requires attribute '" << spec.name << "'";
    return verifyAgainstRecord(op);
  }
  LogicalResult verifyRegionInvariants(Operation *) override { return success(); }

  OperationName::ParseAssemblyFn getParseAssemblyFn() override { return parseRecordOp; }
  void printAssembly(Operation *op, OpAsmPrinter &printer, StringRef) override {
    printer << op->getName();
    if (op->getNumOperands()) printer << ' ' << op->getOperands();
    printer.printOptionalAttrDict(op->getAttrs());
    printer << " : ";
    printer.printFunctionalType(op);
  }

  LogicalResult foldHook(Operation *op, ArrayRef<Attribute>, SmallVectorImpl<OpFoldResult> &results) override {
    OpFoldResult folded = rewrites_ && rewrites_->fold ? rewrites_->fold(op) : OpFoldResult();
    if (!folded) return failure();
    if (folded != OpFoldResult(op->getResult(0))) results.push_back(folded); // else: changed in place
    return success();
  }
  void getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) override {
    if (rewrites_ && rewrites_->addPatterns) rewrites_->addPatterns(patterns);
  }
  bool hasTrait(TypeID) override { return false; }

  // Attributes and properties.
  void populateDefaultAttrs(const OperationName &, NamedAttrList &) override {}
  std::optional<Attribute> getInherentAttr(Operation *, StringRef) override { return std::nullopt; }
  void setInherentAttr(Operation *op, StringAttr name, Attribute value) override {
    op->setDiscardableAttr(name, value);
  }
  void populateInherentAttrs(Operation *, NamedAttrList &) override {}
  LogicalResult verifyInherentAttrs(OperationName, NamedAttrList &, function_ref<InFlightDiagnostic()>) override {
    return success();
  }
  int getOpPropertyByteSize() override { return 0; }
  void initProperties(OperationName, OpaqueProperties, OpaqueProperties) override {}
  void deleteProperties(OpaqueProperties) override {}
  void populateDefaultProperties(OperationName, OpaqueProperties) override {}
  LogicalResult setPropertiesFromAttr(OperationName, OpaqueProperties, Attribute,
                                      function_ref<InFlightDiagnostic()> emitError) override {
    return emitError() << "tj ops have no properties";
  }
  Attribute getPropertiesAsAttr(Operation *) override { return {}; }
  void copyProperties(OpaqueProperties, OpaqueProperties) override {}
  bool compareProperties(OpaqueProperties, OpaqueProperties) override { return true; }
  llvm::hash_code hashProperties(OpaqueProperties) override { return {}; }

private:
  struct NoEffects : MemoryEffectOpInterface::FallbackModel<NoEffects> {
    void getEffects(Operation *, SmallVectorImpl<MemoryEffects::EffectInstance> &) const {}
  };

  /// An op that checks indices stays though nobody reads its result.
  static mlir::detail::InterfaceMap interfaces(const OpInfo &row) {
    mlir::detail::InterfaceMap map;
    if (!row.checksIndex) map.insertModels<NoEffects>();
    return map;
  }

  const OpInfo &row_;
  const Rewrites *rewrites_;
};

/// One id an op, the same in every context.
TypeID typeIdOf(size_t place) {
  static std::deque<SelfOwningTypeID> ids(allOps().size());
  return ids[place];
}

const Rewrites *rewritesOf(OpId op) {
  for (ArrayRef<Rewrites> table : {pointwiseRewrites(), viewRewrites()})
    for (const Rewrites &entry : table)
      if (entry.op == op) return &entry;
  return nullptr;
}

} // namespace

void registerRecordOps(TJDialect &dialect) {
  for (auto [i, op] : llvm::enumerate(allOps()))
    RegisteredOperationName::insert(std::make_unique<RecordOp>(op, typeIdOf(i), dialect, rewritesOf(op)), {});
}

} // namespace tensorjit::tj
