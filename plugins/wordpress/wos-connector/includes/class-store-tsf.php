<?php
/** The stored fields of The SEO Framework: post meta, an array in term meta, and its options for the front page. */

namespace Wos;

defined('ABSPATH') || exit;

final class Store_Tsf extends Store
{
    const POST_KEYS = [
        'title' => ['_genesis_title', '_tsf_title_no_blogname'],
        'meta_description' => ['_genesis_description'],
        'canonical' => ['_genesis_canonical_uri'],
        'noindex' => ['_genesis_noindex'],
    ];
    const TERM_META = 'autodescription-term-settings';
    const TERM_KEYS = [
        'title' => ['doctitle', 'title_no_blog_name'],
        'meta_description' => ['description'],
        'canonical' => ['canonical'],
        'noindex' => ['noindex'],
    ];
    const OPTION = 'autodescription-site-settings';
    const HOME_KEYS = [
        'title' => ['homepage_title', 'homepage_tagline'],
        'meta_description' => ['homepage_description'],
        'canonical' => ['homepage_canonical'],
        'noindex' => ['homepage_noindex'],
    ];

    public function name(): string
    {
        return 'the_seo_framework';
    }

    public function label(): string
    {
        return 'The SEO Framework';
    }

    public function cells(Item $item, string $field): array
    {
        $cells = [];
        if ($item->is_front()) {
            foreach (self::HOME_KEYS[$field] as $key) {
                $cells[] = Cell::option(self::OPTION, [$key]);
            }
        } elseif ('post' === $item->kind) {
            foreach (self::POST_KEYS[$field] as $key) {
                $cells[] = Cell::meta($item, $key);
            }
        } else {
            foreach (self::TERM_KEYS[$field] as $key) {
                $cells[] = Cell::meta($item, self::TERM_META, [$key]);
            }
        }
        return $cells;
    }

    public function encode(Item $item, string $field, string $value, array $raw): array
    {
        if ('title' === $field) {
            return [$value, $item->is_front() ? 0 : 1]; // without the website's name behind it
        }
        if ('noindex' === $field) {
            return ['true' === $value ? 1 : ($item->is_front() ? 0 : -1)];
        }
        return [$value];
    }

    public function decode(Item $item, string $field, array $raw): ?string
    {
        if ('noindex' !== $field) {
            return parent::decode($item, $field, $raw);
        }
        if (!is_numeric($raw[0])) {
            return null;
        }
        if (1 === (int) $raw[0]) {
            return 'true';
        }
        return $item->is_front() || (int) $raw[0] < 0 ? 'false' : null;
    }
}
