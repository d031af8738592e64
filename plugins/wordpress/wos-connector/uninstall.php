<?php
/** Leaves the website as it was: values that we wrote are taken back, and everything of our own is removed. */

namespace Wos;

defined('WP_UNINSTALL_PLUGIN') || exit;

require __DIR__ . '/includes/load.php';

$restore = static function () {
    global $wpdb;
    if (function_exists('set_time_limit')) {
        set_time_limit(0);
    }
    if ($wpdb->get_var($wpdb->prepare('SHOW TABLES LIKE %s', $wpdb->esc_like(State::table())))) {
        Writer::restore_all();
    }
    foreach (Store_Own::KEYS as $key) {
        delete_metadata('post', 0, $key, '', true);
        delete_metadata('term', 0, $key, '', true);
    }
    Alts::remove();
    $options = [
        Connection::OPTION, Connection::CODE_OPTION, Connection::PROBLEM_OPTION, Push::TRIES_OPTION,
        Store_Own::HOME_OPTION, Redirects::OPTION,
    ];
    foreach (array_merge($options, array_values(Files::OPTIONS)) as $option) {
        delete_option($option);
    }
    Real_File::remove_temporary('robots.txt', 0);
    Push::unschedule();
    State::drop();
};

if (is_multisite()) {
    foreach (get_sites(['fields' => 'ids', 'number' => 0]) as $site) {
        switch_to_blog($site);
        $restore();
        restore_current_blog();
    }
} else {
    $restore();
}
