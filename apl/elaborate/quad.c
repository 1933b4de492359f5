/* Quad names: printing, files, program arguments, time, random seed, bit operations.

       ⎕←x                    ==>  prArrI(x)
       ⎕ArgInt 'n' 1000       ==>  argInt(['n'],1000)
       a ⎕INT32XOR b          ==>  the low 32 bits of xori(a,b), sign-extended */
#include "apl/elaborate/internal.h"

void elab_effect(Elaboration *e, Span span, const char *what)
{
    if (e->parallel > 0) {
        elab_fail(e, span, "NONCE ERROR",
                  "%s inside a function of ⎕ASSOC is not supported: such functions run on the"
                  " device",
                  what);
    }
    e->effects++;
    elab_weigh(e, WEIGHT_OF_EFFECT);
}

/* ---- ⎕← -------------------------------------------------------------------------------------- */

void elab_print(Elaboration *e, Value *value, Span span)
{
    if (value->kind == VALUE_FUNCTION || value->kind == VALUE_OPERATOR) {
        elab_fail(e, span, "SYNTAX ERROR", "a function cannot be printed");
    }
    elab_effect(e, span, "⎕← (printing)");
    if (value->kind == VALUE_TUPLE) {
        for (size_t i = 0; i < value->count; i++) {
            elab_print(e, value->items[i], span);
        }
        if (value->count == 0 && value->rank == 1) {
            elab_print(e, elab_empty(e, TAIL_CHAR, span), span);
        }
        return;
    }
    static const TailBuiltin scalars[] = {TAIL_OP_PRSCLB, TAIL_OP_PRSCLI, TAIL_OP_PRSCLD,
                                          TAIL_OP_PRSCLX, TAIL_OP_PRSCLC};
    static const TailBuiltin arrays[] = {TAIL_OP_PRARRB, TAIL_OP_PRARRI, TAIL_OP_PRARRD,
                                         TAIL_OP_PRARRX, TAIL_OP_PRARRC};
    TailBuiltin builtin = value->rank == 0 ? scalars[value->base] : arrays[value->base];
    elab_let(e, ELAB_CALL(e, builtin, span, value->exp));
}

/* ---- bit operations -------------------------------------------------------------------------- */

typedef struct BitRow {
    const char *name;
    TailBuiltin builtin;
    bool words; /* 32-bit */
    bool monadic;
} BitRow;

static const BitRow bit_rows[] = {
    {"⎕INT32AND", TAIL_OP_ANDI, true, false},   {"⎕INT32OR", TAIL_OP_ORI, true, false},
    {"⎕INT32XOR", TAIL_OP_XORI, true, false},   {"⎕INT32NOT", TAIL_OP_NOTI, true, true},
    {"⎕INT32SHL", TAIL_OP_SHLI, true, false},   {"⎕INT32SHR", TAIL_OP_SHRI, true, false},
    {"⎕INT32SHAR", TAIL_OP_SHARI, true, false}, {"⎕INT64AND", TAIL_OP_ANDI, false, false},
    {"⎕INT64OR", TAIL_OP_ORI, false, false},    {"⎕INT64XOR", TAIL_OP_XORI, false, false},
    {"⎕INT64NOT", TAIL_OP_NOTI, false, true},   {"⎕INT64SHL", TAIL_OP_SHLI, false, false},
    {"⎕INT64SHR", TAIL_OP_SHRI, false, false},  {"⎕INT64SHAR", TAIL_OP_SHARI, false, false},
    {"⎕INT64DIV", TAIL_OP_DIVI, false, false},
};

static const BitRow *bit_row(const char *name)
{
    for (size_t i = 0; i < sizeof bit_rows / sizeof *bit_rows; i++) {
        if (strcmp(bit_rows[i].name, name) == 0) {
            return &bit_rows[i];
        }
    }
    return NULL;
}

static Value *bits2(Elaboration *e, TailBuiltin builtin, Value *x, Value *y, Span span)
{
    return ELAB_VALUE(e, builtin, span, x->exp, y->exp);
}

/* The low 32 bits as a signed number. */
static Value *wrap_word(Elaboration *e, Value *x, Span span)
{
    Value *half = elab_int(e, 32, span);
    return bits2(e, TAIL_OP_SHARI, bits2(e, TAIL_OP_SHLI, x, half, span), half, span);
}

static Value *bit_item(Elaboration *e, void *context, Value *left, Value *right, Span span)
{
    const BitRow *row = context;
    bool wide = row->words && e->c->options.int_bits == 64;
    Value *y = elab_as_int(e, right, span, "arguments of bit operations");
    if (left == NULL) {
        Value *result = ELAB_VALUE(e, row->builtin, span, y->exp);
        return wide ? wrap_word(e, result, span) : result;
    }
    Value *x = elab_as_int(e, left, span, "arguments of bit operations");
    if (wide && row->builtin == TAIL_OP_SHRI) {
        x = bits2(e, TAIL_OP_ANDI, x, elab_int(e, INT64_C(0xFFFFFFFF), span), span);
    } else if (wide && row->builtin == TAIL_OP_SHARI) {
        x = wrap_word(e, x, span);
    }
    Value *result = bits2(e, row->builtin, x, y, span);
    return wide && row->builtin != TAIL_OP_SHARI ? wrap_word(e, result, span) : result;
}

/* ---- functions ------------------------------------------------------------------------------- */

static Value *text_argument(Elaboration *e, Value *value, Span span)
{
    elab_array_only(e, value, span, "a name");
    if (value->base != TAIL_CHAR || value->rank > 1) {
        elab_fail(e, span, "DOMAIN ERROR", "a name is text");
    }
    return elab_ravel(e, value, span);
}

/* ⎕ArgInt 'n' 1000 */
static Value *program_argument(Elaboration *e, bool real, Value *right, Span span)
{
    const char *what = real ? "⎕ArgDouble" : "⎕ArgInt";
    if (right->kind != VALUE_TUPLE || right->rank != 1 || right->count != 2) {
        elab_fail(e, span, "LENGTH ERROR", "%s wants a name and a default: %s 'n' %s", what, what,
                  real ? "0.5" : "1000");
    }
    Value *name = text_argument(e, right->items[0], span);
    Value *fallback =
        elab_as_scalar(e, elab_array_only(e, right->items[1], span, "a default"), span);
    elab_effect(e, span, what);
    if (real && fallback->base == TAIL_COMPLEX) {
        elab_fail(e, span, "DOMAIN ERROR", "the default of %s is a real number", what);
    }
    if (real && elab_numeric(fallback->base)) {
        fallback = elab_cast(e, fallback, TAIL_DOUBLE, span);
        return ELAB_VALUE(e, TAIL_OP_ARGDOUBLE, span, name->exp, fallback->exp);
    }
    fallback = elab_as_int(e, fallback, span, arena_printf(e->c->arena, "defaults of %s", what));
    return ELAB_VALUE(e, TAIL_OP_ARGINT, span, name->exp, fallback->exp);
}

static Value *code_item(Elaboration *e, void *context, Value *left, Value *right, Span span)
{
    (void)context;
    (void)left;
    if (right->base == TAIL_CHAR) {
        return ELAB_VALUE(e, TAIL_OP_ORD, span, right->exp);
    }
    right = elab_as_int(e, right, span, "codes of ⎕UCS");
    return ELAB_VALUE(e, TAIL_OP_CHR, span, right->exp);
}

Value *elab_codes(Elaboration *e, Value *value, Span span)
{
    return elab_elementwise(e, code_item, NULL, NULL, value, span);
}

typedef struct Reader {
    const char *name;
    TailBuiltin builtin;
    bool ranked; /* the left argument is the rank of what the file holds */
} Reader;

static const Reader readers[] = {
    {"⎕ReadFile", TAIL_OP_READFILE, false},
    {"⎕ReadIntVecFile", TAIL_OP_READINTVECFILE, false},
    {"⎕ReadDoubleVecFile", TAIL_OP_READDOUBLEVECFILE, false},
    {"⎕ReadCSVInt", TAIL_OP_READCSVINT, false},
    {"⎕ReadCSVDouble", TAIL_OP_READCSVDOUBLE, false},
    {"⎕ReadNpyBool", TAIL_OP_READNPYBOOL, true},
    {"⎕ReadNpyInt", TAIL_OP_READNPYINT, true},
    {"⎕ReadNpyDouble", TAIL_OP_READNPYDOUBLE, true},
    {"⎕ReadNpyChar", TAIL_OP_READNPYCHAR, true},
};

static const Reader *reader_of(const char *name)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (strcmp(readers[i].name, name) == 0) {
            return &readers[i];
        }
    }
    return NULL;
}

static Value *read_file(Elaboration *e, const Reader *reader, Value *left, Value *right, Span span)
{
    int64_t rank;
    elab_effect(e, span, reader->name);
    if (!reader->ranked) {
        return ELAB_VALUE(e, reader->builtin, span, text_argument(e, right, span)->exp);
    }
    if (left == NULL || !elab_constant(left, &rank) || rank < 1 || rank > 32) {
        elab_fail(e, span, left == NULL ? "SYNTAX ERROR" : "DOMAIN ERROR",
                  "%s wants the rank of the array, 1 to 32 and known when compiled: 2 %s 'x.npy'",
                  reader->name, reader->name);
    }
    return ELAB_VALUE(e, reader->builtin, span, elab_int(e, rank, span)->exp,
                      text_argument(e, right, span)->exp);
}

Value *elab_quad_apply(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    const char *name = function->quad;
    const BitRow *row = bit_row(name);
    if (row != NULL) {
        elab_array_only(e, right, span, "a bit operation");
        if (left != NULL) {
            elab_array_only(e, left, span, "a bit operation");
        }
        if ((left == NULL) != row->monadic) {
            elab_fail(e, span, "SYNTAX ERROR", "%s takes %s", name,
                      row->monadic ? "one argument" : "two arguments");
        }
        return elab_elementwise(e, bit_item, (void *)(uintptr_t)row, left, right, span);
    }
    const Reader *reader = reader_of(name);
    if (left != NULL && (reader == NULL || !reader->ranked)) {
        elab_fail(e, span, "SYNTAX ERROR", "%s takes one argument", name);
    }
    if (reader != NULL) {
        return read_file(e, reader, left, right, span);
    }
    if (strcmp(name, "⎕ArgInt") == 0 || strcmp(name, "⎕ArgDouble") == 0) {
        return program_argument(e, strcmp(name, "⎕ArgDouble") == 0, right, span);
    }
    if (strcmp(name, "⎕UCS") == 0) {
        elab_array_only(e, right, span, "⎕UCS");
        return elab_codes(e, right, span);
    }
    if (strcmp(name, "⎕NOW") == 0) {
        elab_effect(e, span, name);
        return ELAB_VALUE(e, TAIL_OP_NOWI, span,
                          elab_as_count(e, right, span, "arguments of ⎕NOW")->exp);
    }
    elab_nonce(e, span, "%s is", name);
}

/* ---- variables ------------------------------------------------------------------------------- */

Value *elab_quad_value(Elaboration *e, const AplNode *node)
{
    if (strcmp(node->as.text, "⎕IO") == 0) {
        bool prelude = node->span.file != NULL && node->span.file->is_prelude;
        return elab_bool(e, prelude || e->origin == 1, node->span);
    }
    bool precision = strcmp(node->as.text, "⎕PP") == 0;
    if (precision || strcmp(node->as.text, "⎕RL") == 0) {
        elab_effect(e, node->span, node->as.text);
        return ELAB_VALUE(e, precision ? TAIL_OP_PRECISIONNOW : TAIL_OP_SEEDNOW, node->span,
                          elab_int(e, 0, node->span)->exp);
    }
    bool digits = strcmp(node->as.text, "⎕D") == 0;
    if (digits || strcmp(node->as.text, "⎕A") == 0) {
        uint32_t letters[26];
        size_t count = digits ? 10 : 26;
        for (size_t i = 0; i < count; i++) {
            letters[i] = (uint32_t)((digits ? '0' : 'A') + (int)i);
        }
        return elab_string(e, count, letters, node->span);
    }
    elab_nonce(e, node->span, "the value of %s is", node->as.text);
}

void elab_quad_assign(Elaboration *e, const AplNode *target, Value *value)
{
    const char *name = target->as.text;
    int64_t number;
    if (strcmp(name, "⎕IO") == 0) {
        if (!elab_constant(value, &number) || (number != 0 && number != 1)) {
            elab_fail(e, target->span, "DOMAIN ERROR", "⎕IO is 0 or 1");
        }
        if (!e->first_statement && number != e->origin) {
            elab_nonce(e, target->span, "a change of ⎕IO after the first statement is");
        }
        e->origin = number;
        e->c->index_origin = (int)number;
        return;
    }
    if (strcmp(name, "⎕RL") == 0) {
        elab_effect(e, target->span, "⎕RL←");
        elab_let(e, ELAB_CALL(e, TAIL_OP_SEED, target->span,
                              elab_as_count(e, value, target->span, "seeds")->exp));
        return;
    }
    if (strcmp(name, "⎕PP") == 0) {
        elab_effect(e, target->span, "⎕PP←");
        if (elab_constant(value, &number) && (number < 1 || number > 17)) {
            elab_fail(e, target->span, "DOMAIN ERROR", "%s digits, not 1 to 17",
                      elab_digits(e, number));
        }
        elab_let(e, ELAB_CALL(e, TAIL_OP_PRECISION, target->span,
                              elab_as_count(e, value, target->span, "digits")->exp));
        return;
    }
    elab_nonce(e, target->span, "assignment to %s is", name);
}
