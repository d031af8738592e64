<?php
/** Does a change once, and answers it the same way ever after. */

namespace Wos;

defined('ABSPATH') || exit;

final class Writer
{
    const MOST_VALUE = 4000;
    const KNOWN = 1000;
    const MOST_REASON = 500;
    const MOST_UNDO = 8000;
    const KEPT_BEFORE = 10; // long texts that stood in a target before a change

    /** The outcome of a change, or an error. `$most`: characters of a value. */
    public static function run(array $body, ?Target $target, ?string $refusal, int $most)
    {
        $id = $body['changeId'];
        $known = self::known($id);
        if (isset($known['outcome'])) {
            return $known['outcome'];
        }
        if (null === $target) {
            return self::remember($id, self::outcome('refused', $refusal));
        }
        $lock = State::lock($target->lock());
        if (null === $lock) {
            $message = __('The value is being written at this moment.', 'wos-connector');
            return new \WP_Error('busy', $message, ['status' => 409]);
        }
        try {
            $known = self::known($id); // another request with this id may have had the lock before
            if (isset($known['outcome'])) {
                return $known['outcome'];
            }
            $target->forget();
            return self::remember($id, self::write($body, $target, $refusal, $most, $known['raw'] ?? null));
        } finally {
            State::unlock($target->lock(), $lock);
        }
    }

    /** What is kept of a change: its `outcome`, or in `raw` what was stored before it began; null: it is new. */
    private static function known(string $id): ?array
    {
        $found = State::get("change:$id");
        return null === $found ? null : json_decode($found, true);
    }

    /** `$began`: what was stored before a request with the same id, which died in the middle. */
    private static function write(array $body, Target $target, ?string $refusal, int $most, ?array $began)
    {
        $row = json_decode((string) State::get('field:' . $target->key()), true);
        if (isset($row['sequence']) && $body['sequence'] < $row['sequence']) {
            return self::outcome('superseded', null);
        }
        try {
            $before = $began ?? $target->raw();
        } catch (Unwritten $problem) {
            return self::outcome('refused', $problem->getMessage());
        }
        $wanted = null;
        if (null === $refusal) {
            list($wanted, $refusal) = self::wanted($body, $target, $before, null !== $began);
        }
        $is_too_long = mb_strlen((string) $target->meaning($before)) > $most;
        if (null === $refusal && $is_too_long) {
            $refusal = __('What is stored now is too long to be brought back.', 'wos-connector');
        }
        if (null !== $refusal) {
            return self::outcome('refused', $refusal);
        }
        // From here on a request that dies is known to have begun.
        if (
            !self::keep_before($target, $before)
            || !State::put('change:' . $body['changeId'], (string) wp_json_encode(['raw' => $before]))
            || !self::keep_original($target, $row, $before, $wanted, $body['sequence'])
        ) {
            return Api::not_kept();
        }
        try {
            $after = self::put($target, $wanted);
        } catch (Unwritten $problem) {
            self::keep_original($target, $row, $before, $before, $body['sequence']);
            return self::outcome('refused', $problem->getMessage());
        }
        if ($target->meaning($after) !== $target->meaning($wanted)) {
            self::keep_original($target, $row, $before, self::put($target, $before), $body['sequence']);
            return self::outcome('refused', __('The website stores another value than it is given.', 'wos-connector'));
        }
        self::keep_original($target, $row, $before, $after, $body['sequence']);
        $outcome = self::outcome('written', null);
        $outcome['before'] = $target->meaning($before);
        $outcome['after'] = $target->meaning($after);
        $outcome['undo'] = self::undo($target, $before, $after);
        Push::quietly(static function () use ($target, &$outcome) {
            $outcome['caches'] = $target->stored();
        });
        return $outcome;
    }

    /** What is to be stored, or why not. */
    private static function wanted(array $body, Target $target, array $before, bool $began): array
    {
        if (null === $body['restore']) {
            $refusal = $target->refuses($body['value']);
            return [null === $refusal ? $target->encode($body['value'], $before) : null, $refusal];
        }
        $undo = json_decode($body['restore'], true);
        $good = is_array($undo) && isset($undo['store'], $undo['left'])
            && (is_array($undo['raw'] ?? null) || is_string($undo['kept'] ?? null));
        if (!$good || $undo['store'] !== $target->store()) {
            return [null, __('The value was written when another SEO plugin was active.', 'wos-connector')];
        }
        $raw = $undo['raw'] ?? self::kept_before($target, $undo['kept'], $body['value'], $before);
        if (null === $raw) {
            return [null, __('What stood there before is no longer kept.', 'wos-connector')];
        }
        if (count($raw) !== count($before)) {
            return [null, __('The value was written when another SEO plugin was active.', 'wos-connector')];
        }
        $refusal = $target->refuses_back($raw);
        if (null === $refusal && !$began && $undo['left'] !== $target->print_of($before)) {
            $refusal = __('The value was changed on the website since.', 'wos-connector');
        }
        return [$raw, $refusal];
    }

    private static function put(Target $target, array $raw): array
    {
        Push::quietly(static function () use ($target, $raw) {
            $target->put($raw);
        });
        $target->forget();
        return $target->raw();
    }

    /** What brings back `$before`. What is too long for it is kept here, and it holds the hash. */
    private static function undo(Target $target, array $before, array $after): string
    {
        $undo = ['store' => $target->store(), 'raw' => $before, 'left' => $target->print_of($after)];
        $token = self::json($undo);
        if (mb_strlen($token) <= self::MOST_UNDO) {
            return $token;
        }
        unset($undo['raw']);
        return self::json($undo + ['kept' => $target->print_of($before)]);
    }

    /** Keeps what is too long for an undo. False where the database takes nothing. */
    private static function keep_before(Target $target, array $before): bool
    {
        $undo = json_decode(self::undo($target, $before, $before), true);
        if (!isset($undo['kept'])) {
            return true;
        }
        $rows = 'before:' . $target->key() . '|';
        $is_kept = State::put($rows . $target->print_of($before), self::json($before));
        State::keep_newest($rows, self::KEPT_BEFORE);
        return $is_kept;
    }

    /** What was kept, or the value that the service kept, if it is the same; null: neither is there. */
    private static function kept_before(Target $target, string $print, ?string $value, array $now): ?array
    {
        $row = State::get('before:' . $target->key() . "|$print");
        if (null !== $row) {
            return json_decode($row, true);
        }
        $raw = null === $value ? null : $target->encode($value, $now);
        return null !== $raw && $target->print_of($raw) === $print ? $raw : null;
    }

    private static function json(array $values): string
    {
        return (string) wp_json_encode($values, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    }

    /** Keeps what stood there before this plugin ever wrote, for uninstalling; an editor's own value is a new beginning. */
    private static function keep_original(Target $target, ?array $row, array $before, array $after, int $sequence): bool
    {
        $ours = isset($row['left']) && $row['store'] === $target->store() && $row['left'] === $target->print_of($before);
        $kept = [
            'sequence' => $sequence,
            'store' => $target->store(),
            'original' => $ours ? $row['original'] : $before,
            'left' => $target->print_of($after),
        ];
        return State::put('field:' . $target->key(), (string) wp_json_encode($kept));
    }

    private static function remember(string $id, $outcome)
    {
        if (is_wp_error($outcome)) {
            return $outcome;
        }
        if (1 === wp_rand(1, 50)) {
            State::keep_newest('change:', self::KNOWN);
        }
        return State::put("change:$id", (string) wp_json_encode(['outcome' => $outcome])) ? $outcome : Api::not_kept();
    }

    private static function outcome(string $state, ?string $reason): array
    {
        return [
            'state' => $state,
            'reason' => null === $reason ? null : mb_substr($reason, 0, self::MOST_REASON),
            'before' => null,
            'after' => null,
            'undo' => null,
            'caches' => [],
        ];
    }

    /** Brings back what stood in every field before this plugin wrote there, unless somebody has written since. */
    public static function restore_all(): void
    {
        do {
            $rows = State::rows('field:', 200);
            foreach ($rows as list($name, $value)) {
                $row = json_decode($value, true);
                $store = (string) ($row['store'] ?? '');
                // Our own meta data and options are removed as a whole.
                $target = in_array($store, ['own', Target_Alt::FIELD, Target_Redirect::FIELD], true) ? null : self::named(substr($name, strlen('field:')), $store);
                try {
                    if (null !== $target && $row['left'] === $target->print_of($target->raw())) {
                        $target->put($row['original']);
                    }
                } catch (Unwritten $problem) {
                    unset($problem); // the file is as it was, and everything else is still to be brought back
                }
                State::delete($name);
            }
        } while ($rows);
    }

    private static function named(string $key, string $store): ?Target
    {
        list($id, $field) = explode('|', $key, 2);
        if ('file' === $id) {
            return new Target_File($field);
        }
        $item = Item::any($id);
        $store = Stores::named($store);
        return null === $item || null === $store ? null : new Target_Field($item, $store, $field);
    }
}
