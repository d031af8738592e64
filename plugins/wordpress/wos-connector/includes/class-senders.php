<?php
/** What else in this website tells search engines of changes by IndexNow: two senders are turned away. */

namespace Wos;

defined('ABSPATH') || exit;

final class Senders
{
    const PLUGINS = [
        'indexnow/indexnow-url-submission.php' => 'IndexNow',
        'fast-indexing-api/instant-indexing.php' => 'Instant Indexing',
        'aioseo-index-now/aioseo-index-now.php' => 'All in One SEO',
    ];

    /** Its name; null: nothing does. */
    public static function active(): ?string
    {
        $plugins = array_merge((array) get_option('active_plugins', []), array_keys((array) get_site_option('active_sitewide_plugins', [])));
        foreach (self::PLUGINS as $file => $name) {
            if (in_array($file, $plugins, true)) {
                return $name;
            }
        }
        if (defined('RANK_MATH_VERSION') && in_array('instant-indexing', (array) get_option('rank_math_modules', []), true)) {
            return 'Rank Math';
        }
        if (defined('SEOPRESS_VERSION') && self::is_on('seopress_toggle', 'toggle-instant-indexing')) {
            return 'SEOPress';
        }
        return defined('WPSEO_PREMIUM_VERSION') && self::is_on('wpseo', 'enable_index_now') ? 'Yoast SEO Premium' : null;
    }

    private static function is_on(string $option, string $member): bool
    {
        $value = get_option($option, []);
        return is_array($value) && !empty($value[$member]);
    }
}
