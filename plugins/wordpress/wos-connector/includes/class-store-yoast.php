<?php
/** The stored fields of Yoast SEO: post meta, one option for all terms, and its titles for the front page. */

namespace Wos;

defined('ABSPATH') || exit;

final class Store_Yoast extends Store
{
    const POST_KEYS = [
        'title' => '_yoast_wpseo_title',
        'meta_description' => '_yoast_wpseo_metadesc',
        'canonical' => '_yoast_wpseo_canonical',
        'noindex' => '_yoast_wpseo_meta-robots-noindex',
    ];
    const TERM_KEYS = [
        'title' => 'wpseo_title',
        'meta_description' => 'wpseo_desc',
        'canonical' => 'wpseo_canonical',
        'noindex' => 'wpseo_noindex',
    ];
    const HOME_KEYS = ['title' => 'title-home-wpseo', 'meta_description' => 'metadesc-home-wpseo'];
    const POST_NOINDEX = ['true' => '1', 'false' => '2'];
    const TERM_NOINDEX = ['true' => 'noindex', 'false' => 'index'];

    public function name(): string
    {
        return 'yoast';
    }

    public function label(): string
    {
        return 'Yoast SEO';
    }

    public function cells(Item $item, string $field): array
    {
        if ('post' === $item->kind) {
            return [Cell::meta($item, self::POST_KEYS[$field])];
        }
        if ('term' === $item->kind) {
            $path = [$item->object->taxonomy, $item->number, self::TERM_KEYS[$field]];
            return [Cell::option('wpseo_taxonomy_meta', $path)];
        }
        return isset(self::HOME_KEYS[$field]) ? [Cell::option('wpseo_titles', [self::HOME_KEYS[$field]])] : [];
    }

    public function encode(Item $item, string $field, string $value, array $raw): array
    {
        if ('noindex' !== $field) {
            return [$value];
        }
        return ['post' === $item->kind ? self::POST_NOINDEX[$value] : self::TERM_NOINDEX[$value]];
    }

    public function decode(Item $item, string $field, array $raw): ?string
    {
        if ('noindex' !== $field) {
            return parent::decode($item, $field, $raw);
        }
        $meanings = array_flip('post' === $item->kind ? self::POST_NOINDEX : self::TERM_NOINDEX);
        return is_scalar($raw[0]) && isset($meanings[$raw[0]]) ? $meanings[$raw[0]] : null;
    }

    public function spoils(string $text): ?string
    {
        if (false !== strpos($text, '%%')) {
            return __('Yoast SEO puts something else in the place of “%%”.', 'wos-connector');
        }
        return parent::spoils($text);
    }

    public function stored(Item $item): void
    {
        // Its own index of terms is made again by this hook only; that of posts when their meta data change.
        if ('term' === $item->kind) {
            do_action('edited_term', $item->number, $item->object->term_taxonomy_id, $item->object->taxonomy);
        }
    }
}
