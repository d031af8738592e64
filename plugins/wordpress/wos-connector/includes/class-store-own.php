<?php
/** Values in meta data of our own, shown by this plugin (class-head.php). */

namespace Wos;

defined('ABSPATH') || exit;

final class Store_Own extends Store
{
    const KEYS = [
        'title' => '_wos_title',
        'meta_description' => '_wos_meta_description',
        'canonical' => '_wos_canonical',
        'noindex' => '_wos_noindex',
    ];
    const HOME_OPTION = 'wos_home';

    public function name(): string
    {
        return 'own';
    }

    public function label(): string
    {
        return __('this plugin', 'wos-connector');
    }

    public function cells(Item $item, string $field): array
    {
        return [
            'home' === $item->kind
                ? Cell::option(self::HOME_OPTION, [$field]) : Cell::meta($item, self::KEYS[$field]),
        ];
    }

    public function spoils(string $text): ?string
    {
        return null;
    }
}
