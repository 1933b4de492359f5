/* ⍕: arrays as text.

       ⍕5              ==>  formatI(5)                 numbers as they are printed, ⎕PP digits
       ⍕2 3⍴⍳6         ==>  format{[int],[2]}(...)     one row a row
       8 2⍕x           ==>  formatBy([8,2],x)          fields of width 8 with 2 decimals

   The length of a row is known at run time only; the text is made on the host. Characters are their
   own text. */
#include "apl/elaborate/internal.h"

/* As runtime/tailor.h's TL_FIELD_LIMIT. */
enum { FIELD_LIMIT = 1000 };

/* Text of a number has all extents of the number but the last. */
static Value *text_of(Elaboration *e, Value *text, const Value *value)
{
    int64_t *extents = elab_extents(e, text->rank);
    for (int64_t k = 0; k + 1 < value->rank; k++) {
        extents[k] = value->extents[k];
    }
    elab_set_extents(text, extents);
    return text;
}

static Value *format(Elaboration *e, Value *value, Span span)
{
    if (value->base == TAIL_CHAR) {
        return value;
    }
    TailBuiltin builtin = value->rank > 0              ? TAIL_OP_FORMAT
                          : value->base == TAIL_INT    ? TAIL_OP_FORMATI
                          : value->base == TAIL_DOUBLE ? TAIL_OP_FORMATD
                                                       : TAIL_OP_FORMAT;
    return text_of(e, ELAB_VALUE(e, builtin, span, value->exp), value);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* A width and decimals for each column, one pair for all, or decimals alone. */
static Value *check_count(Elaboration *e, Value *fields, Value *columns, Span span)
{
    int64_t count = fields->extents[0], number;
    if (count == 1 || count == 2) {
        return fields;
    }
    if (count >= 0 && elab_constant(columns, &number)) {
        return elab_same(e, elab_int(e, count, span), elab_int(e, 2 * number, span), fields, span);
    }
    Value *wanted = elab_apply_prelude(e, "∆fieldCount", columns, fields, span);
    return elab_same(e, elab_extent(e, fields, 0, span), wanted, fields, span);
}

static Value *check_numbers(Elaboration *e, Value *fields, Span span)
{
    static const char message[] = "widths are 0 to 1000, decimals ¯1000 to 1000";
    int64_t count = fields->extents[0];
    if (fields->known == NULL) {
        Value *good = elab_apply_prelude(e, "∆goodFields", NULL, fields, span);
        return elab_require_each(e, good, fields, fields, message, span);
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t number = fields->known[i];
        bool is_width = count > 1 && i % 2 == 0;
        if (number > FIELD_LIMIT || number < (is_width ? 0 : -FIELD_LIMIT)) {
            elab_fail(e, span, "DOMAIN ERROR", "%s: %s", elab_digits(e, number), message);
        }
    }
    return fields;
}

static Value *format_by(Elaboration *e, const Call *call)
{
    Value *value = call->right, *fields = call->left;
    elab_array_only(e, fields, fields->span, "widths and decimals of ⍕");
    if (value->base == TAIL_CHAR || value->base == TAIL_COMPLEX) {
        elab_fail(e, call->span, "DOMAIN ERROR", "⍕ with two arguments is for real numbers, not %s",
                  value->base == TAIL_CHAR ? "characters" : "complex ones");
    }
    if (fields->rank > 1) {
        elab_fail(e, call->span, "RANK ERROR", "widths and decimals of rank %lld",
                  (long long)fields->rank);
    }
    fields = elab_as_int(e, fields, fields->span, "widths and decimals of ⍕");
    fields = elab_ravel(e, fields, call->span);
    Value *columns = value->rank == 0 ? elab_int(e, 1, call->span)
                                      : elab_extent(e, value, value->rank - 1, call->span);
    fields = check_count(e, fields, columns, call->span);
    fields = check_numbers(e, fields, call->span);
    Value *text = ELAB_VALUE(e, TAIL_OP_FORMATBY, call->span, fields->exp, value->exp);
    return text_of(e, text, value);
}

Value *elab_rule_format(Elaboration *e, const Call *call)
{
    return call->left != NULL ? format_by(e, call) : format(e, call->right, call->span);
}
