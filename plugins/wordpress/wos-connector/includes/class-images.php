<?php
/**
 * Reads the images of a page in order, and replaces alt texts in its bytes.
 *
 * WordPress 6.0 has no parser for it. Everything but the replaced alt texts keeps its bytes.
 */

namespace Wos;

defined('ABSPATH') || exit;

final class Images
{
    // Elements whose content is text, or is shown to nobody who runs scripts.
    const RAW = [
        'script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript', 'template',
    ];
    // One attribute with its value, or the end of the tag: only the latter sets the first group.
    const ATTRIBUTE = '~\G[ \t\n\f\r/]*+(?:(>)|([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)'
        . '(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:"([^"]*+)"|\'([^\']*+)\'|(?=>)|([^ \t\n\f\r>"\'][^ \t\n\f\r>]*+)))?+)~';
    // Where the address is, if `src` is missing or a placeholder.
    const LAZY = ['data-src', 'data-lazy-src', 'data-original'];

    private $base;
    private $has_base = false;
    /** @var int[] images seen, by address */
    private $seen = [];

    public function __construct(string $base)
    {
        $this->base = $base;
    }

    /** How many images with this address were seen. */
    public function count(string $address): int
    {
        return $this->seen[$address] ?? 0;
    }

    /**
     * The next part of the page, with the alt texts that `$alt` gives.
     *
     * @param callable $alt from an image's address and number to its alt text; null: it stays as it is
     */
    public function pass(string $html, callable $alt): string
    {
        $done = '';
        $copied = 0; // bytes that are in `$done`
        $at = 0;
        while (false !== ($at = strpos($html, '<', $at))) {
            if (!preg_match('~\G<(/?)([A-Za-z][^ \t\n\f\r/>]*+)~', $html, $name, 0, $at)) {
                $at = self::behind_other($html, $at);
                continue;
            }
            list($end, $attributes) = self::attributes($html, $at + strlen($name[0]));
            $tag = strtolower($name[2]);
            if (null === $end) {
                break; // the page ends inside the tag
            }
            if ('' === $name[1] && 'img' === $tag) {
                $text = $this->text($attributes, $alt);
                if (null !== $text) {
                    list($from, $to) = $attributes['alt']['place'] ?? [$at + 4, $at + 4];
                    $done .= substr($html, $copied, $from - $copied) . (isset($attributes['alt']) ? '' : ' ');
                    $done .= 'alt="' . htmlspecialchars($text, ENT_QUOTES, 'UTF-8') . '"';
                    $copied = $to;
                }
            } elseif ('' === $name[1] && 'base' === $tag && isset($attributes['href']) && !$this->has_base) {
                $this->has_base = true;
                $this->base = Address::resolve($attributes['href']['value'], $this->base) ?? $this->base;
            } elseif ('' === $name[1] && in_array($tag, self::RAW, true)) {
                $close = stripos($html, "</$tag", $end);
                $end = false === $close ? strlen($html) : $close;
            }
            $at = $end;
        }
        return $done . substr($html, $copied);
    }

    /** The alt text that an image is to have; null: its own. */
    private function text(array $attributes, callable $alt): ?string
    {
        $source = $attributes['src']['value'] ?? '';
        if ('' === $source || 0 === stripos($source, 'data:')) {
            $source = self::lazy($attributes);
        }
        $address = '' === $source ? null : Address::resolve($source, $this->base);
        if (null === $address) {
            return null;
        }
        $this->seen[$address] = $this->count($address) + 1;
        return $alt($address, $this->seen[$address]);
    }

    private static function lazy(array $attributes): string
    {
        foreach (self::LAZY as $name) {
            if (($attributes[$name]['value'] ?? '') !== '') {
                return $attributes[$name]['value'];
            }
        }
        $written = ($attributes['srcset']['value'] ?? '') ?: ($attributes['data-srcset']['value'] ?? '');
        $first = (string) strtok(trim($written), " \t\n\f\r");
        return 0 === stripos($first, 'data:') ? '' : rtrim($first, ',');
    }

    /** Where the tag ends (null: nowhere), and its attributes by name: value and place; of two with one name the first. */
    private static function attributes(string $html, int $at): array
    {
        $found = [];
        while (preg_match(self::ATTRIBUTE, $html, $parts, PREG_OFFSET_CAPTURE | PREG_UNMATCHED_AS_NULL, $at)) {
            $at += strlen($parts[0][0]);
            if (null !== $parts[1][0]) {
                return [$at, $found];
            }
            $name = strtolower($parts[2][0]);
            if (!isset($found[$name])) {
                $value = $parts[3][0] ?? $parts[4][0] ?? $parts[5][0] ?? '';
                $found[$name] = [
                    'value' => html_entity_decode($value, ENT_QUOTES | ENT_HTML5, 'UTF-8'),
                    'place' => [$parts[2][1], $at],
                ];
            }
        }
        return [null, $found];
    }

    /** The place behind a `<` that begins no tag: behind the comment, or the declaration, or itself. */
    private static function behind_other(string $html, int $at): int
    {
        if (preg_match('~\G<!--(?:-?>)~', $html, $found, 0, $at)) {
            return $at + strlen($found[0]);
        }
        if ('<!--' === substr($html, $at, 4)) {
            return preg_match('~--!?>~', $html, $found, PREG_OFFSET_CAPTURE, $at + 4)
                ? $found[0][1] + strlen($found[0][0]) : strlen($html);
        }
        $next = substr($html, $at + 1, 1);
        if ('!' !== $next && '?' !== $next && '/' !== $next) {
            return $at + 1;
        }
        $end = strpos($html, '>', $at);
        return false === $end ? strlen($html) : $end + 1;
    }
}
