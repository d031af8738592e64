<?php
/** A table of named rows of our own: nonces, known changes, sequences, locks, and what waits to be told. */

namespace Wos;

defined('ABSPATH') || exit;

final class State
{
    const LOCK_SECONDS = 60; // after which a lock is that of a request that died
    const WAIT_SECONDS = 8;

    public static function table(): string
    {
        global $wpdb;
        return $wpdb->prefix . 'wos_state';
    }

    public static function create(): void
    {
        global $wpdb;
        $charset = $wpdb->get_charset_collate();
        // Names are compared byte by byte: two nonces may differ in the case of a letter only.
        $wpdb->query(
            'CREATE TABLE IF NOT EXISTS ' . self::table() . ' (
            name varchar(190) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
            value longtext NOT NULL,
            at bigint NOT NULL,
            PRIMARY KEY  (name)
            ) ' . $charset
        );
    }

    public static function drop(): void
    {
        global $wpdb;
        $wpdb->query('DROP TABLE IF EXISTS ' . self::table());
    }

    /** The value of a row, read from the database itself; null where there is none, or an empty one. */
    public static function get(string $name): ?string
    {
        global $wpdb;
        return $wpdb->get_var($wpdb->prepare('SELECT value FROM ' . self::table() . ' WHERE name = %s', $name));
    }

    /**
     * Adds a row. False where there is one of that name: of two requests at the same moment one gets true. Null where
     * the database takes nothing.
     */
    public static function insert(string $name, string $value): ?bool
    {
        global $wpdb;
        $count = $wpdb->query(
            $wpdb->prepare(
                'INSERT IGNORE INTO ' . self::table() . ' (name, value, at) VALUES (%s, %s, %d)',
                $name,
                $value,
                time()
            )
        );
        return false === $count ? null : 1 === $count;
    }

    /** Adds or replaces a row. False where the database takes nothing. */
    public static function put(string $name, string $value): bool
    {
        global $wpdb;
        $row = ['name' => $name, 'value' => $value, 'at' => time()];
        return false !== $wpdb->replace(self::table(), $row, ['%s', '%s', '%d']);
    }

    /** Removes a row; with a value, only while that is the row's. */
    public static function delete(string $name, ?string $value = null): void
    {
        global $wpdb;
        $wpdb->delete(self::table(), ['name' => $name] + (null === $value ? [] : ['value' => $value]));
    }

    /** Rows whose name begins so, oldest first: a list of [name, value]. */
    public static function rows(string $prefix, int $limit): array
    {
        global $wpdb;
        $sql = 'SELECT name, value FROM ' . self::table() . ' WHERE name LIKE %s ORDER BY at, name LIMIT %d';
        return $wpdb->get_results($wpdb->prepare($sql, $wpdb->esc_like($prefix) . '%', $limit), ARRAY_N);
    }

    /** Removes the rows whose name begins so and that are older than some seconds. */
    public static function prune(string $prefix, int $seconds): void
    {
        global $wpdb;
        $sql = 'DELETE FROM ' . self::table() . ' WHERE name LIKE %s AND at < %d';
        $wpdb->query($wpdb->prepare($sql, $wpdb->esc_like($prefix) . '%', time() - $seconds));
    }

    /** Removes all rows whose name begins so but the newest. */
    public static function keep_newest(string $prefix, int $count): void
    {
        global $wpdb;
        $like = $wpdb->esc_like($prefix) . '%';
        $sql = 'SELECT at FROM ' . self::table() . ' WHERE name LIKE %s ORDER BY at DESC LIMIT 1 OFFSET %d';
        $at = $wpdb->get_var($wpdb->prepare($sql, $like, $count));
        if (null !== $at) {
            $sql = 'DELETE FROM ' . self::table() . ' WHERE name LIKE %s AND at < %d';
            $wpdb->query($wpdb->prepare($sql, $like, $at));
        }
    }

    /** Waits for a lock. Null where another request kept it for too long; else what `unlock` is to be given. */
    public static function lock(string $name): ?string
    {
        global $wpdb;
        $row = "lock:$name";
        $token = wp_generate_password(20, false);
        $until = microtime(true) + self::WAIT_SECONDS;
        while (true !== self::insert($row, $token)) {
            $sql = 'DELETE FROM ' . self::table() . ' WHERE name = %s AND at < %d';
            $wpdb->query($wpdb->prepare($sql, $row, time() - self::LOCK_SECONDS));
            if (microtime(true) > $until) {
                return null;
            }
            usleep(20000);
        }
        return $token;
    }

    public static function unlock(string $name, string $token): void
    {
        self::delete("lock:$name", $token);
    }
}
