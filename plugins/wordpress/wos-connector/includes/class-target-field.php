<?php
/** A field of an item, in the store that shows it. */

namespace Wos;

defined('ABSPATH') || exit;

final class Target_Field extends Target
{
    const FIELDS = ['title', 'meta_description', 'canonical', 'noindex'];

    private $item;
    private $store;
    private $field;
    /** @var Cell[] */
    private $cells;

    public function __construct(Item $item, Store $store, string $field)
    {
        $this->item = $item;
        $this->store = $store;
        $this->field = $field;
        $this->cells = $store->cells($item, $field);
    }

    public function raw(): array
    {
        return array_map(static function (Cell $cell) {
            return $cell->read();
        }, $this->cells);
    }

    public function put(array $raw): void
    {
        foreach ($this->cells as $place => $cell) {
            $cell->write($raw[$place] ?? null);
        }
    }

    public function meaning(array $raw): ?string
    {
        return $raw ? $this->store->decode($this->item, $this->field, $raw) : null;
    }

    public function encode(?string $value, array $raw): array
    {
        return null === $value
            ? array_fill(0, count($this->cells), null)
            : $this->store->encode($this->item, $this->field, $value, $raw);
    }

    public function refuses(?string $value): ?string
    {
        if (!$this->cells) {
            /* translators: %s: name of an SEO plugin */
            return sprintf(__('%s has no such field for the front page.', 'wos-connector'), $this->store->label());
        }
        if (null === $value) {
            return null;
        }
        if ('noindex' === $this->field) {
            return in_array($value, ['true', 'false'], true) ? null : __('noindex is true or false.', 'wos-connector');
        }
        if ('' === trim($value) || mb_strlen($value) > Writer::MOST_VALUE || preg_match('/[\x00-\x1f\x7f]/', $value)) {
            return __('The value is no single line of text with at most 4,000 characters.', 'wos-connector');
        }
        if ('canonical' === $this->field) {
            return esc_url_raw($value, ['http', 'https']) === $value && wp_parse_url($value, PHP_URL_HOST)
                ? null : __('A canonical address is absolute, with http or https.', 'wos-connector');
        }
        return $this->store->spoils($value);
    }

    public function store(): string
    {
        return $this->store->name();
    }

    public function lock(): string
    {
        foreach ($this->cells as $cell) {
            if (null !== $cell->shared()) {
                return 'option:' . $cell->shared();
            }
        }
        return $this->key();
    }

    public function key(): string
    {
        return $this->item->id() . '|' . $this->field;
    }

    public function forget(): void
    {
        foreach ($this->cells as $cell) {
            $cell->forget();
        }
    }

    public function stored(): array
    {
        $this->store->stored($this->item);
        return $this->item->forget_page();
    }
}
