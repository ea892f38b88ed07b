#pragma once

namespace cudasim {

enum SpecialRegister : int {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock,
  ClockHi,
  Clock64,
  Globaltimer,
  GlobaltimerLo,
  GlobaltimerHi,
  DynamicSmemSize,
  TotalSmemSize,
  Zero,
  One
};

/// Whether the lanes of a warp see different values.
constexpr bool isOfLane(int id) {
  return id == TidX || id == TidY || id == TidZ || id == LaneId || (id >= LanemaskEq && id <= LanemaskGt);
}

} // namespace cudasim
