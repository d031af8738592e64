<?php
/** Where an item's own values are stored and who shows them: this plugin, or an SEO plugin. */

namespace Wos;

defined('ABSPATH') || exit;

abstract class Store
{
    /** A token for the service. */
    abstract public function name(): string;

    /** For people. */
    abstract public function label(): string;

    /** The cells of a field, always in the same order; [] where this store has no place for it. @return Cell[] */
    abstract public function cells(Item $item, string $field): array;

    /** What is to stand in the cells for a value, given what stands there. */
    public function encode(Item $item, string $field, string $value, array $raw): array
    {
        return [$value];
    }

    /** The value that the cells mean; null where they mean none. */
    public function decode(Item $item, string $field, array $raw): ?string
    {
        return is_string($raw[0]) && '' !== $raw[0] ? $raw[0] : null;
    }

    /** Why a visitor would not see a text as it is; null where he would. */
    public function spoils(string $text): ?string
    {
        if (wp_strip_all_tags($text) !== $text || false !== strpos($text, '\\')) {
            /* translators: %s: name of an SEO plugin */
            return sprintf(__('%s takes tags and backslashes out of texts.', 'wos-connector'), $this->label());
        }
        return null;
    }

    /** What the website does to the letters of every title; null: nothing. */
    public function title_case(): ?string
    {
        return null;
    }

    /** After a value was stored. */
    public function stored(Item $item): void
    {
    }
}
