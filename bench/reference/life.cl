#define ROWS 4u /* of a work-item; ROWS_OF_ITEM in life.c */
#define ADD(a, b) ((a) + (b))
REDUCTION(sum, long, 0L, ADD)

/* About three cells in ten, scattered: 300>1009|i×5+i×i (no more than 2*63). */
kernel void fill(const long cells, global uchar *board)
{
    const long cell = get_global_id(0), i = cell + 1;
    if (cell < cells)
        board[cell] = (i * (5 + i * i)) % 1009 < 300;
}

/* One generation of a board whose rows are words of four cells. A work-item has a word of ROWS rows
   below each other. A sum of nine cells fits its byte. */
uint row_sum(global const uint *row, const uint words, const uint column)
{
    const uint left = row[column == 0 ? words - 1 : column - 1], middle = row[column],
               right = row[column == words - 1 ? 0 : column + 1];
    return middle + (middle << 8 | left >> 24) + (middle >> 8 | right << 24);
}
/* 1 in each byte that is `value`; bytes are below 16. */
uint equal_bytes(const uint bytes, const uint value)
{
    return (~((bytes ^ value * 0x01010101u) + 0x0f0f0f0fu) >> 4) & 0x01010101u;
}
kernel void generation_words(const uint rows, const uint words, global const uint *restrict board,
                             global uint *restrict next)
{
    const uint column = get_global_id(0), first = get_global_id(1) * ROWS;
    if (column >= words || first >= rows)
        return;
    uint above = row_sum(board + (first == 0 ? rows - 1 : first - 1) * words, words, column);
    uint here = row_sum(board + first * words, words, column);
    const uint end = min(first + ROWS, rows);
    for (uint row = first; row < end; row++) {
        const uint below = row_sum(board + (row == rows - 1 ? 0 : row + 1) * words, words, column);
        const uint area = above + here + below, alive = board[row * words + column];
        next[row * words + column] = equal_bytes(area, 3) | (alive & equal_bytes(area, 4));
        above = here;
        here = below;
    }
}

/* One generation where rows are no whole words. */
kernel void generation_cells(const uint rows, const uint columns, global const uchar *restrict board,
                             global uchar *restrict next)
{
    const uint column = get_global_id(0), row = get_global_id(1);
    if (column >= columns || row >= rows)
        return;
    const uint left = column == 0 ? columns - 1 : column - 1;
    const uint right = column == columns - 1 ? 0 : column + 1;
    global const uchar *above = board + (row == 0 ? rows - 1 : row - 1) * columns;
    global const uchar *here = board + row * columns;
    global const uchar *below = board + (row == rows - 1 ? 0 : row + 1) * columns;
    const uint area = above[left] + above[column] + above[right] + here[left] + here[column] +
                      here[right] + below[left] + below[column] + below[right];
    next[row * columns + column] = (area == 3) | (here[column] & (area == 4));
}

kernel void alive(const long cells, global const uchar *board, volatile global long *partials,
                  volatile global uint *finished, global long *result, local long *shared)
{
    local uint is_last;
    const long items = get_global_size(0), vectors = cells / 16;
    long sum = 0;
    for (long i = get_global_id(0); i < vectors; i += items) {
        const uint4 words = vload4(i, (global const uint *)board);
        const uint all = words.x + words.y + words.z + words.w; /* at most 4 a byte */
        sum += all * 0x01010101u >> 24;
    }
    for (long i = vectors * 16 + get_global_id(0); i < cells; i += items)
        sum += board[i];
    reduce_sum(sum, partials, finished, result, shared, &is_last);
}
