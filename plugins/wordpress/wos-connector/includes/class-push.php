<?php
/**
 * Tells the service what was saved. Saving only notes what it was; a job of WordPress's own clock reads it and sends
 * it, so that no editor waits, and again later when the service does not answer.
 */

namespace Wos;

defined('ABSPATH') || exit;

final class Push
{
    const HOOK = 'wos_push';
    const AFTER_SECONDS = 15; // so that one message tells what was saved together
    const WAITS = [60, 300, 900, 3600]; // after a failure
    const AT_ONCE = 100;
    const RUN_SECONDS = 20;
    const TRIES_OPTION = 'wos_tries';

    private static $quiet = false;

    public static function register(): void
    {
        add_action(self::HOOK, [self::class, 'run']);
        add_action('wp_after_insert_post', [self::class, 'post_saved'], 10, 2);
        add_action('before_delete_post', [self::class, 'post_saved'], 10, 2);
        foreach (['created_term', 'edited_term', 'delete_term'] as $hook) {
            add_action($hook, [self::class, 'term_saved'], 10, 3);
        }
        foreach (['activated_plugin', 'deactivated_plugin', 'upgrader_process_complete'] as $hook) {
            add_action($hook, static function () {
                self::note('alert:plugin_changed');
            });
        }
        foreach (['switch_theme', 'permalink_structure_changed', 'update_option_home', 'update_option_blog_public'] as $hook) {
            add_action($hook, static function () {
                self::note('alert:settings_changed');
            });
        }
        foreach (['update_option_show_on_front', 'update_option_page_on_front', 'update_option_page_for_posts'] as $hook) {
            add_action($hook, static function () {
                self::note('alert:settings_changed');
            });
        }
    }

    public static function unschedule(): void
    {
        wp_clear_scheduled_hook(self::HOOK);
    }

    /** Runs something whose writes the service need not be told: they are its own. */
    public static function quietly(callable $work): void
    {
        self::$quiet = true;
        try {
            $work();
        } finally {
            self::$quiet = false;
        }
    }

    public static function post_saved($number, $post): void
    {
        if (
            $post instanceof \WP_Post && !wp_is_post_revision($post) && !wp_is_post_autosave($post)
            && in_array($post->post_type, Item::post_types(), true)
        ) {
            self::note("item:post:$number");
        }
    }

    public static function term_saved($number, $place, $taxonomy): void
    {
        if (in_array($taxonomy, Item::taxonomies(), true)) {
            self::note("item:term:$number");
        }
    }

    private static function note(string $what): void
    {
        if (self::$quiet || null === Connection::get()) {
            return;
        }
        State::put("push:$what", wp_generate_password(12, false));
        if (!wp_next_scheduled(self::HOOK)) {
            wp_schedule_single_event(time() + self::AFTER_SECONDS, self::HOOK);
        }
    }

    /** Sends what waits, for some seconds at most; the rest, and what failed, is sent by the next run. */
    public static function run(): void
    {
        $connection = Connection::get();
        $until = time() + self::RUN_SECONDS;
        while (null !== $connection && ($rows = State::rows('push:', self::AT_ONCE))) {
            $problem = self::send($connection, $rows);
            if (null !== $problem) {
                self::later($problem);
                return;
            }
            foreach ($rows as list($name, $value)) {
                State::delete($name, $value); // not what was saved again in the meantime
            }
            if (time() > $until) {
                wp_schedule_single_event(time() + self::AFTER_SECONDS, self::HOOK);
                break;
            }
        }
        delete_option(self::TRIES_OPTION);
        if (null !== $connection) {
            Connection::problem(null);
        }
    }

    private static function later(string $problem): void
    {
        $tries = (int) get_option(self::TRIES_OPTION, 0);
        Connection::problem($problem);
        update_option(self::TRIES_OPTION, $tries + 1, false);
        $wait = self::WAITS[min($tries, count(self::WAITS) - 1)];
        self::unschedule();
        wp_schedule_single_event(time() + $wait, self::HOOK);
    }

    /** Sends some rows. Returns null, or what went wrong. */
    private static function send(array $connection, array $rows): ?string
    {
        $items = [];
        $urls = [];
        $prints = [];
        $alerts = [];
        foreach ($rows as list($name, $value)) {
            list(, $kind, $id) = explode(':', $name, 3);
            if ('alert' === $kind) {
                $alerts[] = $id;
                continue;
            }
            $item = Item::find($id);
            $told = null === $item ? ['cmsId' => $id, 'deleted' => true] : $item->told();
            $before = json_decode((string) State::get("told:$id"), true);
            $print = null === $item ? '' : self::print_of($item, $told);
            if (isset($before['print']) && $before['print'] === $print) {
                continue; // nothing that the public can see has changed
            }
            $items[] = $told;
            $prints[$id] = ['print' => $print, 'url' => $told['url'] ?? null];
            $urls[] = $told['url'] ?? null;
            $urls[] = $before['url'] ?? null; // where it was before
        }
        $urls = array_values(array_unique(array_filter($urls)));
        $problem = $items ? self::ask($connection, 'PUT', 'content', ['items' => $items]) : null;
        if (null === $problem && $urls) {
            $alert = ['kind' => 'content_changed', 'urls' => $urls, 'at' => gmdate('Y-m-d\TH:i:s\Z')];
            $problem = self::ask($connection, 'POST', 'alerts', $alert);
        }
        foreach ($alerts as $kind) {
            $problem = $problem ?? self::ask($connection, 'POST', 'alerts', ['kind' => $kind, 'at' => gmdate('Y-m-d\TH:i:s\Z')]);
        }
        if (null === $problem) {
            foreach ($prints as $id => $print) {
                State::put("told:$id", (string) wp_json_encode($print));
            }
        }
        return $problem;
    }

    /** Notes what the service has read by itself; what was told before stays, since an alert may still be due. */
    public static function read(Item $item, array $told): void
    {
        State::insert(
            'told:' . $item->id(),
            (string) wp_json_encode(['print' => self::print_of($item, $told), 'url' => $told['url']])
        );
    }

    /** What of an item the public can see, as far as WordPress knows it. */
    private static function print_of(Item $item, array $told): string
    {
        unset($told['modifiedAt']);
        $text = 'post' === $item->kind
            ? $item->object->post_content . "\n" . $item->object->post_excerpt . "\n" . $item->object->post_password
            : ('term' === $item->kind ? $item->object->description : '');
        return hash('sha256', wp_json_encode($told) . "\n" . $text);
    }

    private static function ask(array $connection, string $method, string $operation, array $body): ?string
    {
        $url = untrailingslashit($connection['baseUrl']) . '/sites/' . $connection['siteId'] . '/' . $operation;
        $answer = wp_remote_request(
            $url,
            [
                'method' => $method,
                'timeout' => 15,
                'redirection' => 0,
                'headers' => [
                    'Authorization' => 'Bearer ' . $connection['websiteKey'],
                    'Content-Type' => 'application/json',
                ],
                'body' => wp_json_encode($body),
                'limit_response_size' => 65536,
            ]
        );
        if (is_wp_error($answer)) {
            return $answer->get_error_message();
        }
        $status = (int) wp_remote_retrieve_response_code($answer);
        if ($status >= 200 && $status < 300) {
            return null;
        }
        $said = json_decode(wp_remote_retrieve_body($answer), true);
        $words = is_array($said) && is_string($said['error']['message'] ?? null) ? $said['error']['message'] : '';
        /* translators: 1: HTTP status, 2: what the service says */
        return sprintf(__('The service answered %1$d. %2$s', 'wos-connector'), $status, mb_substr($words, 0, 200));
    }
}
