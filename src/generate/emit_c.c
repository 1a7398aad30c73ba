/* SPDX-License-Identifier: BSD-2-Clause */
/* Statements in C, and in MATLAB where these differ in a few letters: a node that is used once stands inside the
 * expression that uses it, any other gets a variable. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generate.h"
#include "split.h"

/* An expression in one statement has at most so many operands. */
enum { LONGEST = 12 };
/* Operations of a piece at most, if functions are split. */
enum { PIECE = 1000 };

typedef struct c_function {
  jn_writing *w;
  jn_text *text;
  const jn_written_function *f;
  int32_t *label;  /* [nodes] of its variable; 0: it has none */
  int32_t *size;   /* [nodes] operands of the expression */
  int32_t *angle;  /* [nodes] of arguments of sine and cosine: the variable that holds both */
  int32_t *loaded; /* [nodes] the last piece that took the value from w */
  const char *array[JN_ARRAYS];
  int labels, angles;
  jn_code_pieces pieces;
} c_function;

static int is_matlab(const jn_writing *w) { return w->options.language == JN_LANGUAGE_MATLAB; }

const char *jn__number_type(const jn_writing *w) { return w->options.single ? "float" : "double"; }

void jn__emit_literal(jn_writing *w, jn_text *text, double value) {
  char digits[48];

  /* Also false for NaN. */
  if (!(fabs(value) <= (w->options.single ? FLT_MAX : DBL_MAX))) {
    w->is_beyond_range = 1;
    return;
  }
  if (w->options.single)
    snprintf(digits, sizeof digits, "%.9g", (double)(float)value);
  else
    jn__number(value, digits);
  for (char *c = digits; *c; c++)
    if (*c == ',') *c = '.';

  /* The shortest text that gives the same float. */
  for (int n = 1; w->options.single && n < 9; n++) {
    char shorter[48];
    snprintf(shorter, sizeof shorter, "%.*g", n, (double)(float)value);
    for (char *c = shorter; *c; c++)
      if (*c == ',') *c = '.';
    if ((float)jn__read_number(shorter, NULL) != (float)value) continue;
    memcpy(digits, shorter, sizeof digits);
    break;
  }
  if (is_matlab(w))
    jn__text_add(text, digits);
  else
    jn__text_format(text, "%s%s%s", digits, strpbrk(digits, ".en") ? "" : ".0", w->options.single ? "f" : "");
}

/* Binding of what is printed: sums need brackets inside products and after a minus. */
enum { IN_SUM, AFTER_MINUS, IN_PRODUCT };

static void print_node(c_function *c, int i, int where);

/* A sine or cosine: a member of the result of the function in the text, or a variable. */
static void print_sine(c_function *c, const jn_node *n) {
  char letter = n->operation == JN_NODE_SINE ? 's' : 'c';
  int k = c->angle[jn__node_of(n->a)];
  if (is_matlab(c->w) || c->w->options.lanes || c->w->options.sines == JN_SINES_LIBM)
    jn__text_format(c->text, "%c%d", letter, k);
  else
    jn__text_format(c->text, "p%d.%c", k, letter);
}

/* The node of e, without its sign. */
static void print_operand(c_function *c, jn_expr e, int where) {
  print_node(c, jn__node_of(jn__resolve(&c->w->graph, e)), where);
}

static void print_input(c_function *c, const jn_node *n) {
  if (is_matlab(c->w))
    jn__text_format(c->text, "%s(%d)", c->array[n->a], n->b + 1);
  else
    jn__text_format(c->text, "%s[%d]", c->array[n->a], n->b);
}

/* The sign of an operand as it is printed: aliases carry none. */
static int is_minus(const c_function *c, jn_expr e) { return jn__is_negative(jn__resolve(&c->w->graph, e)); }

static void print_operation(c_function *c, int i, int where) {
  const jn_node *n = &c->w->graph.node[i];
  int brackets = n->operation == JN_NODE_ADD ? where != IN_SUM : where == IN_PRODUCT;
  jn_text *text = c->text;
  if (brackets) jn__text_add(text, "(");

  if (n->operation == JN_NODE_ADD) {
    /* A negative first operand comes second, if the second one is not negative. */
    jn_expr a = n->a, b = n->b;
    if (is_minus(c, a) && !is_minus(c, b)) a = n->b, b = n->a;
    if (is_minus(c, a)) jn__text_add(text, "-");
    print_operand(c, a, is_minus(c, a) ? IN_PRODUCT : IN_SUM);
    jn__text_add(text, is_minus(c, b) ? " - " : " + ");
    print_operand(c, b, AFTER_MINUS);
  } else if (n->operation == JN_NODE_MULTIPLY || n->operation == JN_NODE_DIVIDE) {
    if (is_minus(c, n->a) != is_minus(c, n->b)) jn__text_add(text, "-");
    print_operand(c, n->a, IN_PRODUCT);
    jn__text_add(text, n->operation == JN_NODE_MULTIPLY ? " * " : " / ");
    print_operand(c, n->b, IN_PRODUCT);
  } else if (n->operation == JN_NODE_SIGN) {
    if (!is_matlab(c->w)) jn__text_format(text, "%s_", c->w->prefix);
    jn__text_add(text, "sign(");
    print_operand(c, n->a, IN_SUM);
    jn__text_add(text, ")");
  } else {
    jn__text_add(text, c->w->options.single && !is_matlab(c->w) ? "sqrtf(" : "sqrt(");
    print_operand(c, n->a, IN_SUM);
    jn__text_add(text, ")");
  }
  if (brackets) jn__text_add(text, ")");
}

static void print_node(c_function *c, int i, int where) {
  const jn_node *n = &c->w->graph.node[i];
  if (n->operation == JN_NODE_CONSTANT)
    jn__emit_literal(c->w, c->text, n->value);
  else if (n->operation == JN_NODE_INPUT)
    print_input(c, n);
  else if (c->label[i])
    jn__text_format(c->text, "t%d", c->label[i]);
  else if (n->operation == JN_NODE_SINE || n->operation == JN_NODE_COSINE)
    print_sine(c, n);
  else
    print_operation(c, i, where);
}

static int size_of(const c_function *c, jn_expr e) {
  int i = jn__node_of(jn__resolve(&c->w->graph, e));
  return c->label[i] || c->size[i] == 0 ? 1 : c->size[i];
}

/* Sine and cosine of one angle are computed together. */
static void print_angle(c_function *c, const jn_node *n) {
  int i = jn__node_of(n->a);
  jn_text *text = c->text;
  if (c->angle[i]) return;
  int k = c->angle[i] = ++c->angles;

  if (is_matlab(c->w)) {
    jn__text_format(text, "  x%d = ", k);
    if (jn__is_negative(n->a)) jn__text_add(text, "-");
    print_operand(c, n->a, IN_SUM);
    jn__text_format(text, "; s%d = sin(x%d); c%d = cos(x%d);\n", k, k, k, k);
    return;
  }
  if (c->w->options.sines == JN_SINES_LIBM || c->w->options.lanes) {
    jn__text_format(text, "  const %s x%d = ", c->w->value_type, k);
    if (jn__is_negative(n->a)) jn__text_add(text, "-");
    print_operand(c, n->a, IN_SUM);
    jn__text_add(text, ";\n");
    if (c->w->options.lanes)
      jn__text_format(text, "  %s s%d, c%d;\n  %s_sincos(&x%d, &s%d, &c%d);\n", c->w->value_type, k, k, c->w->prefix, k,
                      k, k);
    return;
  }
  jn__text_format(text, "  const %s_angle p%d = %s_sincos(", c->w->prefix, k, c->w->prefix);
  if (jn__is_negative(n->a)) jn__text_add(text, "-");
  print_operand(c, n->a, IN_SUM);
  jn__text_add(text, ");\n");
}

/* Declares the sine or cosine of an angle, where it is a variable of its own: only what is used, as compilers warn. */
static void print_sine_statement(c_function *c, const jn_node *n) {
  print_angle(c, n);
  if (is_matlab(c->w) || c->w->options.lanes || c->w->options.sines != JN_SINES_LIBM) return;

  const char *suffix = c->w->options.single ? "f" : "", *name = n->operation == JN_NODE_SINE ? "sin" : "cos";
  int k = c->angle[jn__node_of(n->a)];
  jn__text_format(c->text, "  const %s %c%d = %s%s(x%d);\n", c->w->value_type, name[0], k, name, suffix, k);
}

/* Signs and roots of vectors are found in place. */
static void print_lanes_function(c_function *c, int i) {
  const jn_node *n = &c->w->graph.node[i];
  int k = ++c->labels;
  jn__text_format(c->text, "  %s t%d = ", c->w->value_type, k);
  if (is_minus(c, n->a)) jn__text_add(c->text, "-");
  print_operand(c, n->a, is_minus(c, n->a) ? IN_PRODUCT : IN_SUM);
  jn__text_format(c->text, ";\n  %s_%s(&t%d);\n", c->w->prefix, n->operation == JN_NODE_SIGN ? "sign" : "root", k);
  c->label[i] = k;
}

/* One node of the sequence: a statement, or nothing if it will be part of another one. */
static void print_statement(c_function *c, int i) {
  const jn_node *n = &c->w->graph.node[i];
  if (n->operation == JN_NODE_SINE || n->operation == JN_NODE_COSINE) {
    print_sine_statement(c, n);
    return;
  }
  if (c->w->options.lanes && n->operation >= JN_NODE_SIGN) {
    print_lanes_function(c, i);
    return;
  }
  c->size[i] = size_of(c, n->a) + (n->operation <= JN_NODE_DIVIDE ? size_of(c, n->b) : 0);
  if (c->f->sequence.uses[i] == 1 && c->size[i] < LONGEST && c->pieces.slot[i] < 0) return;

  if (is_matlab(c->w))
    jn__text_format(c->text, "  t%d = ", c->labels + 1);
  else
    jn__text_format(c->text, "  const %s t%d = ", c->w->value_type, c->labels + 1);
  print_operation(c, i, IN_SUM);
  jn__text_add(c->text, ";\n");
  c->label[i] = ++c->labels;
}

/* The left side of the assignment of number i of a result. */
static void print_place(c_function *c, const jn_written_array *out, int i) {
  if (!is_matlab(c->w))
    jn__text_format(c->text, "  %s[%d] = ", out->name, i);
  else if (out->columns > 0)
    jn__text_format(c->text, "  %s(%d, %d) = ", out->name, i / out->columns + 1, i % out->columns + 1);
  else
    jn__text_format(c->text, "  %s(%d) = ", out->name, i + 1);
}

static int is_constant_vector(const jn_writing *w, jn_expr e) {
  return w->options.lanes && w->graph.node[jn__node_of(jn__resolve(&w->graph, e))].operation == JN_NODE_CONSTANT;
}

static void print_zero(c_function *c, int piece) {
  int needed = 0;
  if (piece < c->pieces.count - 1) return; /* constants are written by the last piece */
  for (int k = 0; k < c->f->outs; k++)
    for (int i = 0; i < c->f->out[k].size; i++) needed |= is_constant_vector(c->w, c->f->out[k].values[i]);
  if (needed)
    jn__text_format(c->text, "  const %s zero = {%s};\n", c->w->value_type, c->w->options.single ? "0.0f" : "0.0");
}

/* Results that a piece computes; the last one writes those that nobody computes, constants and arguments. */
static void print_results(c_function *c, int piece) {
  for (int k = 0; k < c->f->outs; k++)
    for (int i = 0; i < c->f->out[k].size; i++) {
      jn_expr e = jn__resolve(&c->w->graph, c->f->out[k].values[i]);
      int by = c->pieces.piece[jn__node_of(e)];
      if ((by < 0 ? c->pieces.count - 1 : by) != piece) continue;
      print_place(c, &c->f->out[k], i);

      /* A vector of constants: zeros plus a number. */
      if (is_constant_vector(c->w, e)) jn__text_add(c->text, jn__is_negative(e) ? "zero " : "zero + ");
      if (jn__is_negative(e)) jn__text_add(c->text, "-");
      print_operand(c, e, jn__is_negative(e) ? IN_PRODUCT : IN_SUM);
      jn__text_add(c->text, ";\n");
    }
}

/* Arguments that no statement reads would be warned about. */
static void print_unused(c_function *c) {
  const jn_graph *g = &c->w->graph;
  for (int k = 0; k < c->f->ins; k++) {
    int used = 0;
    for (int i = 0; i < g->count && !used; i++)
      used = c->f->sequence.uses[i] && g->node[i].operation == JN_NODE_INPUT && g->node[i].a == c->f->in[k].array;
    if (!used || c->pieces.count > 1) jn__text_format(c->text, "  (void)%s;\n", c->f->in[k].name);
  }
  for (int k = 0; c->pieces.count > 1 && k < c->f->outs; k++)
    jn__text_format(c->text, "  (void)%s;\n", c->f->out[k].name);
}

/* What the piece reads of earlier ones. Sines whose partner an earlier piece has are computed again. */
static void print_loads(c_function *c, int piece) {
  const jn_graph *g = &c->w->graph;
  const jn_sequence *s = &c->f->sequence;
  memset(c->angle, 0, (size_t)g->count * sizeof *c->angle);
  if (c->pieces.count > 1) jn__text_add(c->text, "  (void)w;\n");
  for (int i = c->pieces.first[piece]; i < c->pieces.first[piece + 1]; i++) {
    const jn_node *n = &g->node[s->node[i]];
    for (int o = 0; o < jn__operand_count(n); o++) {
      int at = jn__node_of(jn__resolve(g, o ? n->b : n->a));
      if (c->pieces.slot[at] < 0 || c->pieces.piece[at] == piece || c->loaded[at] == piece) continue;
      if (!c->label[at]) c->label[at] = ++c->labels;
      jn__text_format(c->text, "  const %s t%d = w[%d];\n", c->w->value_type, c->label[at], c->pieces.slot[at]);
      c->loaded[at] = piece;
    }
  }
}

/* What later pieces read. */
static void print_stores(c_function *c, int piece) {
  for (int i = c->pieces.first[piece]; i < c->pieces.first[piece + 1]; i++) {
    int node = c->f->sequence.node[i];
    if (c->pieces.slot[node] < 0) continue;
    jn__text_format(c->text, "  w[%d] = ", c->pieces.slot[node]);
    print_node(c, node, IN_SUM);
    jn__text_add(c->text, ";\n");
  }
}

/* The statements of one piece; there is only one unless the function is split. */
static void print_piece(c_function *c, int piece) {
  if (!is_matlab(c->w)) print_unused(c);
  print_zero(c, piece);
  print_loads(c, piece);
  for (int i = c->pieces.first[piece]; i < c->pieces.first[piece + 1]; i++) print_statement(c, c->f->sequence.node[i]);
  print_results(c, piece);
  print_stores(c, piece);
}

/* Arguments and results; `values`: with their types. */
static void print_arguments(const jn_writing *w, jn_text *text, const jn_written_function *f, int types) {
  const char *type = w->value_type;
  for (int k = 0; k < f->ins + f->outs; k++) {
    const jn_written_array *x = k < f->ins ? &f->in[k] : &f->out[k - f->ins];
    if (k) jn__text_add(text, ", ");
    if (types)
      jn__text_format(text, "%s%s %s[%d]", k < f->ins ? "const " : "", type, x->name, x->size);
    else
      jn__text_add(text, x->name);
  }
}

void jn__emit_prototype(const jn_writing *w, jn_text *text, const jn_written_function *f) {
  jn__text_format(text, "void %s_%s(", w->prefix, f->name);
  print_arguments(w, text, f, 1);
  jn__text_add(text, ")");
}

static int open_function(c_function *c, jn_writing *w, jn_text *text, const jn_written_function *f) {
  size_t nodes = (size_t)w->graph.count + 1;
  *c = (c_function){.w = w, .text = text, .f = f};
  c->label = jn__allocate(&w->allocator, 4 * nodes * sizeof *c->label);
  if (!c->label || !jn__code_pieces_create(&c->pieces, &w->graph, &f->sequence, w->options.split ? PIECE : 0)) return 0;

  c->size = c->label + nodes;
  c->angle = c->label + 2 * nodes;
  c->loaded = c->label + 3 * nodes;
  for (int k = 0; k < f->ins; k++) c->array[f->in[k].array] = f->in[k].name;
  return 1;
}

static void close_function(c_function *c) {
  jn__release(&c->w->allocator, c->label);
  if (c->pieces.block) jn__code_pieces_free(&c->pieces);
}

void jn__emit_statements(jn_writing *w, jn_text *text, const jn_written_function *f) {
  c_function c;
  if (open_function(&c, w, text, f))
    print_piece(&c, 0);
  else
    text->failed = 1;
  close_function(&c);
}

/* Does a function need the sign of a number? */
static int uses_sign(const jn_writing *w) {
  for (int k = 0; k < w->functions; k++)
    for (int i = 0; i < w->function[k].sequence.count; i++)
      if (w->graph.node[w->function[k].sequence.node[i]].operation == JN_NODE_SIGN) return 1;
  return 0;
}

/* Pieces as functions of their own, then the function that calls them in turn. */
static void emit_pieces(c_function *c) {
  const jn_writing *w = c->w;
  int slots = c->pieces.slots > 0 ? c->pieces.slots : 1;
  for (int k = 0; k < c->pieces.count; k++) {
    jn__text_format(c->text, "%s_APART static void %s_%s_%d(", w->upper, w->prefix, c->f->name, k + 1);
    print_arguments(w, c->text, c->f, 1);
    jn__text_format(c->text, ", %s w[%d]) {\n", w->value_type, slots);
    print_piece(c, k);
    jn__text_add(c->text, "}\n\n");
  }

  jn__emit_prototype(w, c->text, c->f);
  jn__text_format(c->text, " {\n  %s w[%d];\n", w->value_type, slots);
  for (int k = 0; k < c->pieces.count; k++) {
    jn__text_format(c->text, "  %s_%s_%d(", w->prefix, c->f->name, k + 1);
    print_arguments(w, c->text, c->f, 0);
    jn__text_add(c->text, ", w);\n");
  }
  jn__text_add(c->text, "}\n\n");
}

static void emit_function(jn_writing *w, jn_text *text, const jn_written_function *f) {
  c_function c;
  if (!open_function(&c, w, text, f)) {
    text->failed = 1;
  } else if (c.pieces.count > 1) {
    emit_pieces(&c);
  } else {
    jn__emit_prototype(w, text, f);
    jn__text_add(text, " {\n");
    print_piece(&c, 0);
    jn__text_add(text, "}\n\n");
  }
  close_function(&c);
  if (w->options.lanes) jn__emit_many(w, text, f);
}

/* What the statements call: sine and cosine, sign, root. */
static void emit_support(jn_writing *w, jn_text *text) {
  jn_operation_count used = {0};
  int signs = uses_sign(w);
  for (int k = 0; k < w->functions; k++) {
    used.sines |= w->function[k].sequence.operations.sines;
    used.roots |= w->function[k].sequence.operations.roots;
  }
  if (used.roots || (used.sines && w->options.sines == JN_SINES_LIBM)) jn__text_add(text, "#include <math.h>\n\n");
  if (w->options.lanes) {
    jn__emit_lanes_support(w, text, &used, signs);
    jn__emit_lanes_moves(w, text);
    return;
  }
  if (used.sines && w->options.sines != JN_SINES_LIBM) jn__emit_sincos(w, text);
  if (signs) {
    const char *type = jn__number_type(w), *one = w->options.single ? "1.0f" : "1.0";
    const char *zero = w->options.single ? "0.0f" : "0.0";
    jn__text_format(text, "static %s %s_sign(%s x) { return (x > %s) ? %s : ((x < %s) ? -%s : %s); }\n\n", type,
                    w->prefix, type, zero, one, zero, one, zero);
  }
}

void jn__emit_c_file(jn_writing *w, jn_text *text) {
  jn__text_format(text, "/* Generated by jounce %s: see %s.h. Do not edit. */\n#include \"%s.h\"\n\n", jn_version(),
                  w->prefix, w->prefix);
  if (w->options.split)
    jn__text_format(
        text,
        "/* Pieces of functions stay apart: compilers are slow with long functions. */\n#if defined(__GNUC__)\n"
        "#define %s_APART __attribute__((noinline))\n#else\n#define %s_APART\n#endif\n\n",
        w->upper, w->upper);
  emit_support(w, text);
  for (int k = 0; k < w->functions; k++) emit_function(w, text, &w->function[k]);
  jn__emit_c_selftest(w, text);
}
