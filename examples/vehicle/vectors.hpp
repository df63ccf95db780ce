// The operations with three-dimensional vectors and rotation matrices that the car needs.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace race_car {

using Vector = std::array<double, 3>;
using Rotation = std::array<double, 9>;  // by rows; the columns are the axes of the frame, in the world's frame

inline Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vector unit(const Vector& a) { return (1 / std::sqrt(dot(a, a))) * a; }

inline Vector axis(const Rotation& t, std::size_t i) { return {t[i], t[3 + i], t[6 + i]}; }
inline Vector to_world(const Rotation& t, const Vector& a) {
  return {t[0] * a[0] + t[1] * a[1] + t[2] * a[2], t[3] * a[0] + t[4] * a[1] + t[5] * a[2],
          t[6] * a[0] + t[7] * a[1] + t[8] * a[2]};
}
inline Vector from_world(const Rotation& t, const Vector& a) {
  return {dot(axis(t, 0), a), dot(axis(t, 1), a), dot(axis(t, 2), a)};
}
inline Rotation with_axes(const Vector& x, const Vector& y, const Vector& z) {
  return {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
}
// Yaw about z, then pitch about y, then roll about x.
inline Rotation from_angles(double roll, double pitch, double yaw) {
  const double cr = std::cos(roll), sr = std::sin(roll), cp = std::cos(pitch), sp = std::sin(pitch);
  const double cy = std::cos(yaw), sy = std::sin(yaw);
  return {cy * cp,
          cy * sp * sr - sy * cr,
          cy * sp * cr + sy * sr,  //
          sy * cp,
          sy * sp * sr + cy * cr,
          sy * sp * cr - cy * sr,  //
          -sp,
          cp * sr,
          cp * cr};
}

}  // namespace race_car
