<?php
/** Addresses in the one form in which the service writes them, so that two spellings of one are equal. */

namespace Wos;

defined('ABSPATH') || exit;

final class Address
{
    const LONGEST = 8192; // bytes of an address that is looked at
    const PLAIN = "A-Za-z0-9._~!$&'()*+,;=:@\\/?\\-"; // characters that a path and a query may hold as they are

    /** The absolute address that a page at `$base` means, without its fragment; null: none with http or https. */
    public static function resolve(string $written, string $base): ?string
    {
        $written = str_replace(["\t", "\n", "\r"], '', trim($written, "\x00..\x20"));
        $written = substr($written, 0, strcspn($written, '#'));
        if (strlen($written) > self::LONGEST) {
            return null;
        }
        if (!preg_match('~\A(https?:)(//[^/?#]*)([^?#]*)(\?[^#]*)?~i', $base, $parts)) {
            return null;
        }
        if (preg_match('/\A[A-Za-z][A-Za-z0-9+.-]*:/', $written, $scheme)) {
            $rest = substr($written, strlen($scheme[0]));
            if (0 !== strcasecmp($scheme[0], $parts[1]) || preg_match('~\A[/\\\\]{2}~', $rest)) {
                return self::normal($written);
            }
            $written = $rest; // a browser takes it as relative
        }
        $path = '' === $parts[3] ? '/' : $parts[3];
        if (preg_match('~\A[/\\\\]{2}~', $written)) {
            return self::normal($parts[1] . $written);
        }
        $first = substr($written, 0, 1);
        if ('/' === $first || '\\' === $first) {
            return self::normal($parts[1] . $parts[2] . $written);
        }
        if ('' === $first || '?' === $first) {
            return self::normal($parts[1] . $parts[2] . $path . ('' === $first ? $parts[4] ?? '' : $written));
        }
        return self::normal($parts[1] . $parts[2] . substr($path, 0, strrpos($path, '/') + 1) . $written);
    }

    /** Path and query in the one form, such as `/old?x=1`. */
    public static function path(string $written): string
    {
        $parts = explode('?', substr($written, 0, strcspn($written, '#')), 2);
        $query = isset($parts[1]) && '' !== $parts[1] ? '?' . self::encoded($parts[1], true) : '';
        return self::encoded('' === $parts[0] ? '/' : $parts[0], false) . $query;
    }

    /** Path and query of an absolute address. */
    public static function path_of(string $address): string
    {
        $from = strcspn($address, '/?#', strpos($address, '//') + 2) + strpos($address, '//') + 2;
        $rest = substr($address, $from);
        return self::path('/' === substr($rest, 0, 1) ? $rest : "/$rest");
    }

    /** The host of an absolute address, with a port that is not its scheme's; null: none. */
    public static function host(string $address): ?string
    {
        $normal = self::resolve($address, $address);
        return null === $normal ? null : substr($normal, strpos($normal, '//') + 2, strcspn($normal, '/', strpos($normal, '//') + 2));
    }

    private static function normal(string $address): ?string
    {
        if (!preg_match('~\A(https?):[/\\\\]{2,}([^/\\\\?#]*)([^?#]*)(?:\?([^#]*))?\z~is', $address, $parts)) {
            return null;
        }
        $scheme = strtolower($parts[1]);
        if (!preg_match('/\A(\[[0-9A-Fa-f:.]+\]|[^\x00-\x20:@\[\]%<>"^`{|}]+)(?::([0-9]{0,5}))?\z/', $parts[2], $authority)) {
            return null;
        }
        $usual = 'https' === $scheme ? 443 : 80;
        $port = isset($authority[2]) && '' !== $authority[2] ? (int) $authority[2] : $usual;
        if ($port < 1 || $port > 65535) {
            return null;
        }
        $port = $usual === $port ? '' : ":$port";
        $path = self::straight(str_replace('\\', '/', $parts[3]));
        return "$scheme://" . strtolower($authority[1]) . $port . self::path($path . '?' . ($parts[4] ?? ''));
    }

    /** The path without `.` and `..`. */
    private static function straight(string $path): string
    {
        $kept = [];
        $dots = '';
        foreach (array_slice(explode('/', $path), 1) as $part) {
            $dots = str_ireplace('%2e', '.', $part);
            if ('..' === $dots) {
                array_pop($kept);
            } elseif ('.' !== $dots) {
                $kept[] = $part;
            }
        }
        if ('.' === $dots || '..' === $dots) {
            $kept[] = '';
        }
        return '/' . implode('/', $kept);
    }

    /** Unreserved characters as they are, all others escaped. Where a `%` begins no escape, escapes stay. */
    private static function encoded(string $text, bool $is_query): string
    {
        $plain = $is_query ? self::PLAIN : str_replace('?', '', self::PLAIN);
        $is_stray = 1 === preg_match('/%(?![0-9A-Fa-f]{2})/', $text);
        return (string) preg_replace_callback(
            "/%[0-9A-Fa-f]{2}|[^{$plain}%]/",
            static function (array $found) use ($is_stray): string {
                if (1 === strlen($found[0])) {
                    return sprintf('%%%02X', ord($found[0]));
                }
                $character = chr((int) hexdec(substr($found[0], 1)));
                return !$is_stray && preg_match('/[A-Za-z0-9._~-]/', $character) ? $character : strtoupper($found[0]);
            },
            $text
        );
    }
}
