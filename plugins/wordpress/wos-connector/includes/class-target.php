<?php
/** What a change is written to: a field of an item, or a file. */

namespace Wos;

defined('ABSPATH') || exit;

abstract class Target
{
    /** What is stored now, exactly: a list that `put` takes. */
    abstract public function raw(): array;

    abstract public function put(array $raw): void;

    /** What the stored values mean; null: there is none. */
    abstract public function meaning(array $raw): ?string;

    /** What is to be stored for a value (null: none), given what is stored. */
    abstract public function encode(?string $value, array $raw): array;

    /** Why the value cannot be written; null: it can. */
    abstract public function refuses(?string $value): ?string;

    /** Why what was stored before cannot be brought back; null: it can. */
    public function refuses_back(array $raw): ?string
    {
        return $this->refuses(null);
    }

    /** Whose form the stored values have: an undo is good for the same store only. */
    abstract public function store(): string;

    /** What others wait for while this is written. */
    abstract public function lock(): string;

    /** Its name in our own table. */
    abstract public function key(): string;

    /** Forgets what was read before the lock. */
    abstract public function forget(): void;

    /** After something was stored: what page caches did, as the service is told. */
    abstract public function stored(): array;

    public function value(): ?string
    {
        return $this->meaning($this->raw());
    }

    public function print_of(array $raw): string
    {
        return hash('sha256', (string) wp_json_encode($raw));
    }
}
