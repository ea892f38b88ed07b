#include "HalfProducts.h"

#include <regex>

namespace tensorjit::cuda::test {

std::string HalfProduct::nest() const {
  std::string text = R"(
func.func @f(%a: tensor<LEFT>, %b: tensor<RIGHT>) -> (tensor<BxMxNxf32>, tensor<BxMxNxHALF>) {
  %r:2 = kernel.nest "TYPE_product" [parallel B, parallel M, parallel N, reduction K]
    ins(%a at affine_map<(g, m, n, k) -> (g, ATLEFT)> : tensor<LEFT>,
        %b at affine_map<(g, m, n, k) -> (g, ATRIGHT)> : tensor<RIGHT>)
    outs(affine_map<(g, m, n, k) -> (g, m, n)> : tensor<BxMxNxf32>,
         affine_map<(g, m, n, k) -> (g, m, n)> : tensor<BxMxNxHALF>) {
  ^bb0(%x: HALF, %y: HALF):
    %u = arith.extf %x : HALF to f32
    %v = arith.extf %y : HALF to f32
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    %t = arith.truncf %s : f32 to HALF
    kernel.yield %s, %t : f32, HALF
  }
  return %r#0, %r#1 : tensor<BxMxNxf32>, tensor<BxMxNxHALF>
})";
  auto put = [&](const char *name, const std::string &value) {
    text = std::regex_replace(text, std::regex(name), value);
  };
  put("ATLEFT", aAlongK ? "m, k" : "k, m");
  put("ATRIGHT", bAlongK ? "n, k" : "k, n");
  put("LEFT", aAlongK ? "BxMxKxHALF" : "BxKxMxHALF");
  put("RIGHT", bAlongK ? "BxNxKxHALF" : "BxKxNxHALF");
  put("HALF|TYPE", type);
  put("\\bB\\b|B(?=x)", std::to_string(batch));
  put("\\bM\\b|M(?=x)", std::to_string(m));
  put("\\bN\\b|N(?=x)", std::to_string(n));
  put("\\bK\\b|K(?=x)", std::to_string(k));
  return text;
}

} // namespace tensorjit::cuda::test
