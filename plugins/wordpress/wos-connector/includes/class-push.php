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
    const WAITS = [60, 300, 900, 3600]; // after a failure, unless the service asks for more
    const AT_ONCE = 100;
    const RUN_SECONDS = 20;
    const FIRST = 'first'; // where telling everything begins
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

    /** Tells the service all items from the first: it has just been connected. */
    public static function everything(): void
    {
        State::prune('told:', -1); // whatever another connection was told
        State::put('sync', self::FIRST);
        self::unschedule();
        wp_schedule_single_event(time() + self::AFTER_SECONDS, self::HOOK);
    }

    /** Notes what the service has read by itself; what was told before stays, since an alert may still be due. */
    public static function read(Item $item, array $told): void
    {
        State::insert('told:' . $item->id(), self::memory_of($item, $told));
    }

    /** Sends what waits, for some seconds at most; the rest, and what failed, is sent by the next run. */
    public static function run(): void
    {
        $connection = Connection::get();
        if (null === $connection) {
            return;
        }
        $service = new Service($connection);
        $until = time() + self::RUN_SECONDS;
        while (self::send_changes($service) || self::send_some_of_all($service)) {
            if (null !== $service->problem) {
                self::later($service);
                return;
            }
            if (time() > $until) {
                wp_schedule_single_event(time() + self::AFTER_SECONDS, self::HOOK);
                break;
            }
        }
        delete_option(self::TRIES_OPTION);
        Connection::problem($service->refusal);
    }

    private static function later(Service $service): void
    {
        $tries = (int) get_option(self::TRIES_OPTION, 0);
        Connection::problem($service->problem);
        update_option(self::TRIES_OPTION, $tries + 1, false);
        $wait = max(self::WAITS[min($tries, count(self::WAITS) - 1)], $service->wait);
        self::unschedule();
        wp_schedule_single_event(time() + $wait, self::HOOK);
    }

    /** Sends some of what was saved. Returns whether there was any. */
    private static function send_changes(Service $service): bool
    {
        $rows = State::rows('push:', self::AT_ONCE);
        $items = [];
        $urls = [];
        $memories = [];
        $kinds = [];
        foreach ($rows as list($name)) {
            list(, $kind, $id) = explode(':', $name, 3);
            if ('alert' === $kind) {
                $kinds[] = $id;
                continue;
            }
            $item = Item::find($id);
            $told = null === $item ? null : $item->told();
            $before = json_decode((string) State::get("told:$id"), true);
            if (null === $told && !isset($before['item'])) {
                continue; // the service has never heard of it
            }
            $memory = null === $told ? '{}' : self::memory_of($item, $told);
            if (null !== $told && isset($before['print']) && $before['print'] === json_decode($memory, true)['print']) {
                continue; // nothing that the public can see has changed
            }
            $items[] = $told ?? array_merge($before['item'], ['deleted' => true, 'modifiedAt' => self::now()]);
            $memories[$id] = $memory;
            $urls[] = $told['url'] ?? null;
            $urls[] = $before['item']['url'] ?? null; // where it was before
        }
        $urls = array_values(array_unique(array_filter($urls)));
        $service->put_content($items);
        if ($urls) {
            $service->post_alert(['kind' => 'content_changed', 'urls' => $urls, 'at' => self::now()]);
        }
        foreach ($kinds as $kind) {
            $service->post_alert(['kind' => $kind, 'at' => self::now()]);
        }
        if (null === $service->problem) {
            foreach ($memories as $id => $memory) {
                State::put("told:$id", $memory);
            }
            foreach ($rows as list($name, $value)) {
                State::delete($name, $value); // not what was saved again in the meantime
            }
        }
        return (bool) $rows;
    }

    /** Sends some of all items, behind the last that was sent. Returns whether any are left to send. */
    private static function send_some_of_all(Service $service): bool
    {
        $after = State::get('sync');
        if (null === $after) {
            return false;
        }
        $found = Item::after(self::FIRST === $after ? null : $after, self::AT_ONCE);
        $items = array_map(static function (Item $item) {
            return $item->told();
        }, $found);
        $service->put_content(array_values(array_filter($items)));
        if (null === $service->problem) {
            foreach ($found as $place => $item) {
                $items[$place] && self::read($item, $items[$place]);
            }
            count($found) < self::AT_ONCE ? State::delete('sync') : State::put('sync', end($found)->id());
        }
        return true;
    }

    private static function now(): string
    {
        return gmdate('Y-m-d\TH:i:s\Z');
    }

    /** What is kept of an item that was told: to see whether it changes, and to tell its end. */
    private static function memory_of(Item $item, array $told): string
    {
        $kept = array_intersect_key($told, array_flip(['cmsId', 'url', 'type', 'status', 'title']));
        return (string) wp_json_encode(['print' => self::print_of($item, $told), 'item' => $kept]);
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
}
