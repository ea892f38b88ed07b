// A train step of SmallCNN on BATCH images, as recorded.
module {
  func.func @graph(%arg0: tensor<BATCHx1x28x28xf32>, %arg1: tensor<32x1x3x3xf32>, %arg2: tensor<32xf32>, %arg3: tensor<64x32x3x3xf32>, %arg4: tensor<64xf32>, %arg5: tensor<128x3136xf32>, %arg6: tensor<128xf32>, %arg7: tensor<10x128xf32>, %arg8: tensor<10xf32>, %arg9: tensor<BATCHxi64>, %arg10: tensor<f32>, %arg11: tensor<f32>, %arg12: tensor<f32>, %arg13: tensor<f32>, %arg14: tensor<i1>, %arg15: tensor<32x1x3x3xf32>, %arg16: tensor<f32>, %arg17: tensor<f32>, %arg18: tensor<f32>, %arg19: tensor<f32>, %arg20: tensor<i1>, %arg21: tensor<32xf32>, %arg22: tensor<f32>, %arg23: tensor<f32>, %arg24: tensor<f32>, %arg25: tensor<f32>, %arg26: tensor<i1>, %arg27: tensor<64x32x3x3xf32>, %arg28: tensor<f32>, %arg29: tensor<f32>, %arg30: tensor<f32>, %arg31: tensor<f32>, %arg32: tensor<i1>, %arg33: tensor<64xf32>, %arg34: tensor<f32>, %arg35: tensor<f32>, %arg36: tensor<f32>, %arg37: tensor<f32>, %arg38: tensor<i1>, %arg39: tensor<128x3136xf32>, %arg40: tensor<f32>, %arg41: tensor<f32>, %arg42: tensor<f32>, %arg43: tensor<f32>, %arg44: tensor<i1>, %arg45: tensor<128xf32>, %arg46: tensor<f32>, %arg47: tensor<f32>, %arg48: tensor<f32>, %arg49: tensor<f32>, %arg50: tensor<i1>, %arg51: tensor<10x128xf32>, %arg52: tensor<f32>, %arg53: tensor<f32>, %arg54: tensor<f32>, %arg55: tensor<f32>, %arg56: tensor<i1>, %arg57: tensor<10xf32>) -> (tensor<f32>, tensor<10x128xf32>, tensor<10xf32>, tensor<128x3136xf32>, tensor<128xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32x1x3x3xf32> {tj.updates = 1 : i64}, tensor<32x1x3x3xf32> {tj.updates = 15 : i64}, tensor<32xf32> {tj.updates = 2 : i64}, tensor<32xf32> {tj.updates = 21 : i64}, tensor<64x32x3x3xf32> {tj.updates = 3 : i64}, tensor<64x32x3x3xf32> {tj.updates = 27 : i64}, tensor<64xf32> {tj.updates = 4 : i64}, tensor<64xf32> {tj.updates = 33 : i64}, tensor<128x3136xf32> {tj.updates = 5 : i64}, tensor<128x3136xf32> {tj.updates = 39 : i64}, tensor<128xf32> {tj.updates = 6 : i64}, tensor<128xf32> {tj.updates = 45 : i64}, tensor<10x128xf32> {tj.updates = 7 : i64}, tensor<10x128xf32> {tj.updates = 51 : i64}, tensor<10xf32> {tj.updates = 8 : i64}, tensor<10xf32> {tj.updates = 57 : i64}) {
    %0 = tj.conv2d %arg0, %arg1, %arg2 {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, stride = array<i64: 1, 1>} : (tensor<BATCHx1x28x28xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>) -> tensor<BATCHx32x28x28xf32>
    %1 = tj.relu %0 : (tensor<BATCHx32x28x28xf32>) -> tensor<BATCHx32x28x28xf32>
    %2:2 = tj.max_pool2d %1 {ceil_mode = false, dilation = array<i64: 1, 1>, kernel = array<i64: 2, 2>, padding = array<i64: 0, 0>, stride = array<i64: 2, 2>} : (tensor<BATCHx32x28x28xf32>) -> (tensor<BATCHx32x14x14xf32>, tensor<BATCHx32x14x14xi64>)
    %3 = tj.conv2d %2#0, %arg3, %arg4 {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, stride = array<i64: 1, 1>} : (tensor<BATCHx32x14x14xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>) -> tensor<BATCHx64x14x14xf32>
    %4 = tj.relu %3 : (tensor<BATCHx64x14x14xf32>) -> tensor<BATCHx64x14x14xf32>
    %5:2 = tj.max_pool2d %4 {ceil_mode = false, dilation = array<i64: 1, 1>, kernel = array<i64: 2, 2>, padding = array<i64: 0, 0>, stride = array<i64: 2, 2>} : (tensor<BATCHx64x14x14xf32>) -> (tensor<BATCHx64x7x7xf32>, tensor<BATCHx64x7x7xi64>)
    %6 = tj.reshape %5#0 {sizes = array<i64: BATCH, 3136>} : (tensor<BATCHx64x7x7xf32>) -> tensor<BATCHx3136xf32>
    %7 = tj.linear %6, %arg5, %arg6 : (tensor<BATCHx3136xf32>, tensor<128x3136xf32>, tensor<128xf32>) -> tensor<BATCHx128xf32>
    %8 = tj.relu %7 : (tensor<BATCHx128xf32>) -> tensor<BATCHx128xf32>
    %9 = tj.linear %8, %arg7, %arg8 : (tensor<BATCHx128xf32>, tensor<10x128xf32>, tensor<10xf32>) -> tensor<BATCHx10xf32>
    %10:2 = tj.cross_entropy %9, %arg9 {ignore_index = -100 : i64, label_smoothing = 0.000000e+00 : f64, reduction = 1 : i64, tj.check = 0 : i64} : (tensor<BATCHx10xf32>, tensor<BATCHxi64>) -> (tensor<f32>, tensor<BATCHxf32>)
    %11 = tj.full {dtype = f32, sizes = array<i64>, value = 1 : i64} : () -> tensor<f32>
    %12 = tj.cross_entropy_grad %11, %9, %10#1, %arg9 {ignore_index = -100 : i64, label_smoothing = 0.000000e+00 : f64, reduction = 1 : i64} : (tensor<f32>, tensor<BATCHx10xf32>, tensor<BATCHxf32>, tensor<BATCHxi64>) -> tensor<BATCHx10xf32>
    %13 = tj.matmul %12, %arg7 : (tensor<BATCHx10xf32>, tensor<10x128xf32>) -> tensor<BATCHx128xf32>
    %14 = tj.reshape %13 {sizes = array<i64: BATCH, 128>} : (tensor<BATCHx128xf32>) -> tensor<BATCHx128xf32>
    %15 = tj.permute %12 {dims = array<i64: 1, 0>} : (tensor<BATCHx10xf32>) -> tensor<10xBATCHxf32>
    %16 = tj.matmul %15, %8 : (tensor<10xBATCHxf32>, tensor<BATCHx128xf32>) -> tensor<10x128xf32>
    %17 = tj.reduce_sum %12 {dims = array<i64: 0>, keepdim = false} : (tensor<BATCHx10xf32>) -> tensor<10xf32>
    %18 = tj.full {dtype = f32, sizes = array<i64>, value = 0 : i64} : () -> tensor<f32>
    %19 = tj.le %8, %18 : (tensor<BATCHx128xf32>, tensor<f32>) -> tensor<BATCHx128xi1>
    %20 = tj.full {dtype = f32, sizes = array<i64>, value = 0 : i64} : () -> tensor<f32>
    %21 = tj.where %19, %20, %14 : (tensor<BATCHx128xi1>, tensor<f32>, tensor<BATCHx128xf32>) -> tensor<BATCHx128xf32>
    %22 = tj.matmul %21, %arg5 : (tensor<BATCHx128xf32>, tensor<128x3136xf32>) -> tensor<BATCHx3136xf32>
    %23 = tj.reshape %22 {sizes = array<i64: BATCH, 3136>} : (tensor<BATCHx3136xf32>) -> tensor<BATCHx3136xf32>
    %24 = tj.permute %21 {dims = array<i64: 1, 0>} : (tensor<BATCHx128xf32>) -> tensor<128xBATCHxf32>
    %25 = tj.reshape %5#0 {sizes = array<i64: BATCH, 3136>} : (tensor<BATCHx64x7x7xf32>) -> tensor<BATCHx3136xf32>
    %26 = tj.matmul %24, %25 : (tensor<128xBATCHxf32>, tensor<BATCHx3136xf32>) -> tensor<128x3136xf32>
    %27 = tj.reduce_sum %21 {dims = array<i64: 0>, keepdim = false} : (tensor<BATCHx128xf32>) -> tensor<128xf32>
    %28 = tj.reshape %23 {sizes = array<i64: BATCH, 64, 7, 7>} : (tensor<BATCHx3136xf32>) -> tensor<BATCHx64x7x7xf32>
    %29 = tj.max_pool2d_grad %28, %5#1 {dilation = array<i64: 1, 1>, input_sizes = array<i64: BATCH, 64, 14, 14>, kernel = array<i64: 2, 2>, padding = array<i64: 0, 0>, stride = array<i64: 2, 2>} : (tensor<BATCHx64x7x7xf32>, tensor<BATCHx64x7x7xi64>) -> tensor<BATCHx64x14x14xf32>
    %30 = tj.full {dtype = f32, sizes = array<i64>, value = 0 : i64} : () -> tensor<f32>
    %31 = tj.le %4, %30 : (tensor<BATCHx64x14x14xf32>, tensor<f32>) -> tensor<BATCHx64x14x14xi1>
    %32 = tj.full {dtype = f32, sizes = array<i64>, value = 0 : i64} : () -> tensor<f32>
    %33 = tj.where %31, %32, %29 : (tensor<BATCHx64x14x14xi1>, tensor<f32>, tensor<BATCHx64x14x14xf32>) -> tensor<BATCHx64x14x14xf32>
    %34 = tj.conv2d_input_grad %33, %arg3 {dilation = array<i64: 1, 1>, groups = 1 : i64, input_sizes = array<i64: BATCH, 32, 14, 14>, padding = array<i64: 1, 1>, stride = array<i64: 1, 1>} : (tensor<BATCHx64x14x14xf32>, tensor<64x32x3x3xf32>) -> tensor<BATCHx32x14x14xf32>
    %35 = tj.conv2d_weight_grad %33, %2#0 {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, stride = array<i64: 1, 1>, weight_sizes = array<i64: 64, 32, 3, 3>} : (tensor<BATCHx64x14x14xf32>, tensor<BATCHx32x14x14xf32>) -> tensor<64x32x3x3xf32>
    %36 = tj.reduce_sum %33 {dims = array<i64: 0, 2, 3>, keepdim = false} : (tensor<BATCHx64x14x14xf32>) -> tensor<64xf32>
    %37 = tj.max_pool2d_grad %34, %2#1 {dilation = array<i64: 1, 1>, input_sizes = array<i64: BATCH, 32, 28, 28>, kernel = array<i64: 2, 2>, padding = array<i64: 0, 0>, stride = array<i64: 2, 2>} : (tensor<BATCHx32x14x14xf32>, tensor<BATCHx32x14x14xi64>) -> tensor<BATCHx32x28x28xf32>
    %38 = tj.full {dtype = f32, sizes = array<i64>, value = 0 : i64} : () -> tensor<f32>
    %39 = tj.le %1, %38 : (tensor<BATCHx32x28x28xf32>, tensor<f32>) -> tensor<BATCHx32x28x28xi1>
    %40 = tj.full {dtype = f32, sizes = array<i64>, value = 0 : i64} : () -> tensor<f32>
    %41 = tj.where %39, %40, %37 : (tensor<BATCHx32x28x28xi1>, tensor<f32>, tensor<BATCHx32x28x28xf32>) -> tensor<BATCHx32x28x28xf32>
    %42 = tj.conv2d_weight_grad %41, %arg0 {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, stride = array<i64: 1, 1>, weight_sizes = array<i64: 32, 1, 3, 3>} : (tensor<BATCHx32x28x28xf32>, tensor<BATCHx1x28x28xf32>) -> tensor<32x1x3x3xf32>
    %43 = tj.reduce_sum %41 {dims = array<i64: 0, 2, 3>, keepdim = false} : (tensor<BATCHx32x28x28xf32>) -> tensor<32xf32>
    %44:2 = tj.sgd_momentum %arg1, %42, %arg15, %arg10, %arg11, %arg12, %arg13, %arg14 : (tensor<32x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<32x1x3x3xf32>, tensor<32x1x3x3xf32>)
    %45:2 = tj.sgd_momentum %arg2, %43, %arg21, %arg16, %arg17, %arg18, %arg19, %arg20 : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<32xf32>, tensor<32xf32>)
    %46:2 = tj.sgd_momentum %arg3, %35, %arg27, %arg22, %arg23, %arg24, %arg25, %arg26 : (tensor<64x32x3x3xf32>, tensor<64x32x3x3xf32>, tensor<64x32x3x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<64x32x3x3xf32>, tensor<64x32x3x3xf32>)
    %47:2 = tj.sgd_momentum %arg4, %36, %arg33, %arg28, %arg29, %arg30, %arg31, %arg32 : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<64xf32>, tensor<64xf32>)
    %48:2 = tj.sgd_momentum %arg5, %26, %arg39, %arg34, %arg35, %arg36, %arg37, %arg38 : (tensor<128x3136xf32>, tensor<128x3136xf32>, tensor<128x3136xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<128x3136xf32>, tensor<128x3136xf32>)
    %49:2 = tj.sgd_momentum %arg6, %27, %arg45, %arg40, %arg41, %arg42, %arg43, %arg44 : (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<128xf32>, tensor<128xf32>)
    %50:2 = tj.sgd_momentum %arg7, %16, %arg51, %arg46, %arg47, %arg48, %arg49, %arg50 : (tensor<10x128xf32>, tensor<10x128xf32>, tensor<10x128xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<10x128xf32>, tensor<10x128xf32>)
    %51:2 = tj.sgd_momentum %arg8, %17, %arg57, %arg52, %arg53, %arg54, %arg55, %arg56 : (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<10xf32>, tensor<10xf32>)
    return %10#0, %16, %17, %26, %27, %35, %36, %42, %43, %44#0, %44#1, %45#0, %45#1, %46#0, %46#1, %47#0, %47#1, %48#0, %48#1, %49#0, %49#1, %50#0, %50#1, %51#0, %51#1 : tensor<f32>, tensor<10x128xf32>, tensor<10xf32>, tensor<128x3136xf32>, tensor<128xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32x1x3x3xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>, tensor<32xf32>, tensor<64x32x3x3xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>, tensor<64xf32>, tensor<128x3136xf32>, tensor<128x3136xf32>, tensor<128xf32>, tensor<128xf32>, tensor<10x128xf32>, tensor<10x128xf32>, tensor<10xf32>, tensor<10xf32>
  }
}
