// SPDX-License-Identifier: BSD-2-Clause
// Pinocchio's inverse dynamics over Taylor numbers: torque rates of order JN_TAYLOR_ORDER, which the build sets.
#include "taylor.hpp"
// The number type comes first, so that templates find its functions.
#include <pinocchio/algorithm/rnea.hpp>

#include "peer_pinocchio.hpp"

namespace {

enum { K = JN_TAYLOR_ORDER };

using number = taylor<K>;
using vector = Eigen::Matrix<number, Eigen::Dynamic, 1>;

struct series : torque_series {
  pin::ModelTpl<number> model;
  pin::DataTpl<number> data;
  std::vector<vector> q, v, a;

  explicit series(const pin::Model &m) : model(m.cast<number>()), data(model) {}
  void run(size_t s) override { pin::rnea(model, data, q[s], v[s], a[s]); }
  double torque(int k, int row) const override {
    double factorial = 1;
    for (int i = 2; i <= k; i++) factorial *= i;
    return data.tau(row).c[k] * factorial;
  }
};

// Taylor coefficients from rows of derivatives, `first` being the row of the value.
number coefficients(const double *jet, int n, int first, int coordinate) {
  number x;
  double factorial = 1;
  for (int k = 0; k <= K; k++) {
    x.c[k] = jet[(first + k) * n + coordinate] / factorial;
    factorial *= k + 1;
  }
  return x;
}

number integral(double value, const number &rate) {
  number x(value);
  for (int k = 1; k <= K; k++) x.c[k] = rate.c[k - 1] / k;
  return x;
}

// Position and quaternion (x, y, z, w) of a free joint with the twist (v, w) in its own frame: each pass of Picard's
// iteration gets one more coefficient right.
void integrate_free(const double start[7], const vector &twist, number x[7]) {
  for (int k = 0; k < 7; k++) x[k] = number(start[k]);
  for (int pass = 0; pass < K; pass++) {
    Eigen::Quaternion<number> turn(x[6], x[3], x[4], x[5]);
    Eigen::Quaternion<number> w(number(0), twist(3), twist(4), twist(5));
    const Eigen::Matrix<number, 3, 1> rate = turn.toRotationMatrix() * twist.head<3>();
    const Eigen::Quaternion<number> spin = turn * w;
    for (int k = 0; k < 3; k++) x[k] = integral(start[k], rate(k));
    for (int k = 0; k < 4; k++) x[3 + k] = integral(start[3 + k], number(0.5) * spin.coeffs()(k));
  }
}

}  // namespace

std::unique_ptr<torque_series> JN_TAYLOR_MAKE(const pinocchio_robot &own, const robot *r) {
  std::unique_ptr<series> all(new series(own.model));
  const int n = r->nv;
  for (int s = 0; s < STATES; s++) {
    const double *jet = r->v_jet + static_cast<size_t>(s) * (TOP + 2) * static_cast<size_t>(n);
    vector q(r->nq), v(n), a(n);
    for (int k = 0; k < n; k++) {
      v(own.place[static_cast<size_t>(k)]) = coefficients(jet, n, 0, k);
      a(own.place[static_cast<size_t>(k)]) = coefficients(jet, n, 1, k);
    }
    const Eigen::VectorXd &start = own.q[static_cast<size_t>(s)];
    for (int j = 1; j < own.model.njoints; j++) {
      const size_t joint = static_cast<size_t>(j);
      const int iq = own.model.idx_qs[joint], iv = own.model.idx_vs[joint];
      if (own.model.nqs[joint] == 7) {
        number x[7];
        integrate_free(start.data() + iq, v.segment(iv, 6), x);
        for (int k = 0; k < 7; k++) q(iq + k) = x[k];
      } else {
        q(iq) = integral(start(iq), v(iv));
      }
    }
    all->q.push_back(q);
    all->v.push_back(v);
    all->a.push_back(a);
  }
  return all;
}
