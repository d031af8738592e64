<?php
/** The redirect of one path. */

namespace Wos;

defined('ABSPATH') || exit;

final class Target_Redirect extends Target
{
    const FIELD = 'redirect';

    private $url;
    private $path;
    private $cell;

    public function __construct(string $url, string $key)
    {
        $this->url = $url;
        $this->path = Address::path($key);
        $this->cell = Redirects::cell($this->path);
    }

    public static function is_key(string $key): bool
    {
        return strlen($key) <= Target_Alt::MOST_KEY && preg_match('~\A/[!-\~]*\z~', $key);
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
        return is_array($raw[0] ?? null) && is_string($raw[0]['to'] ?? null) ? $raw[0]['to'] : null;
    }

    public function encode(?string $value, array $raw): array
    {
        return [null === $value ? null : ['path' => $this->path, 'to' => $value]];
    }

    public function refuses(?string $value): ?string
    {
        return null === $value ? null : Redirects::why_not($this->url, $this->path, $value);
    }

    /** Other redirects may have come since. */
    public function refuses_back(array $raw): ?string
    {
        return $this->refuses($this->meaning($raw));
    }

    public function store(): string
    {
        return self::FIELD;
    }

    /** One for all: of two that would make a chain the second sees the first. */
    public function lock(): string
    {
        return 'option:' . $this->cell->shared();
    }

    public function key(): string
    {
        return self::FIELD . '|' . hash('sha256', $this->path);
    }

    public function forget(): void
    {
        $this->cell->forget();
    }

    public function stored(): array
    {
        return Caches::clear($this->url, 0);
    }
}
