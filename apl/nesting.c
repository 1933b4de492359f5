/* Brackets, matched before the grammar runs.

       (a+[b ⋄ c)   ==>   ( and [ are not closed in their statement; ) closes nothing

   Parentheses and square brackets close within their statement; a brace may span lines. Each
   bracket without a partner is reported where it stands and becomes an INVALID token, so that the
   grammar sees balanced tokens alone and knows where each statement ends. */
#include "apl/tokens.h"
#include "apl/grammar.h"

typedef VEC(uint32_t) IndexVec;

typedef struct Matcher {
    Compilation *c;
    const SourceFile *source;
    AplTokens *tokens;
    IndexVec open;       /* indices of openers, the innermost last */
    IndexVec braces;     /* how many openers there were when each open brace opened */
    size_t statement;    /* the top-level statement's first token */
    bool limit_reported; /* for this statement */
} Matcher;

static void report(Matcher *matcher, const AplToken *token, const char *name, const char *message)
{
    Span span = {matcher->source, token->start, token->end};
    int length = (int)(token->end - token->start);
    diagnostics_add(matcher->c->diagnostics, span, name, "'%.*s' %s", length,
                    matcher->source->text + token->start, message);
}

static void report_unclosed(Matcher *matcher, AplToken *token)
{
    if (!matcher->limit_reported) {
        report(matcher, token, "SYNTAX ERROR",
               token->kind == APL_TOKEN_OPEN_BRACE ? "is not closed"
                                                   : "is not closed before its statement ends");
    }
    token->kind = APL_TOKEN_INVALID;
}

static void open_bracket(Matcher *matcher, uint32_t index)
{
    if (matcher->open.count >= NESTING_LIMIT && !matcher->limit_reported) {
        report(matcher, &matcher->tokens->items[index], "LIMIT ERROR", "is nested too deeply");
        matcher->limit_reported = true;
        matcher->tokens->items[matcher->statement].reported = true;
    }
    if (matcher->tokens->items[index].kind == APL_TOKEN_OPEN_BRACE) {
        vec_push(matcher->c->arena, &matcher->braces, (uint32_t)matcher->open.count);
    }
    vec_push(matcher->c->arena, &matcher->open, index);
}

/* The number of openers at and outside the innermost open brace. */
static size_t openers_to_brace(const Matcher *matcher)
{
    return matcher->braces.count ? matcher->braces.items[matcher->braces.count - 1] + 1u : 0;
}

/* Reports the openers above `height`: nothing closes them. */
static void drop_to(Matcher *matcher, size_t height)
{
    while (matcher->open.count > height) {
        report_unclosed(matcher,
                        &matcher->tokens->items[matcher->open.items[--matcher->open.count]]);
    }
}

/* The height of the innermost opener of this kind within the innermost brace (for a brace: it); 0
   where there is none. */
static size_t find_opener(const Matcher *matcher, int kind)
{
    size_t floor = openers_to_brace(matcher);
    if (kind == APL_TOKEN_OPEN_BRACE)
        return floor;
    for (size_t height = matcher->open.count; height > floor; height--) {
        if (matcher->tokens->items[matcher->open.items[height - 1]].kind == kind)
            return height;
    }
    return 0;
}

static void close_bracket(Matcher *matcher, uint32_t index, int opener_kind)
{
    AplToken *token = &matcher->tokens->items[index];
    size_t height = find_opener(matcher, opener_kind);
    if (height == 0) {
        report(matcher, token, "SYNTAX ERROR", "closes nothing");
        token->kind = APL_TOKEN_INVALID;
        return;
    }
    drop_to(matcher, height);
    uint32_t opener = matcher->open.items[--matcher->open.count];
    if (opener_kind == APL_TOKEN_OPEN_BRACE)
        matcher->braces.count--;
    token->partner = opener;
    matcher->tokens->items[opener].partner = index;
}

/* At the end of the file: closes the braces that are still open, with tokens of no width before the
 * END. */
static void close_braces(Matcher *matcher)
{
    AplTokens *tokens = matcher->tokens;
    AplToken end = tokens->items[--tokens->count];
    drop_to(matcher, openers_to_brace(matcher));
    while (matcher->open.count) {
        uint32_t opener = matcher->open.items[--matcher->open.count];
        matcher->braces.count--;
        report_unclosed(matcher, &tokens->items[opener]);
        tokens->items[opener].kind = APL_TOKEN_OPEN_BRACE;
        tokens->items[opener].partner = (uint32_t)tokens->count;
        AplToken closer = end;
        closer.kind = APL_TOKEN_CLOSE_BRACE;
        closer.partner = opener;
        vec_push(matcher->c->arena, tokens, closer);
        drop_to(matcher, openers_to_brace(matcher));
    }
    vec_push(matcher->c->arena, tokens, end);
}

void apl_match_brackets(Compilation *c, const SourceFile *source, AplTokens *tokens)
{
    Matcher matcher = {.c = c, .source = source, .tokens = tokens};
    for (uint32_t i = 0; i < tokens->count; i++) {
        switch (tokens->items[i].kind) {
        case APL_TOKEN_OPEN_PAREN:
        case APL_TOKEN_OPEN_BRACKET:
        case APL_TOKEN_OPEN_BRACE: open_bracket(&matcher, i); break;
        case APL_TOKEN_CLOSE_PAREN: close_bracket(&matcher, i, APL_TOKEN_OPEN_PAREN); break;
        case APL_TOKEN_CLOSE_BRACKET: close_bracket(&matcher, i, APL_TOKEN_OPEN_BRACKET); break;
        case APL_TOKEN_CLOSE_BRACE: close_bracket(&matcher, i, APL_TOKEN_OPEN_BRACE); break;
        case APL_TOKEN_SEPARATOR:
        case APL_TOKEN_END:
            drop_to(&matcher, openers_to_brace(&matcher));
            if (matcher.open.count == 0) {
                matcher.statement = i + 1;
                matcher.limit_reported = false;
            }
            break;
        default: break;
        }
    }
    close_braces(&matcher);
}
