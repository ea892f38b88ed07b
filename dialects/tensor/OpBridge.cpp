#include "tensor/OpBridge.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace tensorjit::tj {

Type elementType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::Bool: return IntegerType::get(context, 1);
  case DType::U8: return IntegerType::get(context, 8, IntegerType::Unsigned);
  case DType::I8: return IntegerType::get(context, 8);
  case DType::I16: return IntegerType::get(context, 16);
  case DType::I32: return IntegerType::get(context, 32);
  case DType::I64: return IntegerType::get(context, 64);
  case DType::F16: return Float16Type::get(context);
  case DType::BF16: return BFloat16Type::get(context);
  case DType::F32: return Float32Type::get(context);
  case DType::F64: return Float64Type::get(context);
  }
  return {};
}

std::optional<DType> dtypeOf(Type type) {
  if (type.isF16()) return DType::F16;
  if (type.isBF16()) return DType::BF16;
  if (type.isF32()) return DType::F32;
  if (type.isF64()) return DType::F64;
  if (type.isUnsignedInteger(8)) return DType::U8;
  if (type.isSignlessInteger(1)) return DType::Bool;
  if (type.isSignlessInteger(8)) return DType::I8;
  if (type.isSignlessInteger(16)) return DType::I16;
  if (type.isSignlessInteger(32)) return DType::I32;
  if (type.isSignlessInteger(64)) return DType::I64;
  return std::nullopt;
}

RankedTensorType tensorType(MLIRContext *context, const TensorType &type) {
  Type element = elementType(context, type.dtype);
  if (!element) return {};
  return RankedTensorType::get(ArrayRef(type.sizes.begin(), type.sizes.rank()), element);
}

std::optional<TensorType> tensorTypeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() > static_cast<int64_t>(Shape::maxRank))
    return std::nullopt;
  auto dtype = dtypeOf(tensor.getElementType());
  if (!dtype) return std::nullopt;
  return TensorType{*dtype, Shape(std::span(tensor.getShape().data(), tensor.getShape().size()))};
}

static Attribute scalarAttribute(Builder &builder, Scalar value) {
  switch (value.kind()) {
  case Scalar::Kind::Bool: return builder.getBoolAttr(value.toInt() != 0);
  case Scalar::Kind::Int: return builder.getI64IntegerAttr(value.toInt());
  case Scalar::Kind::Float: break;
  }
  return builder.getF64FloatAttr(value.toDouble());
}

static Attribute attributeOf(Builder &builder, AttrKind kind, AttrReader &reader) {
  switch (kind) {
  case AttrKind::Int: return builder.getI64IntegerAttr(reader.integer());
  case AttrKind::Bool: return builder.getBoolAttr(reader.boolean());
  case AttrKind::Float: return builder.getF64FloatAttr(reader.number());
  case AttrKind::Scalar: return scalarAttribute(builder, reader.scalar());
  case AttrKind::DType: return TypeAttr::get(elementType(builder.getContext(), reader.dtype()));
  case AttrKind::Ints: break;
  }
  const Shape ints = reader.ints();
  return builder.getDenseI64ArrayAttr(ArrayRef(ints.begin(), ints.rank()));
}

NamedAttrList attributesOf(MLIRContext *context, OpId op, const Attrs &attrs) {
  Builder builder(context);
  NamedAttrList list;
  AttrReader reader(attrs);
  for (const AttrSpec &spec : info(op).attrs) list.set(spec.name, attributeOf(builder, spec.kind, reader));
  return list;
}

Operation *createOp(OpBuilder &builder, Location loc, OpId op, ValueRange operands, const Attrs &attrs,
                    TypeRange results) {
  OperationState state(loc, qualifiedName(op));
  state.addOperands(operands);
  state.addTypes(results);
  state.attributes = attributesOf(builder.getContext(), op, attrs);
  return builder.create(state);
}

/// Appends the words of one attribute. False where it is of another kind.
static bool addWords(Attrs &words, AttrKind kind, Attribute attribute) {
  switch (kind) {
  case AttrKind::Int:
    if (auto a = dyn_cast<IntegerAttr>(attribute)) return words.addInt(a.getInt()), true;
    return false;
  case AttrKind::Bool:
    if (auto a = dyn_cast<BoolAttr>(attribute)) return words.addInt(a.getValue()), true;
    return false;
  case AttrKind::Float:
    if (auto a = dyn_cast<FloatAttr>(attribute)) return words.addFloat(a.getValueAsDouble()), true;
    return false;
  case AttrKind::Scalar:
    if (auto a = dyn_cast<BoolAttr>(attribute)) return words.addScalar(Scalar(a.getValue())), true;
    if (auto a = dyn_cast<IntegerAttr>(attribute))
      return words.addScalar(Scalar(static_cast<long long>(a.getInt()))), true;
    if (auto a = dyn_cast<FloatAttr>(attribute)) return words.addScalar(Scalar(a.getValueAsDouble())), true;
    return false;
  case AttrKind::DType:
    if (auto a = dyn_cast<TypeAttr>(attribute))
      if (auto dtype = dtypeOf(a.getValue())) return words.addDType(*dtype), true;
    return false;
  case AttrKind::Ints:
    if (auto a = dyn_cast<DenseI64ArrayAttr>(attribute))
      if (a.size() <= static_cast<int64_t>(Shape::maxRank))
        return words.addInts(std::span(a.asArrayRef().data(), static_cast<size_t>(a.size()))), true;
    return false;
  }
  return false;
}

StringRef qualifiedName(OpId op) {
  static const auto names = [] {
    llvm::DenseMap<uint16_t, std::string> map;
    for (OpId each : allOps()) map[static_cast<uint16_t>(each)] = ("tj." + Twine(info(each).name)).str();
    return map;
  }();
  return names.find(static_cast<uint16_t>(op))->second;
}

std::optional<OpId> opIdOf(Operation *operation) {
  StringRef name = operation->getName().getStringRef();
  if (!name.consume_front("tj.")) return std::nullopt;
  return opByName({name.data(), name.size()});
}

bool toGraphNode(Operation *operation, OpId &op, Attrs &attrs) {
  auto found = opIdOf(operation);
  if (!found) return false;
  op = *found;
  attrs = {};
  for (const AttrSpec &spec : info(op).attrs) {
    Attribute attribute = operation->getAttr(spec.name);
    if (!attribute || !addWords(attrs, spec.kind, attribute)) return false;
  }
  return true;
}

} // namespace tensorjit::tj
