<?php
/** Which store holds this website's values. */

namespace Wos;

defined('ABSPATH') || exit;

final class Stores
{
    // SEO plugins whose fields are known: the constant that says that they are on, and their store.
    const KNOWN = [
        'WPSEO_VERSION' => Store_Yoast::class,
        'RANK_MATH_VERSION' => Store_Rank_Math::class,
        'THE_SEO_FRAMEWORK_VERSION' => Store_Tsf::class,
    ];
    // Those that take over the head of the page, and whose fields are not known.
    const OTHERS = [
        'AIOSEO_VERSION' => 'All in One SEO',
        'SEOPRESS_VERSION' => 'SEOPress',
        'SLIM_SEO_VER' => 'Slim SEO',
        'SMARTCRAWL_VERSION' => 'SmartCrawl',
        'SQ_VERSION' => 'Squirrly SEO',
        'PREMIUM_SEO_PACK_VERSION' => 'Premium SEO Pack',
        'WDS_VERSION' => 'SmartCrawl',
    ];

    /** Null where nothing can be written: `why_none` says why. */
    public static function current(): ?Store
    {
        $found = self::active();
        return null !== self::why_none() ? null : ($found ? new $found[0]() : new Store_Own());
    }

    public static function why_none(): ?string
    {
        foreach (self::OTHERS as $constant => $name) {
            if (defined($constant)) {
                /* translators: %s: name of an SEO plugin */
                return sprintf(__('%s makes the head of this website’s pages, and cannot be written into.', 'wos-connector'), $name);
            }
        }
        if (count(self::active()) > 1) {
            return __('Two SEO plugins are active: which of them makes the head of a page is not certain.', 'wos-connector');
        }
        return null;
    }

    /** The store of that name, whether its plugin is on or not. */
    public static function named(string $name): ?Store
    {
        foreach (array_merge([Store_Own::class], array_values(self::KNOWN)) as $class) {
            $store = new $class();
            if ($store->name() === $name) {
                return $store;
            }
        }
        return null;
    }

    private static function active(): array
    {
        return array_values(array_filter(self::KNOWN, 'defined', ARRAY_FILTER_USE_KEY));
    }
}
