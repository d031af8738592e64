<?php
/** The five operations that the service asks for. */

namespace Wos;

defined('ABSPATH') || exit;

final class Api
{
    const SPACE = 'wos/v1';
    const MOST_BYTES = 1048576;
    const MOST_ITEMS = 200;

    public static function register(): void
    {
        add_filter('rest_pre_dispatch', [self::class, 'refuse_large'], 10, 3);
        add_action('rest_api_init', static function () {
            self::route('pair', '__return_true');
            foreach (['status', 'items', 'changes', 'files'] as $operation) {
                self::route($operation, [Signature::class, 'check']);
            }
        });
    }

    /** Refuses a large body before WordPress reads it as JSON and before its signature is computed. */
    public static function refuse_large($result, $server, \WP_REST_Request $request)
    {
        $is_ours = 0 === strpos($request->get_route(), '/' . self::SPACE . '/');
        return $is_ours && strlen((string) $request->get_body()) > self::MOST_BYTES
            ? new \WP_Error('too_large', 'The body is too large.', ['status' => 413]) : $result;
    }

    private static function route(string $operation, callable $permission): void
    {
        register_rest_route(
            self::SPACE,
            "/$operation",
            [
                'methods' => 'POST',
                'permission_callback' => $permission,
                'callback' => static function (\WP_REST_Request $request) use ($operation) {
                    return self::serve($operation, $request);
                },
                'show_in_index' => false,
            ]
        );
    }

    private static function serve(string $operation, \WP_REST_Request $request)
    {
        $body = json_decode($request->get_body(), true);
        if (!is_array($body)) {
            return self::wrong('The body is no JSON object.');
        }
        $answer = self::$operation($body);
        if (is_wp_error($answer)) {
            return $answer;
        }
        $response = new \WP_REST_Response($answer);
        $response->header('Cache-Control', 'no-store');
        return $response;
    }

    private static function pair(array $body)
    {
        $wrong = Connection::pair($body);
        return null === $wrong ? self::status([]) : $wrong;
    }

    private static function status(array $body): array
    {
        State::prune('nonce:', Signature::NONCE_SECONDS);
        State::keep_newest('change:', Writer::KNOWN);
        Real_File::remove_temporary('robots.txt');
        $store = Stores::current();
        $files = array_values(array_filter(array_keys(Files::OPTIONS), static function ($file) {
            return null === Files::why_not($file);
        }));
        return [
            'protocol' => 2,
            'platform' => 'wordpress',
            'platformVersion' => substr(get_bloginfo('version'), 0, 64),
            'version' => VERSION,
            'siteUrl' => home_url('/'),
            'writable' => true,
            'reason' => Stores::why_none(),
            'fields' => array_merge(null === $store ? [] : Target_Field::FIELDS, [Target_Alt::FIELD]),
            'files' => $files,
            'seoPlugin' => null === $store || $store instanceof Store_Own ? null : $store->name(),
            'titleCase' => null === $store ? null : $store->title_case(),
            'pageCaches' => Caches::names(),
            'robotsFile' => Files::robots_file(),
            'indexNowSender' => Senders::active(),
            'redirects' => Redirects::can(),
        ];
    }

    private static function items(array $body)
    {
        $after = $body['after'] ?? null;
        $limit = $body['limit'] ?? self::MOST_ITEMS;
        $good = null === $after || (is_string($after) && preg_match('/\A(home|(post|term):[0-9]{1,18})\z/', $after));
        if (!$good || !is_int($limit) || $limit < 1 || $limit > self::MOST_ITEMS) {
            return self::wrong('after is the next of an earlier answer, limit is 1 to 200.');
        }
        $found = Item::after($after, $limit + 1);
        $more = count($found) > $limit;
        $found = array_slice($found, 0, $limit);
        $told = [];
        foreach ($found as $item) {
            $one = $item->told();
            if (null !== $one) {
                Push::read($item, $one);
                $told[] = $one;
            }
        }
        return ['items' => $told, 'next' => $more ? end($found)->id() : null];
    }

    private static function changes(array $body)
    {
        $body += ['restore' => null, 'value' => null, 'key' => null, 'cmsId' => null, 'field' => null];
        if (!self::is_change($body) || !is_string($body['url'] ?? null) || !self::is_place($body)) {
            return self::wrong('The change is not one.');
        }
        if (Target_Redirect::FIELD === $body['field']) {
            return Writer::run($body, new Target_Redirect($body['url'], $body['key']), null, Writer::MOST_VALUE);
        }
        $is_alt = Target_Alt::FIELD === $body['field'];
        $store = Stores::current();
        if (null === $store && !$is_alt) {
            return Writer::run($body, null, (string) Stores::why_none(), Writer::MOST_VALUE);
        }
        $item = Item::find($body['cmsId']);
        if (null === $item) {
            $reason = __('There is no such item that the public can see.', 'wos-connector');
            return Writer::run($body, null, $reason, Writer::MOST_VALUE);
        }
        $moved = Item::same_address($item->url(), $body['url'])
            ? null : __('The item has another address now.', 'wos-connector');
        $target = $is_alt ? Target_Alt::of($item, $body['key']) : new Target_Field($item, $store, $body['field']);
        $refusal = null === $target ? __('The image has no address that can be read.', 'wos-connector') : $moved;
        return Writer::run($body, $target, $refusal, Writer::MOST_VALUE);
    }

    private static function files(array $body)
    {
        $body += ['restore' => null, 'value' => null];
        if (!self::is_change($body) || !isset(Files::OPTIONS[is_string($body['file'] ?? null) ? $body['file'] : ''])) {
            return self::wrong('The change is not one.');
        }
        return Writer::run($body, new Target_File($body['file']), null, Files::MOST);
    }

    /** Whether field, item and key belong together. */
    private static function is_place(array $body): bool
    {
        if (Target_Redirect::FIELD === $body['field']) {
            return null === $body['cmsId'] && is_string($body['key']) && Target_Redirect::is_key($body['key']);
        }
        if (!is_string($body['cmsId'])) {
            return false;
        }
        return Target_Alt::FIELD === $body['field']
            ? is_string($body['key']) && Target_Alt::is_key($body['key'])
            : null === $body['key'] && in_array($body['field'], Target_Field::FIELDS, true);
    }

    private static function is_change(array $body): bool
    {
        return is_string($body['changeId'] ?? null) && preg_match('/\A[!-~]{1,100}\z/', $body['changeId'])
            && is_int($body['sequence'] ?? null) && $body['sequence'] >= 0
            && (null === $body['value'] || is_string($body['value']))
            && (null === $body['restore'] || is_string($body['restore']));
    }

    /** Nothing is done that cannot be remembered: the service asks again. */
    public static function not_kept(): \WP_Error
    {
        $message = __('The website’s database takes nothing at this moment.', 'wos-connector');
        return new \WP_Error('not_kept', $message, ['status' => 503]);
    }

    private static function wrong(string $message): \WP_Error
    {
        return new \WP_Error('bad_body', $message, ['status' => 400]);
    }
}
