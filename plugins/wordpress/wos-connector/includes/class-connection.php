<?php
/** The pairing with the service. What is secret lies in options that are not loaded with every page. */

namespace Wos;

defined('ABSPATH') || exit;

final class Connection
{
    const OPTION = 'wos_connection';
    const CODE_OPTION = 'wos_code';
    const PROBLEM_OPTION = 'wos_problem';
    const CODE_SECONDS = 900;
    const CODE_LETTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'; // none that looks like another; 60 bits in 13 of them
    const CODE_LENGTH = 15;
    const MOST_CODE = 100; // characters of a code as it is handed over

    /** siteId, baseUrl, websiteKey, secret, pairedAt; null where nothing is paired. */
    public static function get(): ?array
    {
        $found = get_option(self::OPTION);
        return is_array($found) ? $found : null;
    }

    /** Makes a code; only its hash is kept. */
    public static function new_code(): string
    {
        State::create();
        $code = '';
        for ($i = 0; $i < self::CODE_LENGTH; $i++) {
            $code .= self::CODE_LETTERS[random_int(0, strlen(self::CODE_LETTERS) - 1)];
        }
        $row = ['hash' => self::code_hash($code), 'until' => time() + self::CODE_SECONDS, 'used' => ''];
        update_option(self::CODE_OPTION, $row, false);
        return implode('-', str_split($code, 5));
    }

    /** Pairs. Returns null, or what is wrong. */
    public static function pair(array $body): ?\WP_Error
    {
        $values = [];
        $forms = [
            'siteId' => '/\A[A-Za-z0-9_-]{1,64}\z/',
            'baseUrl' => '#\Ahttps?://[!-~]{1,500}\z#',
            'websiteKey' => '/\A[!-~]{8,200}\z/',
            'secret' => '/\A[!-~]{32,200}\z/',
        ];
        foreach ($forms as $name => $form) {
            $given = isset($body[$name]) ? $body[$name] : null;
            if (!is_string($given) || !preg_match($form, $given)) {
                return new \WP_Error('bad_body', "$name is missing or not of its form.", ['status' => 400]);
            }
            $values[$name] = $given;
        }
        if (0 !== strpos($values['baseUrl'], 'https://') && 'local' !== wp_get_environment_type()) {
            return new \WP_Error('bad_body', 'baseUrl must begin with https.', ['status' => 400]);
        }
        $code = is_string($body['code'] ?? null) ? $body['code'] : '';
        if (!self::is_good($code, $values)) {
            return self::bad_code(); // nothing is written for a stranger, and there may be no table yet
        }
        $lock = State::lock('pair');
        if (null === $lock) {
            return new \WP_Error('busy', 'Another pairing is running.', ['status' => 409]);
        }
        try {
            return self::pair_alone($code, $values);
        } finally {
            State::unlock('pair', $lock);
        }
    }

    private static function pair_alone(string $code, array $values): ?\WP_Error
    {
        wp_cache_delete(self::CODE_OPTION, 'options');
        if (!self::is_good($code, $values)) {
            return self::bad_code(); // another request used it before this one had the lock
        }
        $row = get_option(self::CODE_OPTION);
        if ('' === $row['used']) {
            $row['used'] = self::values_hash($values);
            $before = get_option(self::OPTION);
            $kept = self::keep(self::OPTION, $values + ['pairedAt' => time()]) && self::keep(self::CODE_OPTION, $row);
            if (!$kept) {
                // The service gives up this pairing, so an earlier connection stays in force.
                is_array($before) ? self::keep(self::OPTION, $before) : delete_option(self::OPTION);
                return Api::not_kept();
            }
            delete_option(self::PROBLEM_OPTION);
            Push::everything();
        }
        return null;
    }

    /** Stores an option, and reads it from the database again. False where the database takes nothing. */
    private static function keep(string $name, array $value): bool
    {
        update_option($name, $value, false);
        wp_cache_delete($name, 'options');
        return get_option($name) === $value;
    }

    /** Whether the code is the one that was made last, in its time, and new or used for the same values. */
    private static function is_good(string $code, array $values): bool
    {
        $row = get_option(self::CODE_OPTION);
        return is_array($row) && time() <= $row['until'] && strlen($code) <= self::MOST_CODE
            && hash_equals($row['hash'], self::code_hash($code))
            && ('' === $row['used'] || $row['used'] === self::values_hash($values));
    }

    private static function values_hash(array $values): string
    {
        return hash('sha256', implode("\n", $values));
    }

    private static function bad_code(): \WP_Error
    {
        $message = __('The code is wrong, or its time is over.', 'wos-connector');
        return new \WP_Error('bad_code', $message, ['status' => 403]);
    }

    public static function disconnect(): void
    {
        delete_option(self::OPTION);
        delete_option(self::CODE_OPTION);
        delete_option(self::PROBLEM_OPTION);
        Push::unschedule();
    }

    /** Keeps what went wrong last, for the settings page; null: nothing is wrong any more. */
    public static function problem(?string $text): void
    {
        if (null === $text) {
            delete_option(self::PROBLEM_OPTION);
        } else {
            update_option(self::PROBLEM_OPTION, ['text' => $text, 'at' => time()], false);
        }
    }

    private static function code_hash(string $code): string
    {
        return hash('sha256', preg_replace('/[^0-9A-Z]/', '', strtoupper($code)));
    }
}
