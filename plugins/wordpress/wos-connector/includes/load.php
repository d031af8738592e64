<?php
/** The parts of the plugin: of a running website, and of uninstalling. */

namespace Wos;

defined('ABSPATH') || exit;

foreach (
    [
        'state', 'connection', 'signature', 'address', 'item', 'cell', 'store', 'store-own', 'store-yoast', 'store-rank-math',
        'store-tsf', 'stores', 'caches', 'target', 'target-field', 'target-file', 'unwritten', 'real-file', 'writer', 'senders', 'files', 'head', 'images',
        'alts', 'target-alt', 'redirects', 'target-redirect',
        'service', 'push', 'api', 'settings-page',
    ] as $name
) {
    require_once __DIR__ . "/class-$name.php";
}
