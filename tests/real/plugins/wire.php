<?php
/* Plugin Name: Keeps every request of the service to the connector, and loses answers where it is told to */
// WIRE_FOLDER, a constant of wp-config.php: `requests` gets a line for each, and the file `lose` loses one answer.
add_filter('rest_pre_dispatch', static function ($result, $server, $request) {
    if (0 === strpos($request->get_route(), '/wos/v1/')) {
        $headers = array_map('current', $request->get_headers());
        $row = ['operation' => substr($request->get_route(), 8), 'headers' => $headers, 'body' => $request->get_body()];
        file_put_contents(WIRE_FOLDER . '/requests', wp_json_encode($row) . "\n", FILE_APPEND | LOCK_EX);
    }
    return $result;
}, 10, 3);
add_filter('rest_pre_serve_request', static function ($served, $result, $request) {
    // As a proxy whose time is over: everything was done, and nobody hears of it.
    if ('/wos/v1/changes' === $request->get_route() && @unlink(WIRE_FOLDER . '/lose')) {
        http_response_code(502);
        echo '<h1>Bad gateway</h1>';
        return true;
    }
    return $served;
}, 10, 3);
