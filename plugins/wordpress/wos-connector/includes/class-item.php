<?php
/** What has a public address of its own: a post of any public type, a term, or the front page that lists posts. */

namespace Wos;

defined('ABSPATH') || exit;

final class Item
{
    const MOST_TOLD = 2000; // characters of an address or a text that the service takes

    /** @var string post, term or home */
    public $kind;
    /** @var int of the post or term; 0 for the front page */
    public $number;
    /** @var \WP_Post|\WP_Term|null */
    public $object;

    private function __construct(string $kind, int $number, $object)
    {
        $this->kind = $kind;
        $this->number = $number;
        $this->object = $object;
    }

    public static function of_post(\WP_Post $post): self
    {
        return new self('post', $post->ID, $post);
    }

    public static function of_term(\WP_Term $term): self
    {
        return new self('term', $term->term_id, $term);
    }

    public static function home(): self
    {
        return new self('home', 0, null);
    }

    /** The item of an id; null where there is none. */
    public static function any(string $id): ?self
    {
        if ('home' === $id) {
            return self::home();
        }
        if (!preg_match('/\A(post|term):([1-9][0-9]{0,17})\z/', $id, $parts)) {
            return null;
        }
        $object = 'post' === $parts[1] ? get_post((int) $parts[2]) : get_term((int) $parts[2]);
        if ($object instanceof \WP_Post) {
            return self::of_post($object);
        }
        return $object instanceof \WP_Term ? self::of_term($object) : null;
    }

    /** The item of an id, as far as the public can see it; null where there is none. */
    public static function find(string $id): ?self
    {
        $item = self::any($id);
        return null !== $item && $item->is_public() ? $item : null;
    }

    private function is_public(): bool
    {
        if ('post' === $this->kind) {
            return 'publish' === $this->object->post_status
                && in_array($this->object->post_type, self::post_types(), true);
        }
        return 'term' === $this->kind
            ? in_array($this->object->taxonomy, self::taxonomies(), true)
            : 'posts' === get_option('show_on_front');
    }

    /** The item that this request shows; null where it shows none, or another than its first page. */
    public static function shown(): ?self
    {
        if (is_paged() || (int) get_query_var('page') > 1 || is_preview() || is_404() || is_feed()) {
            return null;
        }
        if (is_front_page()) {
            $post = 'page' === get_option('show_on_front') ? get_post((int) get_option('page_on_front')) : null;
            return $post ? self::of_post($post) : self::home();
        }
        if (is_home()) {
            $post = get_post((int) get_option('page_for_posts'));
            return $post ? self::of_post($post) : null;
        }
        if (function_exists('is_shop') && is_shop()) {
            $post = get_post((int) wc_get_page_id('shop'));
            return $post ? self::of_post($post) : null;
        }
        $object = get_queried_object();
        if (is_singular() && $object instanceof \WP_Post) {
            return self::of_post($object);
        }
        return (is_category() || is_tag() || is_tax()) && $object instanceof \WP_Term ? self::of_term($object) : null;
    }

    public function id(): string
    {
        return 'home' === $this->kind ? 'home' : "$this->kind:$this->number";
    }

    public function url(): string
    {
        if ('post' === $this->kind) {
            return (string) get_permalink($this->object);
        }
        if ('term' === $this->kind) {
            $link = get_term_link($this->object);
            return is_wp_error($link) ? '' : $link;
        }
        return home_url('/');
    }

    /** Makes page caches forget its page. What they did, as the service is told. */
    public function forget_page(): array
    {
        if ('post' === $this->kind) {
            clean_post_cache($this->number);
        }
        return Caches::clear($this->url(), 'post' === $this->kind ? $this->number : 0);
    }

    /** Whether this is where the website's own address leads. */
    public function is_front(): bool
    {
        return 'home' === $this->kind
            || ('post' === $this->kind && 'page' === get_option('show_on_front')
                && (int) get_option('page_on_front') === $this->number);
    }

    public function type(): string
    {
        if ('post' === $this->kind) {
            return $this->object->post_type;
        }
        return 'term' === $this->kind ? $this->object->taxonomy : 'home';
    }

    /**
     * As `items` and `PUT content` tell it; null for what the service does not take: an address that is too long, or
     * that a plugin leads to another host.
     */
    public function told(): ?array
    {
        $url = $this->url();
        $host = wp_parse_url($url, PHP_URL_HOST);
        if (strlen($url) > self::MOST_TOLD || $host !== wp_parse_url(home_url(), PHP_URL_HOST)) {
            return null;
        }
        $store = Stores::current();
        $fields = [];
        foreach (Target_Field::FIELDS as $field) {
            $value = null === $store ? null : (new Target_Field($this, $store, $field))->value();
            $value = null === $value || mb_strlen($value) > self::MOST_TOLD ? null : $value;
            $fields[$field] = 'noindex' === $field && null !== $value ? 'true' === $value : $value;
        }
        if ('post' === $this->kind) {
            $title = get_the_title($this->object);
            $modified = '0000-00-00 00:00:00' === $this->object->post_modified_gmt
                ? null : str_replace(' ', 'T', $this->object->post_modified_gmt) . 'Z';
        } else {
            $title = 'term' === $this->kind ? $this->object->name : get_bloginfo('name');
            $modified = null;
        }
        $title = html_entity_decode(wp_strip_all_tags($title), ENT_QUOTES, 'UTF-8');
        return [
            'cmsId' => $this->id(),
            'url' => $url,
            'type' => substr($this->type(), 0, 64),
            'status' => 'published',
            'title' => mb_substr($title, 0, 1000),
            'modifiedAt' => $modified,
            'fields' => $fields,
        ];
    }

    /** Items behind one (null: from the first): the front page, posts and terms, each by number. */
    public static function after(?string $after, int $limit): array
    {
        $found = [];
        if (null === $after && 'posts' === get_option('show_on_front')) {
            $found[] = self::home();
        }
        $parts = explode(':', (string) $after);
        $terms_only = 'term' === $parts[0];
        $number = isset($parts[1]) ? (int) $parts[1] : 0;
        if (!$terms_only) {
            $found = array_merge($found, self::posts_after('post' === $parts[0] ? $number : 0, $limit - count($found)));
        }
        if (count($found) < $limit) {
            $found = array_merge($found, self::terms_after($terms_only ? $number : 0, $limit - count($found)));
        }
        return $found;
    }

    private static function posts_after(int $number, int $limit): array
    {
        global $wpdb;
        $types = self::post_types();
        if (!$types || $limit < 1) {
            return [];
        }
        $marks = implode(', ', array_fill(0, count($types), '%s'));
        $sql = "SELECT ID FROM $wpdb->posts WHERE ID > %d AND post_status = 'publish' AND post_type IN ($marks)
                ORDER BY ID LIMIT %d";
        $ids = $wpdb->get_col($wpdb->prepare($sql, array_merge([$number], $types, [$limit])));
        _prime_post_caches(array_map('intval', $ids), true, true);
        return array_map([self::class, 'of_post'], array_filter(array_map('get_post', $ids)));
    }

    private static function terms_after(int $number, int $limit): array
    {
        global $wpdb;
        $kinds = self::taxonomies();
        if (!$kinds || $limit < 1) {
            return [];
        }
        $marks = implode(', ', array_fill(0, count($kinds), '%s'));
        $sql = "SELECT term_id FROM $wpdb->term_taxonomy WHERE term_id > %d AND taxonomy IN ($marks)
                ORDER BY term_id LIMIT %d";
        $ids = array_map('intval', $wpdb->get_col($wpdb->prepare($sql, array_merge([$number], $kinds, [$limit]))));
        _prime_term_caches($ids, true);
        $terms = array_filter(array_map('get_term', $ids), static function ($term) {
            return $term instanceof \WP_Term;
        });
        return array_map([self::class, 'of_term'], array_values($terms));
    }

    public static function post_types(): array
    {
        $types = array_filter(get_post_types(), 'is_post_type_viewable');
        return array_values(array_diff($types, ['attachment']));
    }

    public static function taxonomies(): array
    {
        return array_values(array_filter(get_taxonomies(), 'is_taxonomy_viewable'));
    }

    /** Whether two addresses lead to the same place, however they are written. */
    public static function same_address(string $one, string $other): bool
    {
        return self::plain($one) === self::plain($other);
    }

    private static function plain(string $url): string
    {
        $path = (string) wp_parse_url($url, PHP_URL_PATH);
        $query = (string) wp_parse_url($url, PHP_URL_QUERY);
        return strtolower(untrailingslashit(rawurldecode($path)) . ('' === $query ? '' : "?$query"));
    }
}
