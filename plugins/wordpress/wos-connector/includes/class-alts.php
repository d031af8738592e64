<?php
/**
 * Shows alt texts of our own on the pages of their items. Posts and files of the library stay as they are.
 *
 * The finished page is read, because only there an image has its number, whatever printed it: content, theme or page
 * builder. Pages without an alt text of ours are not touched.
 */

namespace Wos;

defined('ABSPATH') || exit;

final class Alts
{
    const META = '_wos_alt_'; // and the hash of the image's key
    const HOME = 'alt'; // the place in the option of the front page
    const MOST_PAGE = 8388608; // bytes of a page that is read
    const MOST_ELSEWHERE = 20; // images with one address that a theme may print

    public static function register(): void
    {
        add_action('template_redirect', [self::class, 'begin'], PHP_INT_MAX);
    }

    /** Reads the page when it is finished: before page caches, which began earlier, and behind every filter. */
    public static function begin(): void
    {
        $item = Item::shown();
        $alts = null === $item ? [] : self::of($item);
        if (!$alts) {
            return;
        }
        $images = new Images($item->url());
        ob_start(static function (string $html, int $phase) use ($images, $alts): string {
            // A buffer that is cleaned is not shown, so its images are not counted.
            if (($phase & PHP_OUTPUT_HANDLER_CLEAN) || strlen($html) > self::MOST_PAGE) {
                return $html;
            }
            return $images->pass($html, static function (string $address, int $number) use ($alts): ?string {
                return $alts["$address $number"] ?? null;
            });
        });
    }

    /** The alt texts of an item, by the keys of their images. */
    private static function of(Item $item): array
    {
        if ('home' === $item->kind) {
            $rows = get_option(Store_Own::HOME_OPTION, []);
            $rows = is_array($rows) && is_array($rows[self::HOME] ?? null) ? $rows[self::HOME] : [];
        } else {
            $rows = [];
            foreach ((array) get_metadata($item->kind, $item->number) as $name => $values) {
                if (0 === strpos((string) $name, self::META)) {
                    $rows[] = maybe_unserialize($values[0]);
                }
            }
        }
        $found = [];
        foreach ($rows as $row) {
            if (is_array($row) && is_string($row['key'] ?? null) && is_string($row['alt'] ?? null)) {
                $found[$row['key']] = $row['alt'];
            }
        }
        return $found;
    }

    public static function cell(Item $item, string $key): Cell
    {
        $hash = hash('sha256', $key);
        return 'home' === $item->kind
            ? Cell::option(Store_Own::HOME_OPTION, [self::HOME, $hash]) : Cell::meta($item, self::META . $hash);
    }

    /**
     * Whether the item's page may show this image: its content does, or it is an image of this website, which theme and
     * plugins may print.
     */
    public static function may_show(Item $item, string $address, int $number): bool
    {
        if ($number <= self::MOST_ELSEWHERE && self::is_ours($address)) {
            return true;
        }
        $images = new Images($item->url());
        $images->pass('post' === $item->kind ? self::content($item->object) : '', static function (): ?string {
            return null;
        });
        return $images->count($address) >= $number;
    }

    /** Whether it is a file of themes, plugins or uploads, or in the library, perhaps in another size. */
    private static function is_ours(string $address): bool
    {
        $path = (string) strtok($address, '?');
        $base = Address::resolve(trailingslashit(content_url()), home_url('/'));
        if (null !== $base && 0 === strpos($path, $base)) {
            $file = rawurldecode(substr($path, strlen($base)));
            if (0 === validate_file($file) && false === strpos($file, "\0") && is_file(WP_CONTENT_DIR . "/$file")) {
                return true;
            }
        }
        $whole = (string) preg_replace('/(?:-[0-9]{1,5}x[0-9]{1,5}|-scaled)(\.[A-Za-z]{3,4})\z/', '$1', $path);
        return attachment_url_to_postid($path) > 0 || ($whole !== $path && attachment_url_to_postid($whole) > 0);
    }

    /** The content of a post as a visitor gets it; what fails in it is as if it was not there. */
    private static function content(\WP_Post $shown): string
    {
        $before = $GLOBALS['post'] ?? null;
        $GLOBALS['post'] = $shown; // phpcs:ignore WordPress.WP.GlobalVariablesOverride -- as the REST API does
        setup_postdata($shown);
        ob_start();
        try {
            $html = (string) apply_filters('the_content', $shown->post_content);
        } catch (\Throwable $error) {
            $html = '';
        } finally {
            ob_end_clean();
            $GLOBALS['post'] = $before; // phpcs:ignore WordPress.WP.GlobalVariablesOverride
        }
        return $html;
    }

    /** Removes all of this website, for uninstalling. Those of the front page are in its option. */
    public static function remove(): void
    {
        global $wpdb;
        foreach (['post' => $wpdb->postmeta, 'term' => $wpdb->termmeta] as $kind => $table) {
            $sql = "SELECT DISTINCT meta_key FROM $table WHERE meta_key LIKE %s";
            foreach ($wpdb->get_col($wpdb->prepare($sql, $wpdb->esc_like(self::META) . '%')) as $key) {
                delete_metadata($kind, 0, $key, '', true);
            }
        }
    }
}
