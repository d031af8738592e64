<?php
/** /llms.txt, and our lines at the beginning of /robots.txt. */

namespace Wos;

defined('ABSPATH') || exit;

final class Files
{
    const MOST = 60000;
    const OPTIONS = ['llmsTxt' => 'wos_llms_txt', 'robotsBlock' => 'wos_robots_block'];
    const BEGIN = "# BEGIN Website Optimization\n";
    const END = "# END Website Optimization\n";

    public static function register(): void
    {
        add_action('parse_request', [self::class, 'serve'], 0);
        add_filter('robots_txt', [self::class, 'robots'], 999);
    }

    public static function serve(): void
    {
        $asked = isset($_SERVER['REQUEST_URI']) ? wp_parse_url(wp_unslash($_SERVER['REQUEST_URI']), PHP_URL_PATH) : '';
        $method = isset($_SERVER['REQUEST_METHOD']) ? $_SERVER['REQUEST_METHOD'] : '';
        if ('/llms.txt' !== $asked || !in_array($method, ['GET', 'HEAD'], true) || !self::at_root()) {
            return;
        }
        $text = self::get('llmsTxt');
        if (null === $text) {
            return;
        }
        status_header(200);
        header('Content-Type: text/plain; charset=utf-8');
        header('Cache-Control: no-cache');
        header('X-Content-Type-Options: nosniff');
        if ('GET' === $method) {
            echo $text; // phpcs:ignore WordPress.Security.EscapeOutput -- plain text, not HTML
        }
        exit;
    }

    public static function robots($output)
    {
        $block = self::get('robotsBlock');
        return null === $block ? $output : rtrim($block, "\n") . "\n\n" . $output;
    }

    /** The text that was written; null: none. */
    public static function get(string $file): ?string
    {
        if ('robotsBlock' === $file && 'file' === self::robots_file()) {
            return self::block_of((string) file_get_contents(self::path('robots.txt')));
        }
        $text = get_option(self::OPTIONS[$file], null);
        return is_string($text) ? $text : null;
    }

    public static function put(string $file, ?string $text): void
    {
        if ('robotsBlock' === $file && 'file' === self::robots_file()) {
            self::put_block((string) self::path('robots.txt'), $text);
        } elseif (null === $text) {
            delete_option(self::OPTIONS[$file]);
        } else {
            update_option(self::OPTIONS[$file], $text, false);
        }
    }

    public static function why_not(string $file): ?string
    {
        if (!self::at_root()) {
            return __('WordPress lies below a folder of its host or has plain permalinks: it is not asked for this file.', 'wos-connector');
        }
        if ('llmsTxt' === $file && null !== self::path('llms.txt')) {
            return __('A file llms.txt lies in the website’s folder; WordPress is not asked for it.', 'wos-connector');
        }
        if ('robotsBlock' === $file && 'readonly' === self::robots_file()) {
            return __('A file robots.txt lies in the website’s folder, and WordPress may not write it.', 'wos-connector');
        }
        return null;
    }

    /** virtual, file, readonly or elsewhere. */
    public static function robots_file(): string
    {
        if (!self::at_root()) {
            return 'elsewhere';
        }
        $path = self::path('robots.txt');
        if (null === $path) {
            return 'virtual';
        }
        return wp_is_writable($path) ? 'file' : 'readonly';
    }

    /** Whether WordPress is asked for files of its host: it lies in no folder, and addresses lead to it. */
    private static function at_root(): bool
    {
        return '' !== get_option('permalink_structure') && in_array(wp_parse_url(home_url(), PHP_URL_PATH), [null, '', '/'], true);
    }

    /** Where a real file of that name lies, which the web server gives out by itself; null: nowhere. */
    private static function path(string $name): ?string
    {
        $folders = [ABSPATH, isset($_SERVER['DOCUMENT_ROOT']) ? trailingslashit($_SERVER['DOCUMENT_ROOT']) : ''];
        foreach (array_filter($folders) as $folder) {
            if (is_file($folder . $name)) {
                return $folder . $name;
            }
        }
        return null;
    }

    private static function block_of(string $text): ?string
    {
        $begin = strpos($text, self::BEGIN);
        $end = false === $begin ? false : strpos($text, self::END, $begin);
        return false === $end
            ? null : substr($text, $begin + strlen(self::BEGIN), $end - $begin - strlen(self::BEGIN));
    }

    private static function put_block(string $path, ?string $block): void
    {
        $text = (string) file_get_contents($path);
        $old = self::block_of($text);
        if (null !== $old) {
            $text = str_replace(self::BEGIN . $old . self::END, '', $text);
        }
        if (null !== $block) {
            $block = rtrim($block, "\n") . "\n";
            $text = self::BEGIN . $block . self::END . $text;
        }
        file_put_contents($path, $text, LOCK_EX);
    }
}
