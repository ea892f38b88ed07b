// The written form of kernel.nest.
#include "kernel/Kernel.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace tensorjit::kernel {

// Written out, where the printer would use an alias: a kernel is then readable on its own.
static void printMap(OpAsmPrinter &p, AffineMap map) { p.getStream() << "affine_map<" << map << '>'; }

static void printPad(OpAsmPrinter &p, TypedAttr pad) {
  p << "pad ";
  p.printAttribute(pad);
  p << ' ';
}

void NestOp::print(OpAsmPrinter &p) {
  p << ' ' << getSymNameAttr() << " [";
  for (unsigned dim = 0; dim < getNumDims(); ++dim)
    p << (dim ? ", " : "") << (isReduction(dim) ? "reduction " : "parallel ") << getSize(dim);
  p << ']';
  p.increaseIndent();
  p.increaseIndent();
  for (unsigned i = 0; i < getNumInputs(); ++i) {
    if (i == 0) {
      p.printNewline();
      p << "ins(";
    } else {
      p << ',';
      p.printNewline();
      p << "    ";
    }
    p << getInputs()[i] << ' ';
    if (TypedAttr pad = getPad(i)) printPad(p, pad);
    p << "at ";
    printMap(p, getInputMap(i));
    p << " : " << getInputs()[i].getType();
  }
  if (getNumInputs()) p << ')';
  p.printNewline();
  p << "outs(";
  for (unsigned i = 0; i < getNumOutputs(); ++i) {
    if (i) {
      p << ',';
      p.printNewline();
      p << "     ";
    }
    printMap(p, getOutputMap(i));
    p << " : " << getOutputs()[i].getType();
  }
  p << ')';
  p.decreaseIndent();
  p.decreaseIndent();
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"sym_name", "iterators", "sizes", "maps", "pads"});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/getNumInputs() != 0);
}

static ParseResult parseSpace(OpAsmParser &parser, OperationState &state) {
  SmallVector<Attribute> iterators;
  SmallVector<int64_t> sizes;
  auto parseDim = [&]() -> ParseResult {
    StringRef keyword;
    int64_t size = 0;
    if (parser.parseOptionalKeyword(&keyword, {"parallel", "reduction"}))
      return parser.emitError(parser.getCurrentLocation(), "expected 'parallel' or 'reduction'");
    if (parser.parseInteger(size)) return failure();
    iterators.push_back(parser.getBuilder().getStringAttr(keyword));
    sizes.push_back(size);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseDim)) return failure();
  state.addAttribute("iterators", parser.getBuilder().getArrayAttr(iterators));
  state.addAttribute("sizes", parser.getBuilder().getDenseI64ArrayAttr(sizes));
  return success();
}

static ParseResult parseInputs(OpAsmParser &parser, OperationState &state, SmallVectorImpl<Attribute> &maps) {
  SmallVector<Attribute> pads;
  auto parseInput = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    AffineMapAttr map;
    Attribute pad = parser.getBuilder().getUnitAttr();
    Type type;
    if (parser.parseOperand(operand)) return failure();
    if (succeeded(parser.parseOptionalKeyword("pad")) && parser.parseAttribute(pad)) return failure();
    if (parser.parseKeyword("at") || parser.parseAttribute(map) || parser.parseColonType(type) ||
        parser.resolveOperand(operand, type, state.operands))
      return failure();
    maps.push_back(map);
    pads.push_back(pad);
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("ins")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseInput))
    return failure();
  state.addAttribute("pads", parser.getBuilder().getArrayAttr(pads));
  return success();
}

static ParseResult parseOutputs(OpAsmParser &parser, OperationState &state, SmallVectorImpl<Attribute> &maps) {
  auto parseOutput = [&]() -> ParseResult {
    AffineMapAttr map;
    Type type;
    if (parser.parseAttribute(map) || parser.parseColonType(type)) return failure();
    maps.push_back(map);
    state.types.push_back(type);
    return success();
  };
  return failure(parser.parseKeyword("outs") ||
                 parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOutput));
}

ParseResult NestOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  SmallVector<Attribute> maps;
  if (parser.parseAttribute(name) || parseSpace(parser, state) || parseInputs(parser, state, maps) ||
      parseOutputs(parser, state, maps) || parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion()))
    return failure();
  state.addAttribute("sym_name", name);
  state.addAttribute("maps", parser.getBuilder().getArrayAttr(maps));
  return success();
}

} // namespace tensorjit::kernel
