<?php
/* Plugin Name: Answers 410 for removed pages, as redirect plugins do */
add_action('init', static function () {
    if (0 === strpos($_SERVER['REQUEST_URI'] ?? '', '/removed')) {
        nocache_headers();
        status_header(410);
        echo 'This page was removed.';
        exit;
    }
});
