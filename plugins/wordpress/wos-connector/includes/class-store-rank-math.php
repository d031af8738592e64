<?php
/** The stored fields of Rank Math: meta data of posts and terms, and its titles for the front page. */

namespace Wos;

defined('ABSPATH') || exit;

final class Store_Rank_Math extends Store
{
    const KEYS = [
        'title' => 'rank_math_title',
        'meta_description' => 'rank_math_description',
        'canonical' => 'rank_math_canonical_url',
        'noindex' => 'rank_math_robots',
    ];
    const OPTION = 'rank-math-options-titles';
    const HOME_KEYS = ['title' => 'homepage_title', 'meta_description' => 'homepage_description'];

    public function name(): string
    {
        return 'rank_math';
    }

    public function label(): string
    {
        return 'Rank Math SEO';
    }

    public function cells(Item $item, string $field): array
    {
        if ('home' !== $item->kind) {
            return [Cell::meta($item, self::KEYS[$field])];
        }
        if ('noindex' === $field) {
            return [
                Cell::option(self::OPTION, ['homepage_robots']),
                Cell::option(self::OPTION, ['homepage_custom_robots']),
            ];
        }
        return isset(self::HOME_KEYS[$field]) ? [Cell::option(self::OPTION, [self::HOME_KEYS[$field]])] : [];
    }

    public function encode(Item $item, string $field, string $value, array $raw): array
    {
        if ('noindex' !== $field) {
            return [$value];
        }
        $kept = array_diff(is_array($raw[0]) ? $raw[0] : [], ['index', 'noindex']);
        $robots = array_merge(['true' === $value ? 'noindex' : 'index'], array_values($kept));
        return 'home' === $item->kind ? [$robots, 'on'] : [$robots];
    }

    public function decode(Item $item, string $field, array $raw): ?string
    {
        if ('noindex' !== $field) {
            return parent::decode($item, $field, $raw);
        }
        if (!is_array($raw[0]) || ('home' === $item->kind && 'on' !== $raw[1])) {
            return null;
        }
        if (in_array('noindex', $raw[0], true)) {
            return 'true';
        }
        return in_array('index', $raw[0], true) ? 'false' : null;
    }

    public function spoils(string $text): ?string
    {
        if (preg_match('/%\S+%/', $text)) {
            return __('Rank Math SEO puts something else in the place of a word between two “%”.', 'wos-connector');
        }
        return parent::spoils($text);
    }

    public function title_case(): ?string
    {
        $options = get_option(self::OPTION);
        return is_array($options) && 'on' === ($options['capitalize_titles'] ?? 'off') ? 'capitalize' : null;
    }
}
