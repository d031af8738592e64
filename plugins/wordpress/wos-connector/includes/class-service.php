<?php
/** The public API of the service, as far as a connector calls it with the website's key. */

namespace Wos;

defined('ABSPATH') || exit;

final class Service
{
    const SECONDS = 15;
    const LONGEST_WAIT = 86400; // seconds, of those that the service asks for
    const NEVER = [400, 413, 422]; // what is answered so is no better the next time

    /** @var string|null why what follows is to be sent again later; from then on nothing is asked */
    public $problem;
    /** @var int seconds for which the service wants to be asked nothing (Retry-After); 0: it named none */
    public $wait = 0;
    /** @var string|null what the service will not take, whenever it is sent */
    public $refusal;

    private $connection;

    public function __construct(array $connection)
    {
        $this->connection = $connection;
    }

    public function put_content(array $items): void
    {
        if ($items) {
            $this->ask('PUT', 'content', ['items' => $items]);
        }
    }

    public function post_alert(array $alert): void
    {
        $this->ask('POST', 'alerts', $alert);
    }

    private function ask(string $method, string $operation, array $body): void
    {
        if (null !== $this->problem) {
            return;
        }
        $base = untrailingslashit($this->connection['baseUrl']) . '/sites/' . $this->connection['siteId'];
        $answer = wp_remote_request(
            "$base/$operation",
            [
                'method' => $method,
                'timeout' => self::SECONDS,
                'redirection' => 0,
                'headers' => [
                    'Authorization' => 'Bearer ' . $this->connection['websiteKey'],
                    'Content-Type' => 'application/json',
                ],
                'body' => wp_json_encode($body),
                'limit_response_size' => 65536,
            ]
        );
        if (is_wp_error($answer)) {
            $this->problem = $answer->get_error_message();
            return;
        }
        $status = (int) wp_remote_retrieve_response_code($answer);
        if ($status >= 200 && $status < 300) {
            return;
        }
        $said = json_decode(wp_remote_retrieve_body($answer), true);
        $words = is_array($said) && is_string($said['error']['message'] ?? null) ? $said['error']['message'] : '';
        /* translators: 1: HTTP status, 2: what the service says */
        $text = __('The service answered %1$d. %2$s', 'wos-connector');
        $text = sprintf($text, $status, mb_substr($words, 0, 200));
        if (in_array($status, self::NEVER, true)) {
            $this->refusal = $text;
        } else {
            $this->problem = $text;
            $wait = wp_remote_retrieve_header($answer, 'retry-after');
            if (is_string($wait) && preg_match('/\A[0-9]{1,9}\z/', $wait)) {
                $this->wait = min((int) $wait, self::LONGEST_WAIT);
            }
        }
    }
}
