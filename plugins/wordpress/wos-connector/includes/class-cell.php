<?php
/** One place where a value is stored: post or term meta or an option, or a place inside an array there. */

namespace Wos;

defined('ABSPATH') || exit;

final class Cell
{
    private $kind;
    private $number;
    private $key;
    private $path;
    private $autoload;

    private function __construct(string $kind, int $number, string $key, array $path, bool $autoload = true)
    {
        $this->kind = $kind;
        $this->number = $number;
        $this->key = $key;
        $this->path = $path;
        $this->autoload = $autoload;
    }

    /** Meta data of an item that is a post or a term. */
    public static function meta(Item $item, string $key, array $path = []): self
    {
        return new self($item->kind, $item->number, $key, $path);
    }

    /** `$autoload`: whether every page reads it. */
    public static function option(string $key, array $path = [], bool $autoload = true): self
    {
        return new self('option', 0, $key, $path, $autoload);
    }

    /** What others wait for while this is written: nothing, but where an option holds values of many items. */
    public function shared(): ?string
    {
        return 'option' === $this->kind ? $this->key : null;
    }

    /** Forgets what this request has read before it had the lock. */
    public function forget(): void
    {
        if ('option' === $this->kind) {
            wp_cache_delete('alloptions', 'options');
            wp_cache_delete('notoptions', 'options');
            wp_cache_delete($this->key, 'options');
        } else {
            wp_cache_delete($this->number, $this->kind . '_meta');
        }
    }

    /** The stored value as it is; null where there is none. */
    public function read()
    {
        $value = $this->whole();
        foreach ($this->path as $step) {
            if (!is_array($value) || !array_key_exists($step, $value)) {
                return null;
            }
            $value = $value[$step];
        }
        return $value;
    }

    /** Stores a value; null: there is none any more. */
    public function write($value): void
    {
        if ($this->path) {
            $whole = $this->whole();
            $value = self::with(is_array($whole) ? $whole : [], $this->path, $value);
            $value = $value ? $value : null;
        }
        if ('option' === $this->kind) {
            null === $value ? delete_option($this->key) : update_option($this->key, $value, $this->autoload);
        } elseif (null === $value) {
            delete_metadata($this->kind, $this->number, $this->key);
        } else {
            update_metadata($this->kind, $this->number, $this->key, wp_slash($value)); // it takes slashes away
        }
    }

    private function whole()
    {
        if ('option' === $this->kind) {
            return get_option($this->key, null);
        }
        return metadata_exists($this->kind, $this->number, $this->key)
            ? get_metadata($this->kind, $this->number, $this->key, true) : null;
    }

    private static function with(array $whole, array $path, $value): array
    {
        $step = array_shift($path);
        if ($path) {
            $inner = isset($whole[$step]) && is_array($whole[$step]) ? $whole[$step] : [];
            $value = self::with($inner, $path, $value);
            $value = $value ? $value : null;
        }
        if (null === $value) {
            unset($whole[$step]);
        } else {
            $whole[$step] = $value;
        }
        return $whole;
    }
}
