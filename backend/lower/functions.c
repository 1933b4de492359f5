/* Functions that stay calls: a function of the kernel program each, which CALL runs (lower_call).

       fun f (n : i64, xs : [n]f64) : ([n]f64) =      function f(n : i64, xs : f64[]) gives result : f64[] {
         let ys = map (* 2.0) xs                           alloc result : f64[n]
         in ys                                    ==>      grid (g < n) { result[g] = xs[g] * 2.0 }
                                                       } */
#include "backend/lower/lower.h"

static KernelVariable *interface_variable(Lower *L, const char *text, CoreType type, Span span)
{
    return type.rank == 0 ? kernel_variable(L->c, text, lower_prim(type.prim), KERNEL_SCALAR, span)
                          : kernel_variable(L->c, text, type.prim, KERNEL_GLOBAL, span);
}

/* The caller keeps what its arrays are. */
static void bind_parameter(Lower *L, CoreName *name, KernelVariable *variable)
{
    if (name->type.rank == 0) {
        lower_bind_scalar(L, name, kernel_use(L->c, variable));
    } else {
        lower_bind_array(
            L, name, lower_buffer_reader(L, variable, name->type.rank, lower_shape(L, name->type)));
    }
}

static bool has_known_sizes(const CoreFunction *function, CoreType type)
{
    for (int axis = 0; axis < type.rank; axis++) {
        bool known = type.sizes[axis].name == NULL;
        for (size_t i = 0; i < function->parameter_count && !known; i++) {
            known = function->parameters[i] == type.sizes[axis].name;
        }
        if (!known) {
            return false;
        }
    }
    return true;
}

static const Reader *result_place(Lower *L, KernelVariable *result, int rank, KernelExps shape)
{
    kernel_allocate(L->b, result, lower_product(L, rank, shape));
    return lower_buffer_reader(L, result, rank, shape);
}

/* Results are memory of their own: made before the body where their sizes are known there, so that
   it writes there, else copied. */
static void lower_function_body(Lower *L, const CoreFunction *function,
                                KernelVariable *const *variables)
{
    size_t count = function->result_count;
    Value *results = ARENA_ARRAY(L->c->arena, Value, count + 1);
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    for (size_t k = 0; k < count; k++) {
        CoreType type = function->result_types[k];
        if (type.rank > 0 && has_known_sizes(function, type)) {
            wanted[k] = result_place(L, variables[k], type.rank, lower_shape(L, type));
        }
    }
    lower_body(L, function->body, wanted, results);
    for (size_t k = 0; k < count; k++) {
        if (function->result_types[k].rank == 0) {
            kernel_assign(L->b, variables[k], results[k].scalar);
        } else if (wanted[k] == NULL) {
            const Reader *array = results[k].array;
            lower_because(L, function->body->results[k], CORE_REASON_RESULT);
            lower_assign(L, result_place(L, variables[k], array->rank, array->shape), results[k],
                         variables[k]->text);
        }
    }
}

KernelEntry lower_function(Lower *L, const CoreFunction *function)
{
    KernelBuilder builder = kernel_builder(L->c, function->span);
    KernelVariable **parameters =
        ARENA_ARRAY(L->c->arena, KernelVariable *, function->parameter_count + 1);
    KernelVariable **results =
        ARENA_ARRAY(L->c->arena, KernelVariable *, function->result_count + 1);
    L->b = &builder;
    L->entry = function;
    L->aliases = NULL;
    Scope scope;
    lower_scope_begin(L, &scope);
    for (size_t i = 0; i < function->parameter_count; i++) {
        CoreName *name = function->parameters[i];
        parameters[i] = interface_variable(L, name->text, name->type, name->span);
        bind_parameter(L, name, parameters[i]);
    }
    for (size_t k = 0; k < function->result_count; k++) {
        results[k] = interface_variable(L, "result", function->result_types[k], function->span);
    }
    lower_function_body(L, function, results);
    lower_scope_end(L);
    return (KernelEntry){.name = function->name,
                         .parameter_count = function->parameter_count,
                         .result_count = function->result_count,
                         .parameters = parameters,
                         .results = results,
                         .body = kernel_block(&builder)};
}

void lower_number_functions(Lower *L, const CoreProgram *program, size_t *entry_count)
{
    for (size_t i = 0; i < program->function_count; i++) {
        *entry_count += program->functions[i]->is_entry;
    }
    size_t next = *entry_count;
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        if (!function->is_entry) {
            size_t *number = pointer_map_make(L->c->arena, &L->functions,
                                              intern(L->c, function->name), sizeof *number);
            *number = next++;
        }
    }
}
