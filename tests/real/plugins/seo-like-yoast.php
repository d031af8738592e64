<?php
/* Plugin Name: Shows the stored fields that Yoast SEO shows */
// It speaks for that plugin in tests: the same constant, the same fields, variables and clean-up on saving.
define('WPSEO_VERSION', '20.0');
add_filter('sanitize_option_wpseo_taxonomy_meta', static function ($all) {
    foreach ($all as $taxonomy => $terms) {
        foreach ($terms as $id => $fields) {
            $all[$taxonomy][$id] = array_map(static function ($text) {
                return sanitize_text_field(stripslashes($text));
            }, $fields);
        }
    }
    return $all;
});
function like_yoast($post_key, $term_key, $home_key)
{
    if (is_front_page() && is_home()) {
        $all = get_option('wpseo_titles', []);
        return $home_key && isset($all[$home_key]) ? $all[$home_key] : '';
    }
    $object = get_queried_object();
    if ($object instanceof WP_Term) {
        $all = get_option('wpseo_taxonomy_meta', []);
        return $all[$object->taxonomy][$object->term_id][$term_key] ?? '';
    }
    return $object instanceof WP_Post ? get_post_meta($object->ID, $post_key, true) : '';
}
function like_yoast_text($text)
{
    $text = str_replace('%%sitename%%', get_bloginfo('name'), $text);
    return htmlspecialchars(wp_strip_all_tags(stripslashes($text)), ENT_QUOTES);
}
add_filter('pre_get_document_title', static function ($title) {
    $own = like_yoast('_yoast_wpseo_title', 'wpseo_title', 'title-home-wpseo');
    return '' === $own ? $title : like_yoast_text($own);
}, 15);
remove_action('wp_head', 'rel_canonical');
add_action('wp_head', static function () {
    $text = like_yoast('_yoast_wpseo_metadesc', 'wpseo_desc', 'metadesc-home-wpseo');
    if ('' !== $text) {
        echo '<meta name="description" content="' . like_yoast_text($text) . '" />';
    }
    $url = like_yoast('_yoast_wpseo_canonical', 'wpseo_canonical', '');
    if ('' !== $url) {
        echo '<link rel="canonical" href="' . esc_url($url) . '" />';
    }
}, 1);
add_filter('wp_robots', static function ($robots) {
    if (in_array(like_yoast('_yoast_wpseo_meta-robots-noindex', 'wpseo_noindex', ''), ['1', 'noindex'], true)) {
        $robots['noindex'] = true;
    }
    return $robots;
});
