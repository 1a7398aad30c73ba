// SPDX-License-Identifier: BSD-2-Clause
// Truncated Taylor series in time, of exactly the order K, as a number type for templates: the fastest way to get time
// derivatives from a library that has none. c[k] is the k-th derivative over k!.
#ifndef JN_BENCH_TAYLOR_HPP
#define JN_BENCH_TAYLOR_HPP

#include <Eigen/Core>
#include <cmath>
#include <iosfwd>
#include <limits>

template <int K>
struct taylor {
  double c[K + 1];

  taylor() : c{} {}
  taylor(double value) : c{value} {}  // NOLINT: implicit, as from an int to a double
  explicit operator double() const { return c[0]; }
  explicit operator bool() const { return c[0] != 0; }

  taylor &operator+=(const taylor &b) {
    for (int k = 0; k <= K; k++) c[k] += b.c[k];
    return *this;
  }
  taylor &operator-=(const taylor &b) {
    for (int k = 0; k <= K; k++) c[k] -= b.c[k];
    return *this;
  }
  taylor &operator*=(const taylor &b) { return *this = *this * b; }
  taylor &operator/=(const taylor &b) { return *this = *this / b; }

  friend taylor operator+(taylor a, const taylor &b) { return a += b; }
  friend taylor operator-(taylor a, const taylor &b) { return a -= b; }
  friend taylor operator+(const taylor &a) { return a; }
  friend taylor operator-(taylor a) {
    for (double &x : a.c) x = -x;
    return a;
  }
  friend taylor operator*(const taylor &a, const taylor &b) {
    taylor r;
#pragma GCC unroll 8
    for (int k = 0; k <= K; k++) {
      double sum = a.c[0] * b.c[k];
#pragma GCC unroll 8
      for (int i = 1; i <= k; i++) sum += a.c[i] * b.c[k - i];
      r.c[k] = sum;
    }
    return r;
  }
  friend taylor operator/(const taylor &a, const taylor &b) {
    taylor r;
    for (int k = 0; k <= K; k++) {
      double sum = a.c[k];
      for (int i = 1; i <= k; i++) sum -= b.c[i] * r.c[k - i];
      r.c[k] = sum / b.c[0];
    }
    return r;
  }

  // By the value, as branches are taken.
  friend bool operator<(const taylor &a, const taylor &b) { return a.c[0] < b.c[0]; }
  friend bool operator>(const taylor &a, const taylor &b) { return a.c[0] > b.c[0]; }
  friend bool operator<=(const taylor &a, const taylor &b) { return a.c[0] <= b.c[0]; }
  friend bool operator>=(const taylor &a, const taylor &b) { return a.c[0] >= b.c[0]; }
  friend bool operator==(const taylor &a, const taylor &b) { return a.c[0] == b.c[0]; }
  friend bool operator!=(const taylor &a, const taylor &b) { return a.c[0] != b.c[0]; }

  // s' = c x', c' = -s x'
  static void sines(const taylor &x, taylor &s, taylor &c) {
    s.c[0] = std::sin(x.c[0]);
    c.c[0] = std::cos(x.c[0]);
    for (int k = 1; k <= K; k++) {
      double ds = 0, dc = 0;
      for (int i = 1; i <= k; i++) {
        ds += i * x.c[i] * c.c[k - i];
        dc -= i * x.c[i] * s.c[k - i];
      }
      s.c[k] = ds / k;
      c.c[k] = dc / k;
    }
  }
  friend taylor sin(const taylor &x) {
    taylor s, c;
    sines(x, s, c);
    return s;
  }
  friend taylor cos(const taylor &x) {
    taylor s, c;
    sines(x, s, c);
    return c;
  }
  friend taylor sqrt(const taylor &x) {
    taylor r(std::sqrt(x.c[0]));
    for (int k = 1; k <= K; k++) {
      double sum = x.c[k];
      for (int i = 1; i < k; i++) sum -= r.c[i] * r.c[k - i];
      r.c[k] = sum / (2 * r.c[0]);
    }
    return r;
  }
  friend taylor abs(const taylor &x) { return x.c[0] < 0 ? -x : x; }
  friend bool isfinite(const taylor &x) { return std::isfinite(x.c[0]); }

  // Joint types that are never used here are compiled with these.
  friend taylor tan(const taylor &x) { return sin(x) / cos(x); }
  friend taylor acos(const taylor &x) { return taylor(std::acos(x.c[0])); }
  friend taylor asin(const taylor &x) { return taylor(std::asin(x.c[0])); }
  friend taylor atan2(const taylor &y, const taylor &x) { return taylor(std::atan2(y.c[0], x.c[0])); }
  friend taylor exp(const taylor &x) { return taylor(std::exp(x.c[0])); }
  friend taylor log(const taylor &x) { return taylor(std::log(x.c[0])); }
  friend taylor pow(const taylor &x, const taylor &y) { return taylor(std::pow(x.c[0], y.c[0])); }
  friend taylor fabs(const taylor &x) { return abs(x); }
  friend taylor floor(const taylor &x) { return taylor(std::floor(x.c[0])); }
  friend taylor ceil(const taylor &x) { return taylor(std::ceil(x.c[0])); }
  friend std::ostream &operator<<(std::ostream &to, const taylor &) { return to; }
};

namespace std {
template <int K>
class numeric_limits<taylor<K>> : public numeric_limits<double> {};
}  // namespace std

namespace Eigen {
template <int K>
struct NumTraits<taylor<K>> : NumTraits<double> {
  using Real = taylor<K>;
  using NonInteger = taylor<K>;
  using Nested = taylor<K>;
  using Literal = taylor<K>;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1, ReadCost = K + 1, AddCost = K + 1 };
  enum { MulCost = (K + 1) * (K + 2) / 2 };
};
}  // namespace Eigen

#endif
