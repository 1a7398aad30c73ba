/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 (FIPS 180-4). */
#include <stdio.h>
#include <string.h>

#include "generate.h"

static const uint32_t K256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn_right(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* One block of 64 bytes. */
static void add_block(uint32_t state[8], const unsigned char *block) {
  uint32_t w[64], x[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
           block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (turn_right(a, 7) ^ turn_right(a, 18) ^ a >> 3) +
           (turn_right(b, 17) ^ turn_right(b, 19) ^ b >> 10);
  }

  memcpy(x, state, sizeof x);
  for (int i = 0; i < 64; i++) {
    uint32_t s1 = turn_right(x[4], 6) ^ turn_right(x[4], 11) ^ turn_right(x[4], 25);
    uint32_t t1 = x[7] + s1 + ((x[4] & x[5]) ^ (~x[4] & x[6])) + K256[i] + w[i];
    uint32_t s0 = turn_right(x[0], 2) ^ turn_right(x[0], 13) ^ turn_right(x[0], 22);
    uint32_t t2 = s0 + ((x[0] & x[1]) ^ (x[0] & x[2]) ^ (x[1] & x[2]));
    memmove(x + 1, x, 7 * sizeof *x);
    x[4] += t1;
    x[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) state[i] += x[i];
}

void jn__sha256(const void *data, size_t length, char hex[65]) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const unsigned char *bytes = data;
  size_t whole = length / 64, rest = length % 64;
  for (size_t i = 0; i < whole; i++) add_block(state, bytes + 64 * i);

  /* The end: a bit, zeros, and the length in bits. */
  unsigned char end[128] = {0};
  memcpy(end, bytes + 64 * whole, rest);
  end[rest] = 0x80;
  size_t blocks = rest < 56 ? 1 : 2;
  for (int i = 0; i < 8; i++) end[64 * blocks - 1 - (size_t)i] = (unsigned char)((uint64_t)length * 8 >> (8 * i));
  for (size_t i = 0; i < blocks; i++) add_block(state, end + 64 * i);

  for (int i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", state[i]);
}
