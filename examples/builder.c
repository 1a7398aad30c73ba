/* SPDX-License-Identifier: BSD-2-Clause */
/* A robot described in C: a cart on a rail with a pendulum; then the same robot with a payload. */
#include <jounce/jounce.h>
#include <stdio.h>

int main(void) {
  jn_builder *builder;
  if (jn_builder_create(NULL, &builder) != JN_OK) return 1;
  jn_builder_set_name(builder, "cart-pole");

  jn_link cart;
  jn_link_init(&cart);
  cart.name = "cart";
  cart.joint.type = JN_PRISMATIC;
  cart.joint.axis[0] = 1; /* along x */
  cart.joint.axis[2] = 0;
  cart.joint.dof[0].lower = -2;
  cart.joint.dof[0].upper = 2;
  cart.inertia[0] = 5; /* only its mass matters */
  jn_builder_add_link(builder, &cart);

  jn_link pole;
  jn_link_init(&pole);
  pole.name = "pole";
  pole.parent = "cart";
  pole.joint.type = JN_CONTINUOUS;
  pole.joint.axis[1] = 1; /* about y */
  pole.joint.axis[2] = 0;
  const double com[3] = {0, 0, 0.5}, rod[6] = {1.0 / 12, 1.0 / 12, 0, 0, 0, 0}; /* 1 kg, 1 m */
  jn_inertia_pack(1, com, rod, pole.inertia);
  jn_builder_add_link(builder, &pole);

  jn_model *model, *loaded;
  jn_error error;
  if (jn_builder_freeze(builder, &model, &error) != JN_OK) {
    fprintf(stderr, "%s\n", error.text); /* names the link or joint, the rule, and the remedy */
    return 1;
  }
  double ball[10];
  const double tip[3] = {0, 0, 1}, point[6] = {0};
  jn_inertia_pack(0.3, tip, point, ball);
  if (jn_model_with_payload(model, jn_link_index(model, "pole"), ball, &loaded) != JN_OK) return 1;
  printf("%s: %d coordinates, %g kg, %g kg with the ball\n", jn_model_name(model), jn_model_nv(model),
         jn_model_mass(model), jn_model_mass(loaded));

  jn_model_destroy(model);
  jn_model_destroy(loaded);
  jn_builder_destroy(builder);
  return 0;
}
