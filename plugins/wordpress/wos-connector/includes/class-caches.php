<?php
/** Page caches of other plugins: which are on, and how each forgets one address, by its own public functions. */

namespace Wos;

defined('ABSPATH') || exit;

final class Caches
{
    /** name => [whether it is on, what makes it forget (address, post number or 0)]. */
    private static function known(): array
    {
        $known = [
            'WP Super Cache' => [
                function_exists('wpsc_delete_url_cache'),
                static function (string $url, int $post) {
                    $post ? wpsc_delete_post_cache($post) : wpsc_delete_url_cache($url);
                },
            ],
            'W3 Total Cache' => [
                function_exists('w3tc_flush_url'),
                static function (string $url, int $post) {
                    w3tc_flush_url($url);
                    $post && w3tc_flush_post($post);
                },
            ],
            'LiteSpeed Cache' => [
                defined('LSCWP_V'),
                static function (string $url) {
                    do_action('litespeed_purge_url', $url);
                },
            ],
            'WP Rocket' => [
                function_exists('rocket_clean_files'),
                static function (string $url) {
                    rocket_clean_files([$url]);
                },
            ],
            'WP Fastest Cache' => [
                function_exists('wpfc_clear_all_cache'),
                static function (string $url, int $post) {
                    $post && function_exists('wpfc_clear_post_cache_by_id')
                        ? wpfc_clear_post_cache_by_id($post) : wpfc_clear_all_cache();
                },
            ],
            'Cache Enabler' => [
                defined('CACHE_ENABLER_VERSION'),
                static function (string $url) {
                    do_action('cache_enabler_clear_page_cache_by_url', $url);
                },
            ],
            'SiteGround Optimizer' => [
                function_exists('sg_cachepress_purge_cache'),
                static function (string $url) {
                    sg_cachepress_purge_cache($url);
                },
            ],
            'Hummingbird' => [
                defined('WPHB_VERSION'),
                static function (string $url, int $post) {
                    $post ? do_action('wphb_clear_page_cache', $post) : do_action('wphb_clear_page_cache');
                },
            ],
            'Nginx Helper' => [
                isset($GLOBALS['nginx_purger']) && method_exists($GLOBALS['nginx_purger'], 'purge_url'),
                static function (string $url) {
                    $GLOBALS['nginx_purger']->purge_url($url);
                },
            ],
        ];
        /**
         * Page caches that this plugin does not know: name => [bool on, callable(string $url, int $post)].
         *
         * @param array $known
         */
        return (array) apply_filters('wos_page_caches', $known);
    }

    /** @return string[] */
    public static function names(): array
    {
        $names = array_keys(array_filter(self::known(), static function ($cache) {
            return (bool) $cache[0];
        }));
        if (!$names && defined('WP_CACHE') && WP_CACHE && file_exists(WP_CONTENT_DIR . '/advanced-cache.php')) {
            $names[] = 'advanced-cache.php';
        }
        return array_map(static function ($name) {
            return mb_substr((string) $name, 0, 64);
        }, $names);
    }

    /** Makes all forget an address. A cache that throws, or that nobody knows how to clear, is told as not cleared. */
    public static function clear(string $url, int $post): array
    {
        $known = self::known();
        $done = [];
        foreach (self::names() as $name) {
            $cleared = false;
            if (isset($known[$name])) {
                try {
                    $known[$name][1]($url, $post);
                    $cleared = true;
                } catch (\Throwable $error) {
                    Connection::problem($name . ': ' . $error->getMessage());
                }
            }
            $done[] = ['name' => $name, 'cleared' => $cleared];
        }
        return $done;
    }
}
