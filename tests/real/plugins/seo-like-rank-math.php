<?php
/* Plugin Name: Shows the stored fields that Rank Math SEO shows */
// It speaks for that plugin in tests: the same constant, the same fields, variables and letters.
define('RANK_MATH_VERSION', '1.0.200');
function like_rank_math($key, $home_key)
{
    $all = get_option('rank-math-options-titles', []);
    if (is_front_page() && is_home()) {
        return $all[$home_key] ?? '';
    }
    $object = get_queried_object();
    if ($object instanceof WP_Term) {
        return get_term_meta($object->term_id, $key, true);
    }
    return $object instanceof WP_Post ? get_post_meta($object->ID, $key, true) : '';
}
function like_rank_math_text($text)
{
    $text = preg_replace('/%\S+%/', 'X', $text);
    return htmlspecialchars(wp_strip_all_tags(stripslashes($text)), ENT_QUOTES);
}
add_filter('pre_get_document_title', static function ($title) {
    $own = like_rank_math('rank_math_title', 'homepage_title');
    $all = get_option('rank-math-options-titles', []);
    if ('' !== $own && 'on' === ($all['capitalize_titles'] ?? 'off')) {
        $own = ucwords($own);
    }
    return '' === $own ? $title : like_rank_math_text($own);
}, 15);
remove_action('wp_head', 'rel_canonical');
add_action('wp_head', static function () {
    $text = like_rank_math('rank_math_description', 'homepage_description');
    if ('' !== $text) {
        echo '<meta name="description" content="' . like_rank_math_text($text) . '" />';
    }
    $url = like_rank_math('rank_math_canonical_url', '-');
    if ('' !== $url) {
        echo '<link rel="canonical" href="' . esc_url($url) . '" />';
    }
}, 1);
add_filter('wp_robots', static function ($robots) {
    $all = get_option('rank-math-options-titles', []);
    $own = like_rank_math('rank_math_robots', 'homepage_robots');
    $home = is_front_page() && is_home() && 'on' !== ($all['homepage_custom_robots'] ?? 'off');
    if (!$home && is_array($own) && in_array('noindex', $own, true)) {
        $robots['noindex'] = true;
    }
    return $robots;
});
