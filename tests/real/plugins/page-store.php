<?php
/* Plugin Name: A page cache that nobody knows: it serves what it stored, whatever parameters and headers ask for */
// `delete_option('page_store')` empties it. It keeps the addresses in the option `page_store_of`, by path.
add_action('template_redirect', static function () {
    $path = (string) wp_parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    if (!in_array($path, (array) get_option('page_store_of', []), true)) {
        return;
    }
    $stored = (array) get_option('page_store', []);
    if (isset($stored[$path])) {
        echo base64_decode($stored[$path]);
        exit;
    }
    ob_start(static function ($page) use ($path, $stored) {
        update_option('page_store', [$path => base64_encode($page)] + $stored, false);
        return $page;
    });
}, 0);
