/* Calls every function of the library `many`, rightly and wrongly, often and from several threads.
   C and C++. Prints each check that does not hold; exit code 0 where all do. */
#include "many.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FEW
enum { CALLS = 20, THREADS = 2 };
#else
enum { CALLS = 1000, THREADS = 4 };
#endif

static int failed;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "calls.c:%d: %s\n", __LINE__, #condition);                             \
            failed = 1;                                                                            \
        }                                                                                          \
    } while (0)

/* 1 2 3 4 5 (6): rows 1 2 and 3 4 of two columns, what is left over does not count. */
static void matrices(many_context *context)
{
    const int64_t numbers[] = {1, 2, 3, 4, 5}, shape[] = {5};
    int64_t *rows, *columns, *matrix, rows_shape[1], columns_shape[1], matrix_shape[2];
    CHECK(many_sums(context, 2, numbers, shape, &rows, rows_shape, &columns, columns_shape, &matrix,
                    matrix_shape) == MANY_OK);
    CHECK(rows_shape[0] == 2 && rows[0] == 3 && rows[1] == 7);
    CHECK(columns_shape[0] == 2 && columns[0] == 4 && columns[1] == 6);
    CHECK(matrix_shape[0] == 2 && matrix_shape[1] == 2 && matrix[0] == 1 && matrix[3] == 4);
    many_free(rows);
    many_free(columns);
    many_free(matrix);
}

static void values_of_every_type(many_context *context)
{
    const bool flags[] = {true, false};
    const int64_t two[] = {2}, none[] = {0};
    int64_t *squares, sum, shape[1];
    CHECK(many_squares(context, 4, &squares, shape, &sum) == MANY_OK);
    CHECK(shape[0] == 4 && squares[0] == 1 && squares[3] == 16 && sum == 30);
    many_free(squares);
    CHECK(many_squares(context, 0, &squares, shape, &sum) == MANY_OK);
    CHECK(shape[0] == 0 && squares != NULL && sum == 0);
    many_free(squares);

    const double xs[] = {1.5, 2}, ys[] = {2, 4};
    double dot;
    CHECK(many_dot(context, xs, two, ys, two, &dot) == MANY_OK);
    CHECK(dot == 11);
    CHECK(many_dot(context, NULL, none, NULL, none, &dot) == MANY_OK);
    CHECK(dot == 0);

    const int64_t mixed[] = {-1, 5, 0, 7}, four[] = {4};
    int64_t *positive, positive_shape[1];
    bool flag;
    CHECK(many_positive(context, mixed, four, &positive, positive_shape, &flag) == MANY_OK);
    CHECK(positive_shape[0] == 2 && positive[0] == 5 && positive[1] == 7 && flag);
    many_free(positive);

    bool *opposite;
    int32_t number;
    float real;
    CHECK(many_pick(context, flags, two, 41, 1.25f, &opposite, shape, &number, &real) == MANY_OK);
    CHECK(shape[0] == 2 && !opposite[0] && opposite[1] && number == 42 && real == 2.5f);
    many_free(opposite);
}

/* Random numbers go on from call to call; each context begins where programs begin, or at its seed.
 */
static int64_t draw(many_context *context)
{
    const uint32_t text[] = {'a', 'b', 0x1F600};
    const int64_t shape[] = {3};
    uint32_t *reversed, *table;
    int64_t number, reversed_shape[1], table_shape[2];
    CHECK(many_words(context, text, shape, &reversed, reversed_shape, &table, table_shape,
                     &number) == MANY_OK);
    CHECK(reversed_shape[0] == 3 && reversed[0] == 0x1F600 && reversed[2] == 'a');
    CHECK(table_shape[0] == 2 && table_shape[1] == 2 && table[2] == 0x1F600 && table[3] == 'a');
    many_free(reversed);
    many_free(table);
    return number;
}

static void random_numbers(void)
{
    many_options options;
    memset(&options, 0, sizeof options);
    options.seed = 4711;
    many_context *first = many_open(NULL), *second = many_open(NULL), *third = many_open(&options);
    int64_t a = draw(first), b = draw(first);
    CHECK(a != b && draw(second) == a && draw(second) == b && draw(third) != a);
    many_close(first);
    many_close(second);
    many_close(third);
}

/* Errors inside the program: where, what, which line; and the context goes on. */
static void failures(many_context *context)
{
    const int64_t v[] = {6, 4, 5}, shape[] = {3};
    int64_t item, wrong_shape[] = {77};
    double *halves, halves_shape[1];
    int64_t extents[1];
    halves = (double *)&item;
    (void)halves_shape;
    CHECK(many_fails(context, v, shape, 4, &item, &halves, wrong_shape) == MANY_INDEX_ERROR);
    CHECK(strcmp(many_error(context),
                 "fails.apl:5:5: INDEX ERROR: 4 of 3\n  ⎕ ← w[i]\n      ^^^^") == 0);
    CHECK(item == 0 && halves == NULL && wrong_shape[0] == 0);
    CHECK(many_fails(context, v, shape, 2, &item, &halves, extents) == MANY_OK);
    CHECK(item == 8 && extents[0] == 3 && halves[0] == 3 && halves[1] == 2.5 && halves[2] == 2);
    CHECK(strcmp(many_error(context), "") == 0);
    many_free(halves);
}

static void wrong_calls(many_context *context)
{
    const double xs[] = {1, 2};
    const int64_t two[] = {2}, negative[] = {-2}, huge[] = {INT64_MAX / 4};
    const unsigned char bytes[] = {1, 2};
    double dot = 5;
    bool *flags;
    int64_t shape[1];
    int32_t number;
    float real;
    CHECK(many_dot(context, xs, negative, xs, two, &dot) == MANY_LENGTH_ERROR);
    CHECK(strcmp(many_error(context),
                 "dot: LENGTH ERROR: xs : [n]f64 has extent -2 along axis 0") == 0);
    CHECK(dot == 0);
    CHECK(many_dot(context, xs, huge, xs, two, &dot) == MANY_LIMIT_ERROR);
    CHECK(many_dot(context, NULL, two, xs, two, &dot) == MANY_VALUE_ERROR);
    CHECK(many_dot(context, xs, NULL, xs, two, &dot) == MANY_VALUE_ERROR);
    CHECK(many_dot(context, xs, two, xs, two, NULL) == MANY_VALUE_ERROR);
    CHECK(strcmp(many_error(context), "dot: VALUE ERROR: there is no place for result 1") == 0);
    CHECK(many_pick(context, (const bool *)bytes, two, 1, 1, &flags, shape, &number, &real) ==
          MANY_DOMAIN_ERROR);
    CHECK(many_dot(NULL, xs, two, xs, two, &dot) == MANY_WS_FULL);
    CHECK(strcmp(many_error(NULL), "WS FULL") == 0);
    CHECK(strcmp(many_status_name(MANY_INDEX_ERROR), "INDEX ERROR") == 0);
    many_close(NULL);
    many_free(NULL);
}

static void *in_a_thread(void *number)
{
    many_context *context = many_open(NULL);
    for (int i = 0; i < CALLS / 10; i++) {
        int64_t *squares, sum, shape[1], n = 100 + (int64_t)(intptr_t)number;
        CHECK(many_squares(context, n, &squares, shape, &sum) == MANY_OK);
        CHECK(shape[0] == n && sum == n * (n + 1) * (2 * n + 1) / 6);
        many_free(squares);
        failures(context);
    }
    many_close(context);
    return NULL;
}

int main(void)
{
    many_context *context = many_open(NULL);
    for (int i = 0; i < CALLS; i++) {
        matrices(context);
        failures(context);
    }
    values_of_every_type(context);
    wrong_calls(context);
    values_of_every_type(context);
    random_numbers();
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, in_a_thread, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    many_close(context);
    return failed;
}
