<?php
/**
 * Names what PHP 7.4 does not understand, or does not have, in the files that are given: one line each.
 *
 * The parser of a newer PHP takes all of it, so its tokens are looked through.
 */

const WORDS = ['T_MATCH', 'T_ENUM', 'T_READONLY', 'T_ATTRIBUTE', 'T_NULLSAFE_OBJECT_OPERATOR'];
const FUNCTIONS = [
    'str_contains', 'str_starts_with', 'str_ends_with', 'get_debug_type', 'get_resource_id', 'fdiv', 'array_is_list',
    'preg_last_error_msg', 'fsync', 'fdatasync', 'enum_exists', 'ini_parse_quantity', 'json_validate', 'mb_str_pad',
    'array_find', 'array_any', 'array_all', 'mb_trim', 'mb_ucfirst', 'iterator_apply_all',
];
const TYPES = ['mixed', 'never', 'false', 'true', 'null', 'static'];

/** What is too new in one file: [line, words]. */
function too_new(string $code): array
{
    $tokens = array_values(array_filter(PhpToken::tokenize($code), static function ($token) {
        return !$token->isIgnorable();
    }));
    $found = [];
    $say = static function (PhpToken $token, string $words) use (&$found) {
        $found[] = [$token->line, $words];
    };
    foreach ($tokens as $i => $token) {
        $next = $tokens[$i + 1] ?? null;
        $before = $tokens[$i - 1] ?? null;
        $name = $token->getTokenName();
        if (in_array($name, WORDS, true)) {
            $say($token, "$token->text is newer");
        }
        if ('T_STRING' === $name && in_array(strtolower($token->text), FUNCTIONS, true) && $next && '(' === $next->text
            && !in_array($before->text ?? '', ['->', '::', 'function'], true)) {
            $say($token, "the function $token->text is newer");
        }
        if ('T_STRING' === $name && $next && ':' === $next->text && in_array($before->text ?? '', ['(', ','], true)) {
            $say($token, 'a named argument');
        }
        if ('T_THROW' === $name && !in_array($before->text ?? '', [';', '{', '}', ')', ':', '<?php '], true)) {
            $say($token, 'throw inside an expression');
        }
        if ('T_CATCH' === $name) {
            $end = end_of($tokens, $i + 1);
            if ('T_VARIABLE' !== $tokens[$end - 1]->getTokenName()) {
                $say($token, 'catch without a variable');
            }
        }
        if ('T_CLASS' === $name && $before && '::' === $before->text && 'T_VARIABLE' === $tokens[$i - 2]->getTokenName()) {
            $say($token, '::class of an object');
        }
        if (in_array($name, ['T_FUNCTION', 'T_FN'], true)) {
            signature($tokens, $i, $say);
        }
    }
    return $found;
}

/** The place of the bracket that closes the one at a place. */
function end_of(array $tokens, int $open): int
{
    $depth = 0;
    for ($i = $open; isset($tokens[$i]); $i++) {
        $depth += in_array($tokens[$i]->text, ['(', '[', '{'], true) ? 1 : 0;
        $depth -= in_array($tokens[$i]->text, [')', ']', '}'], true) ? 1 : 0;
        if (0 === $depth) {
            return $i;
        }
    }
    return count($tokens) - 1;
}

/** Parameters and the returned type of a function. */
function signature(array $tokens, int $i, callable $say): void
{
    $open = $i + 1;
    while ('(' !== $tokens[$open]->text) {
        if (in_array($tokens[$open]->text, [';', '{'], true)) {
            return; // the import of a function
        }
        $open++;
    }
    $end = end_of($tokens, $open);
    if (',' === $tokens[$end - 1]->text) {
        $say($tokens[$end], 'a comma behind the last parameter');
    }
    for ($at = $open + 1, $default = false; $at < $end; $at++) {
        $text = strtolower($tokens[$at]->text);
        if (in_array($text, ['(', '[', '{'], true)) {
            $at = end_of($tokens, $at);
            continue;
        }
        $default = '=' === $text || ($default && ',' !== $text);
        if ($default) {
            if ('new' === $text) {
                $say($tokens[$at], 'new in a default value');
            }
            continue;
        }
        if (in_array($text, ['public', 'protected', 'private'], true)) {
            $say($tokens[$at], 'a property among the parameters');
        }
        type($tokens[$at], $text, $say);
    }
    $at = $end + 1;
    if ('use' === strtolower($tokens[$at]->text ?? '')) {
        $at = end_of($tokens, $at + 1) + 1;
    }
    if (':' !== ($tokens[$at]->text ?? '')) {
        return;
    }
    for ($at++; isset($tokens[$at]) && !in_array($tokens[$at]->text, ['{', ';', '=>'], true); $at++) {
        type($tokens[$at], strtolower($tokens[$at]->text), $say);
    }
}

function type(PhpToken $token, string $text, callable $say): void
{
    if ('|' === $text || in_array($text, TYPES, true)
        || in_array($token->getTokenName(), ['T_AMPERSAND_NOT_FOLLOWED_BY_VAR_OR_VARARG'], true)) {
        $say($token, "the type $text");
    }
}

$status = 0;
foreach (array_slice($argv, 1) as $file) {
    foreach (too_new(file_get_contents($file)) as list($line, $words)) {
        echo "$file:$line: $words\n";
        $status = 1;
    }
}
exit($status);
