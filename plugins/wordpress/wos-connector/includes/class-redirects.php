<?php
/** Redirects of addresses that WordPress does not know: it answers them only where it would answer 404 or 410. */

namespace Wos;

defined('ABSPATH') || exit;

final class Redirects
{
    const OPTION = 'wos_redirects'; // by the hash of the path: path and target
    const MOST = 2000;
    const SECONDS = 3600; // for which a browser keeps one, also after it is undone

    public static function register(): void
    {
        add_action('template_redirect', [self::class, 'serve'], 9); // WordPress guesses an address at 10
        add_filter('status_header', [self::class, 'serve_gone'], 10, 2); // other plugins answer 410 before that
    }

    public static function serve(): void
    {
        if (is_404()) {
            self::redirect();
        }
    }

    /** A filter of the status line: another plugin is about to answer 410. */
    public static function serve_gone($line, $status)
    {
        if (410 === (int) $status && !headers_sent()) {
            self::redirect();
        }
        return $line;
    }

    /** Answers with the redirect of the requested address, if there is one. */
    private static function redirect(): void
    {
        $method = isset($_SERVER['REQUEST_METHOD']) ? $_SERVER['REQUEST_METHOD'] : '';
        if (!in_array($method, ['GET', 'HEAD'], true) || !isset($_SERVER['REQUEST_URI'])) {
            return;
        }
        $target = self::get(Address::path(wp_unslash($_SERVER['REQUEST_URI'])));
        if (null === $target) {
            return;
        }
        header_remove('Expires');
        header_remove('Pragma');
        header('Cache-Control: max-age=' . self::SECONDS);
        header('X-Redirect-By: Website Optimization');
        header("Location: $target", true, 301);
        exit;
    }

    /** Where a path leads; null: it is not redirected. */
    public static function get(string $path): ?string
    {
        return self::all()[hash('sha256', $path)]['to'] ?? null;
    }

    public static function cell(string $path): Cell
    {
        return Cell::option(self::OPTION, [hash('sha256', $path)], false);
    }

    /** Whether this website can redirect addresses: its own lead to WordPress. */
    public static function can(): bool
    {
        $form = (string) get_option('permalink_structure');
        return '' !== $form && 0 !== strpos(ltrim($form, '/'), 'index.php');
    }

    /** Why a path is not redirected to this address; null: it may be. */
    public static function why_not(string $url, string $path, string $target): ?string
    {
        if (!self::can()) {
            return __('WordPress has plain permalinks: it is not asked for other addresses.', 'wos-connector');
        }
        $host = Address::host(home_url('/'));
        if (Address::host($url) !== $host || Address::path_of($url) !== $path) {
            return __('Address and path are not one address of this website.', 'wos-connector');
        }
        if (!preg_match('/\A[!-\[\]-~]{1,2000}\z/', $target) || Address::host($target) !== $host) {
            return __('The target is no address of this website.', 'wos-connector');
        }
        if (self::is_answered($url, $path)) {
            return __('WordPress answers this address itself.', 'wos-connector');
        }
        $all = self::all();
        $to = Address::path_of($target);
        if ($to === $path || isset($all[hash('sha256', $to)])) {
            return __('The target is redirected itself.', 'wos-connector');
        }
        foreach ($all as $one) {
            if (Address::path_of($one['to']) === $path) {
                return __('Another redirect leads to this address.', 'wos-connector');
            }
        }
        if (count($all) >= self::MOST && !isset($all[hash('sha256', $path)])) {
            /* translators: %s: a number */
            return sprintf(__('There are %s redirects, and there can be no more.', 'wos-connector'), number_format_i18n(self::MOST));
        }
        return null;
    }

    /** Whether WordPress or this plugin answers there, or another folder of the host does. */
    private static function is_answered(string $url, string $path): bool
    {
        $home = untrailingslashit(Address::path_of(home_url('/')));
        $plain = (string) strtok($path, '?');
        if (0 !== strpos("$plain/", "$home/")) {
            return true;
        }
        $own = substr($plain, strlen($home));
        if (in_array($own, ['', '/', '/robots.txt', '/llms.txt'], true) || 0 === strpos($own, '/' . rest_get_url_prefix())) {
            return true;
        }
        $post = url_to_postid($url);
        if ($post > 0 && null !== Item::find("post:$post")) {
            return true;
        }
        $slug = rawurldecode(basename($own));
        $terms = get_terms(['slug' => $slug, 'taxonomy' => Item::taxonomies(), 'hide_empty' => false]);
        foreach (is_array($terms) ? $terms : [] as $term) {
            if (Item::same_address((string) strtok(Item::of_term($term)->url(), '?'), (string) strtok($url, '?'))) {
                return true;
            }
        }
        return false;
    }

    /** @return array[] */
    private static function all(): array
    {
        $all = get_option(self::OPTION, []);
        return is_array($all) ? $all : [];
    }
}
