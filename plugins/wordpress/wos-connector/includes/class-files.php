<?php
/** /llms.txt, our lines at the end of /robots.txt, and the key that search engines look for (IndexNow). */

namespace Wos;

defined('ABSPATH') || exit;

final class Files
{
    const MOST = 60000;
    const OPTIONS = ['llmsTxt' => 'wos_llms_txt', 'robotsBlock' => 'wos_robots_block', 'indexNowKey' => 'wos_index_now_key'];
    const BEGIN = '# BEGIN Website Optimization';
    const END = '# END Website Optimization';

    public static function register(): void
    {
        add_action('parse_request', [self::class, 'serve'], 0);
        add_filter('robots_txt', [self::class, 'robots'], 999);
    }

    public static function serve(): void
    {
        $asked = isset($_SERVER['REQUEST_URI']) ? wp_parse_url(wp_unslash($_SERVER['REQUEST_URI']), PHP_URL_PATH) : '';
        $method = isset($_SERVER['REQUEST_METHOD']) ? $_SERVER['REQUEST_METHOD'] : '';
        if (!in_array($method, ['GET', 'HEAD'], true) || !self::at_root()) {
            return;
        }
        if ('/llms.txt' === $asked) {
            self::answer(self::get('llmsTxt'), $method);
        } elseif (preg_match('#\A/([A-Za-z0-9-]{8,128})\.txt\z#', (string) $asked, $found) && self::get('indexNowKey') === $found[1]) {
            header('X-Robots-Tag: noindex');
            self::answer($found[1], $method);
        }
    }

    /** The path of the file; null: that of a key that is gone is not known. */
    public static function path(string $file): ?string
    {
        if ('indexNowKey' !== $file) {
            return 'llmsTxt' === $file ? '/llms.txt' : '/robots.txt';
        }
        $key = self::get($file);
        return null === $key ? null : "/$key.txt";
    }

    private static function answer(?string $text, string $method): void
    {
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
        try {
            return self::with_block((string) $output, self::get('robotsBlock'));
        } catch (Unwritten $problem) {
            return $output; // a real file that cannot be read
        }
    }

    /** The text that was written; null: none. Throws Unwritten: a real file cannot be read. */
    public static function get(string $file): ?string
    {
        $real = self::real($file);
        if (null !== $real) {
            return self::block_of($real->read());
        }
        $text = get_option(self::OPTIONS[$file], null);
        return is_string($text) ? $text : null;
    }

    /** Throws Unwritten: a real file could not be replaced, and is as it was. */
    public static function put(string $file, ?string $text): void
    {
        $real = self::real($file);
        if (null !== $real) {
            $problem = self::why_not($file);
            if (null !== $problem) {
                throw new Unwritten($problem);
            }
            $read = $real->read();
            $wanted = self::with_block($read, $text);
            if ($wanted !== $read) {
                $real->replace($read, $wanted);
            }
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
        $sender = 'indexNowKey' === $file ? Senders::active() : null;
        if (null !== $sender) {
            /* translators: %s: name of a plugin */
            return sprintf(__('%s tells search engines of changes already.', 'wos-connector'), $sender);
        }
        if ('llmsTxt' === $file && null !== Real_File::find('llms.txt')) {
            return __('A file llms.txt lies in the website’s folder; WordPress is not asked for it.', 'wos-connector');
        }
        $real = self::real($file);
        if (null === $real) {
            return null;
        }
        // All sites of a network have one folder, so that its robots.txt is answered for each of their hosts.
        return is_multisite() && !is_main_site()
            ? __('The file robots.txt is shared by all sites of this network: only the main site may change it.', 'wos-connector')
            : $real->why_not();
    }

    /** virtual, file, readonly or elsewhere. */
    public static function robots_file(): string
    {
        if (!self::at_root()) {
            return 'elsewhere';
        }
        if (null === self::real('robotsBlock')) {
            return 'virtual';
        }
        return null === self::why_not('robotsBlock') ? 'file' : 'readonly';
    }

    /** The real file that holds what is written; null: an option holds it. */
    private static function real(string $file): ?Real_File
    {
        return 'robotsBlock' === $file && self::at_root() ? Real_File::find('robots.txt') : null;
    }

    /** Whether WordPress is asked for files of its host: it lies in no folder, and addresses lead to it. */
    private static function at_root(): bool
    {
        return '' !== get_option('permalink_structure') && in_array(wp_parse_url(home_url(), PHP_URL_PATH), [null, '', '/'], true);
    }

    /** The block of a file, without its markers; null: it has none. */
    private static function block_of(string $text): ?string
    {
        $place = self::place($text);
        if (null === $place) {
            return null;
        }
        $lines = explode("\n", str_replace("\r\n", "\n", substr($text, $place[0], $place[1] - $place[0])));
        return implode("\n", array_slice($lines, 2, -2)) . "\n";
    }

    /** The file with this block at its end, in place of its own; null: without one. */
    private static function with_block(string $text, ?string $block): string
    {
        $place = self::place($text);
        if (null !== $place) {
            $text = substr($text, 0, $place[0]) . substr($text, $place[1]);
        }
        return null === $block ? $text : implode("\n", [$text, self::BEGIN, rtrim($block, "\n"), self::END, '']);
    }

    /** Where the last whole block begins, with the line end before it, and ends. An editor may have changed line ends. */
    private static function place(string $text): ?array
    {
        $found = null;
        foreach (["\n", "\r\n"] as $line_end) {
            $last = $line_end . self::END . $line_end;
            $end = strrpos($text, $last);
            $before = false === $end ? '' : substr($text, 0, $end + strlen($line_end));
            $begin = strrpos($before, $line_end . self::BEGIN . $line_end);
            if (false !== $begin && (null === $found || $end + strlen($last) > $found[1])) {
                $found = [$begin, $end + strlen($last)];
            }
        }
        return $found;
    }
}
