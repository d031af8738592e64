<?php
/** Shows our own values in the head of the page, where no SEO plugin does. */

namespace Wos;

defined('ABSPATH') || exit;

final class Head
{
    public static function register(): void
    {
        add_filter('pre_get_document_title', [self::class, 'title'], 99);
        add_filter('wp_title', [self::class, 'title'], 99);
        add_filter('get_canonical_url', [self::class, 'canonical'], 99, 2);
        add_filter('wp_robots', [self::class, 'robots'], 99);
        add_action('wp_head', [self::class, 'print_tags'], 1);
        add_filter('wp_sitemaps_posts_query_args', [self::class, 'sitemap']);
        add_filter('wp_sitemaps_taxonomies_query_args', [self::class, 'sitemap']);
    }

    /** The own value of what this request shows; null: none, or not ours to show. */
    private static function value(string $field): ?string
    {
        $store = Stores::current();
        $item = $store instanceof Store_Own ? Item::shown() : null;
        return null === $item ? null : (new Target_Field($item, $store, $field))->value();
    }

    /** Themes print the title as it is given, so it is escaped here; entities in it are text too. */
    public static function title($title)
    {
        $own = self::value('title');
        return null === $own ? $title : self::escaped($own);
    }

    public static function canonical($url, $post)
    {
        $own = self::value('canonical');
        return null === $own || !is_singular() || (int) get_queried_object_id() !== (int) $post->ID ? $url : $own;
    }

    public static function robots(array $robots): array
    {
        $own = self::value('noindex');
        if ('true' === $own) {
            unset($robots['index'], $robots['max-image-preview']);
            $robots['noindex'] = true;
        } elseif ('false' === $own && get_option('blog_public')) {
            unset($robots['noindex'], $robots['none']);
        }
        return $robots;
    }

    public static function print_tags(): void
    {
        $description = self::value('meta_description');
        if (null !== $description) {
            echo '<meta name="description" content="' . self::escaped($description) . '">' . "\n"; // phpcs:ignore
        }
        // WordPress itself makes a canonical link for single posts only.
        $canonical = is_singular() ? null : self::value('canonical');
        if (null !== $canonical) {
            echo '<link rel="canonical" href="' . esc_url($canonical) . '">' . "\n";
        }
    }

    /** What carries our noindex is not in WordPress's own sitemap. */
    public static function sitemap(array $arguments): array
    {
        $key = Store_Own::KEYS['noindex'];
        $arguments['meta_query'] = array_merge(
            $arguments['meta_query'] ?? [],
            [
                [
                    'relation' => 'OR',
                    ['key' => $key, 'compare' => 'NOT EXISTS'],
                    ['key' => $key, 'value' => 'true', 'compare' => '!='],
                ],
            ]
        );
        return $arguments;
    }

    private static function escaped(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES, 'UTF-8');
    }
}
