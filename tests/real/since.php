<?php
/**
 * Since which WordPress there is what a plugin uses: php since.php <WordPress> <plugin>
 *
 * Prints functions, classes and hooks by name, each with the version of its `@since`; null: WordPress has no such one.
 */

list(, $wordpress, $plugin) = $argv;
const CALLS = ['do_action', 'do_action_ref_array', 'apply_filters', 'apply_filters_ref_array'];

function code(string $folder): Generator
{
    $files = is_file($folder)
        ? [new SplFileInfo($folder)]
        : new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS));
    foreach ($files as $file) {
        if ('php' === $file->getExtension()) {
            yield array_values(array_filter(PhpToken::tokenize(file_get_contents($file->getPathname())), static function ($token) {
                return !$token->is([T_WHITESPACE, T_COMMENT]);
            }));
        }
    }
}

/** Names of functions that code declares (outside classes, unless `$all`), of classes, and of hooks that it calls. */
function declared(string $folder, bool $all): array
{
    $found = ['functions' => [], 'classes' => [], 'hooks' => []];
    foreach (code($folder) as $tokens) {
        $note = '';
        $depth = 0;
        $class = null; // the depth at which a class is declared
        foreach ($tokens as $i => $token) {
            $next = $tokens[$i + 1] ?? null;
            $keep = static function (string $kind, string $name) use (&$found, &$note) {
                $since = preg_match('/@since\s+(?:MU\s*\()?([0-9]+\.[0-9]+)/', $note, $parts) ? $parts[1] : null;
                $old = $found[$kind][$name] ?? null;
                $found[$kind][$name] = null === $old || (null !== $since && version_compare($since, $old, '<')) ? $since : $old;
            };
            if ($token->is(T_DOC_COMMENT)) {
                $note = $token->text;
            } elseif ($token->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) {
                $depth++;
            } elseif ($token->is('}')) {
                $depth--;
                $class = $depth === $class ? null : $class;
            } elseif ($token->is([T_CLASS, T_INTERFACE, T_TRAIT]) && $next && $next->is(T_STRING)) {
                $class = $depth;
                $keep('classes', $next->text);
            } elseif ($token->is(T_FUNCTION) && ($all || null === $class)) {
                $name = $next && $next->is('&') ? $tokens[$i + 2] : $next;
                if ($name && $name->is(T_STRING)) {
                    $keep('functions', strtolower($name->text));
                }
            } elseif ($token->is(T_STRING) && in_array($token->text, CALLS, true) && isset($tokens[$i + 2])) {
                if ($tokens[$i + 2]->is(T_CONSTANT_ENCAPSED_STRING)) {
                    $keep('hooks', trim($tokens[$i + 2]->text, '\'"'));
                }
            }
        }
    }
    return $found;
}

/** What code calls: functions, classes of WordPress, and hooks to which it adds. */
function used(string $folder): array
{
    $found = ['functions' => [], 'classes' => [], 'hooks' => []];
    foreach (code($folder) as $tokens) {
        foreach ($tokens as $i => $token) {
            $before = $tokens[$i - 1] ?? null;
            $is_call = isset($tokens[$i + 1]) && $tokens[$i + 1]->is('(');
            $is_method = $before && $before->is([T_OBJECT_OPERATOR, T_DOUBLE_COLON, T_FUNCTION, T_NEW]);
            if ($is_call && !$is_method && $token->is([T_STRING, T_NAME_FULLY_QUALIFIED])) {
                $found['functions'][] = strtolower(ltrim($token->text, '\\'));
                // A name that goes on behind a dot is made of another.
                $is_hook = in_array($token->text, ['add_action', 'add_filter'], true) && $tokens[$i + 3]->is(',');
                if ($is_hook && $tokens[$i + 2]->is(T_CONSTANT_ENCAPSED_STRING)) {
                    $found['hooks'][] = trim($tokens[$i + 2]->text, '\'"');
                }
            }
            if ($token->is(T_NAME_FULLY_QUALIFIED) && preg_match('/\A\\\\(WP_\w+|Walker\w*)\z/', $token->text, $name)) {
                $found['classes'][] = $name[1];
            }
        }
    }
    return array_map('array_unique', $found);
}

$there = declared("$wordpress/wp-includes", false);
foreach (['wp-admin/includes', 'wp-settings.php'] as $more) {
    foreach (declared("$wordpress/$more", false) as $kind => $names) {
        $there[$kind] += $names;
    }
}
$own = declared($plugin, true)['functions'];
$php = array_fill_keys(get_defined_functions()['internal'], null);
$answer = [];
foreach (used($plugin) as $kind => $names) {
    $answer[$kind] = [];
    foreach ($names as $name) {
        if ('functions' !== $kind || !(isset($php[$name]) || array_key_exists($name, $php) || array_key_exists($name, $own))) {
            $answer[$kind][$name] = $there[$kind][$name] ?? null;
        }
    }
    $answer[$kind] = (object) $answer[$kind];
}
echo json_encode($answer);
