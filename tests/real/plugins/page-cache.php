<?php
/* Plugin Name: A page cache for tests, which answers to WP Rocket's public function */
function page_cache_file($url)
{
    return get_temp_dir() . 'page-cache-' . md5(home_url() . (string) wp_parse_url($url, PHP_URL_PATH));
}
function rocket_clean_files($urls)
{
    if (get_option('page_cache_broken')) {
        throw new RuntimeException('the cache folder is gone');
    }
    foreach ($urls as $url) {
        @unlink(page_cache_file($url));
    }
}
add_action('template_redirect', static function () {
    $file = page_cache_file($_SERVER['REQUEST_URI']);
    if (is_file($file)) {
        readfile($file);
        exit;
    }
    ob_start(static function ($page) use ($file) {
        file_put_contents($file, $page);
        return $page;
    });
}, 0);
