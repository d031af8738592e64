<?php
/* Plugin Name: Shows the stored fields that The SEO Framework shows */
// It speaks for that plugin in tests: the same constant, the same fields, and the website's name behind a title.
define('THE_SEO_FRAMEWORK_VERSION', '5.1.1');
function like_tsf($post_key, $term_key, $home_key)
{
    if (is_front_page()) {
        $all = get_option('autodescription-site-settings', []);
        return $all[$home_key] ?? '';
    }
    $object = get_queried_object();
    if ($object instanceof WP_Term) {
        $all = get_term_meta($object->term_id, 'autodescription-term-settings', true);
        return is_array($all) && isset($all[$term_key]) ? $all[$term_key] : '';
    }
    return $object instanceof WP_Post ? get_post_meta($object->ID, $post_key, true) : '';
}
add_filter('pre_get_document_title', static function ($title) {
    $own = like_tsf('_genesis_title', 'doctitle', 'homepage_title');
    if ('' === $own) {
        return $title;
    }
    if (is_front_page()) {
        $all = get_option('autodescription-site-settings', []);
        $suffix = ($all['homepage_tagline'] ?? 1) ? ' - ' . get_bloginfo('description') : '';
    } else {
        $bare = like_tsf('_tsf_title_no_blogname', 'title_no_blog_name', '-');
        $suffix = $bare ? '' : ' - ' . get_bloginfo('name');
    }
    return htmlspecialchars(wp_strip_all_tags($own . $suffix), ENT_QUOTES);
}, 15);
remove_action('wp_head', 'rel_canonical');
add_action('wp_head', static function () {
    $text = like_tsf('_genesis_description', 'description', 'homepage_description');
    if ('' !== $text) {
        echo '<meta name="description" content="' . htmlspecialchars($text, ENT_QUOTES) . '" />';
    }
    $url = like_tsf('_genesis_canonical_uri', 'canonical', 'homepage_canonical');
    if ('' !== $url) {
        echo '<link rel="canonical" href="' . esc_url($url) . '" />';
    }
}, 1);
add_filter('wp_robots', static function ($robots) {
    if (1 === (int) like_tsf('_genesis_noindex', 'noindex', 'homepage_noindex')) {
        $robots['noindex'] = true;
    }
    return $robots;
});
