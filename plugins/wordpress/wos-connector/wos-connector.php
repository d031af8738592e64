<?php
/**
 * Plugin Name:       Website Optimization Connector
 * Description:       Writes approved titles, descriptions, canonical addresses, noindex, alt texts, redirects, llms.txt and crawler rules into this website, and undoes them.
 * Version:           1.3.0
 * Requires at least: 6.0
 * Requires PHP:      7.4
 * Text Domain:       wos-connector
 */

namespace Wos;

defined('ABSPATH') || exit;

const VERSION = '1.3.0';
const PLUGIN_FILE = __FILE__;

require __DIR__ . '/includes/load.php';

register_activation_hook(__FILE__, [State::class, 'create']);
register_deactivation_hook(__FILE__, [Push::class, 'unschedule']);

add_action('init', static function () {
    load_plugin_textdomain('wos-connector', false, dirname(plugin_basename(PLUGIN_FILE)) . '/languages');
});
Api::register();
Head::register();
Files::register();
Alts::register();
Redirects::register();
Push::register();
Settings_Page::register();
