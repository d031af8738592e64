<?php
/** Whether a request is the service's, is new, and came for the first time. */

namespace Wos;

defined('ABSPATH') || exit;

final class Signature
{
    const MOST_SECONDS = 300;
    const NONCE_SECONDS = 600;

    /** @var array the request that was checked, and the result: WordPress asks again for the header Allow */
    private static $checked = [null, null];

    /** True, or why the request is refused. */
    public static function check(\WP_REST_Request $request)
    {
        if (self::$checked[0] !== $request) {
            self::$checked = [$request, self::result($request)];
        }
        return self::$checked[1];
    }

    private static function result(\WP_REST_Request $request)
    {
        $connection = Connection::get();
        if (null === $connection) {
            return self::refusal('not_paired', __('This website is not connected to the service.', 'wos-connector'));
        }
        $time = (string) $request->get_header('X-Wos-Time');
        $nonce = (string) $request->get_header('X-Wos-Nonce');
        if (!preg_match('/\A[1-9][0-9]{0,11}\z/', $time) || !preg_match('/\A[0-9A-Za-z_-]{16,64}\z/', $nonce)) {
            return self::refusal('unsigned', __('The request is not signed.', 'wos-connector'));
        }
        $signature = (string) $request->get_header('X-Wos-Signature');
        if (!self::is_signed($signature, $time, $nonce, $request, $connection['secret'])) {
            return self::refusal('bad_signature', __('The signature of the request is wrong.', 'wos-connector'));
        }
        if (abs(time() - (int) $time) > self::MOST_SECONDS) {
            return self::refusal('late', __('The request was signed too long ago.', 'wos-connector'));
        }
        $is_new = State::insert("nonce:$nonce", '');
        if (null === $is_new) {
            return Api::not_kept();
        }
        if (!$is_new) {
            return self::refusal('repeated', __('The request came before.', 'wos-connector'));
        }
        if (1 === wp_rand(1, 20)) {
            State::prune('nonce:', self::NONCE_SECONDS);
        }
        return true;
    }

    private static function is_signed(
        string $signature,
        string $time,
        string $nonce,
        \WP_REST_Request $request,
        string $secret
    ): bool {
        if (!preg_match('/\Av1=[0-9a-f]{64}\z/', $signature)) {
            return false; // without a hash of the body
        }
        $lines = [$time, $nonce, 'POST', $request->get_route(), hash('sha256', $request->get_body())];
        return hash_equals('v1=' . hash_hmac('sha256', implode("\n", $lines), $secret), $signature);
    }

    private static function refusal(string $code, string $message): \WP_Error
    {
        return new \WP_Error($code, $message, ['status' => 401]);
    }
}
