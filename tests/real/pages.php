<?php
/**
 * Reads addresses and pages as the plugin does, in any version of PHP: a JSON object from a file to a JSON object.
 *
 * All files of the plugin are parsed and its classes are declared, which shows what this PHP does not understand.
 */

error_reporting(E_ALL);
set_error_handler(static function (int $kind, string $words, string $file, int $line) {
    throw new ErrorException($words, 0, $kind, $file, $line);
});
define('ABSPATH', '/');
$plugin = getenv('PLUGIN') ?: '/plugin';
$input = json_decode(file_get_contents(getenv('INPUT') ?: '/input'), true);
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($plugin)) as $file) {
    if ('php' === $file->getExtension()) {
        token_get_all(file_get_contents($file->getPathname()), TOKEN_PARSE);
    }
}
require "$plugin/includes/load.php";
$answer = ['version' => PHP_VERSION, 'addresses' => [], 'pages' => []];
foreach ($input['addresses'] as list($written, $base)) {
    $answer['addresses'][] = Wos\Address::resolve($written, $base);
}
foreach ($input['pages'] as $html) {
    $keys = [];
    $images = new Wos\Images($input['url']);
    $same = $images->pass($html, static function (string $address, int $number) use (&$keys): ?string {
        $keys[] = "$address $number";
        return null;
    });
    $images = new Wos\Images($input['url']);
    $written = $images->pass($html, static function (string $address, int $number): ?string {
        return "<\"$number' & $address>";
    });
    $answer['pages'][] = ['keys' => $keys, 'same' => $same === $html, 'written' => $written];
}
$begun = microtime(true);
$images = new Wos\Images($input['url']);
$images->pass($input['large'], static function (): string {
    return 'x';
});
$answer['seconds'] = microtime(true) - $begun;
echo json_encode($answer, JSON_INVALID_UTF8_SUBSTITUTE);
