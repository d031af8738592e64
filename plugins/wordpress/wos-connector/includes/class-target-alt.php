<?php
/** The alt text of one image on the page of an item. */

namespace Wos;

defined('ABSPATH') || exit;

final class Target_Alt extends Target
{
    const FIELD = 'alt';
    const MOST = 512; // characters
    const MOST_KEY = 2000;

    private $item;
    private $address;
    private $number;
    private $cell;

    /** Null where the key has not its form. */
    public static function of(Item $item, string $key): ?self
    {
        if (!self::is_key($key)) {
            return null;
        }
        list($address, $number) = explode(' ', $key);
        $address = Address::resolve($address, $address);
        return null === $address ? null : new self($item, $address, (int) $number);
    }

    public static function is_key(string $key): bool
    {
        return strlen($key) <= self::MOST_KEY && preg_match('~\Ahttps?://[!-\~]+ [1-9][0-9]{0,3}\z~', $key);
    }

    private function __construct(Item $item, string $address, int $number)
    {
        $this->item = $item;
        $this->address = $address;
        $this->number = $number;
        $this->cell = Alts::cell($item, $this->image());
    }

    private function image(): string
    {
        return "$this->address $this->number";
    }

    public function raw(): array
    {
        return [$this->cell->read()];
    }

    public function put(array $raw): void
    {
        $this->cell->write($raw[0] ?? null);
    }

    public function meaning(array $raw): ?string
    {
        return is_array($raw[0] ?? null) && is_string($raw[0]['alt'] ?? null) ? $raw[0]['alt'] : null;
    }

    public function encode(?string $value, array $raw): array
    {
        return [null === $value ? null : ['key' => $this->image(), 'alt' => $value]];
    }

    public function refuses(?string $value): ?string
    {
        if (null === $value) {
            return null;
        }
        $is_text = '' === $value || '' !== trim($value);
        if (!$is_text || mb_strlen($value) > self::MOST || preg_match('/[\x00-\x1f\x7f]/', $value)) {
            return __('The value is no single line of text with at most 512 characters.', 'wos-connector');
        }
        return Alts::may_show($this->item, $this->address, $this->number)
            ? null : __('WordPress prints no such image on this page.', 'wos-connector');
    }

    public function store(): string
    {
        return self::FIELD;
    }

    public function lock(): string
    {
        $shared = $this->cell->shared();
        return null === $shared ? $this->key() : "option:$shared";
    }

    public function key(): string
    {
        return $this->item->id() . '|' . self::FIELD . '|' . hash('sha256', $this->image());
    }

    public function forget(): void
    {
        $this->cell->forget();
    }

    public function stored(): array
    {
        return $this->item->forget_page();
    }
}
