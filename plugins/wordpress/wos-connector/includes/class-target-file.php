<?php
/** llms.txt, the service's lines in robots.txt, or the key that search engines look for. */

namespace Wos;

defined('ABSPATH') || exit;

final class Target_File extends Target
{
    private $file;

    public function __construct(string $file)
    {
        $this->file = $file;
    }

    public function raw(): array
    {
        return [Files::get($this->file)];
    }

    public function put(array $raw): void
    {
        Files::put($this->file, isset($raw[0]) && is_string($raw[0]) ? $raw[0] : null);
    }

    public function meaning(array $raw): ?string
    {
        return $raw[0];
    }

    public function encode(?string $value, array $raw): array
    {
        return ['' === $value ? null : $value];
    }

    public function refuses(?string $value): ?string
    {
        if (null !== $value && mb_strlen($value) > Files::MOST) {
            return __('The text has more than 60,000 characters.', 'wos-connector');
        }
        if ('indexNowKey' === $this->file && null !== $value && !preg_match('/\A[A-Za-z0-9-]{8,128}\z/', $value)) {
            return __('A key is 8 to 128 letters, digits and dashes.', 'wos-connector');
        }
        return Files::why_not($this->file);
    }

    public function store(): string
    {
        return 'file';
    }

    public function lock(): string
    {
        return $this->key();
    }

    public function key(): string
    {
        return "file|$this->file";
    }

    public function forget(): void
    {
        wp_cache_delete('notoptions', 'options');
        wp_cache_delete(Files::OPTIONS[$this->file], 'options');
    }

    public function stored(): array
    {
        $path = Files::path($this->file);
        return null === $path ? [] : Caches::clear(home_url($path), 0);
    }
}
