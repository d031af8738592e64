<?php
/**
 * Stops the plugin while it works on a file. PHP looks for a function in the plugin's own namespace first, so these
 * stand before PHP's own. There is a point before and after each call, and one in the middle of each that writes.
 *
 * STOP: the number of the point at which the process is killed. EDIT: a file that somebody else writes just before its
 * replacement is renamed.
 */

namespace Wos;

function reached(): void
{
    static $count = 0;
    if (++$count === (int) getenv('STOP')) {
        posix_kill(getmypid(), SIGKILL);
    }
}

function around(string $function, array $arguments)
{
    reached();
    $result = $function(...$arguments);
    reached();
    return $result;
}

function fopen(...$arguments)
{
    return around('fopen', $arguments);
}

function fwrite($handle, string $text)
{
    reached();
    $half = intdiv(strlen($text), 2);
    $count = \fwrite($handle, substr($text, 0, $half));
    \fflush($handle);
    reached();
    $count += \fwrite($handle, substr($text, $half));
    reached();
    return $count;
}

function file_put_contents($path, $text, $flags = 0)
{
    edited();
    reached();
    $half = intdiv(strlen($text), 2);
    \file_put_contents($path, substr($text, 0, $half), $flags);
    reached();
    \file_put_contents($path, substr($text, $half), $flags | FILE_APPEND);
    reached();
    return strlen($text);
}

function fclose(...$arguments)
{
    return around('fclose', $arguments);
}

function chmod(...$arguments)
{
    edited();
    return around('chmod', $arguments);
}

function rename(...$arguments)
{
    return around('rename', $arguments);
}

function unlink(...$arguments)
{
    return around('unlink', $arguments);
}

function edited(): void
{
    if (getenv('EDIT')) {
        \file_put_contents(getenv('EDIT'), "User-agent: *\nDisallow: /of-somebody-else/\n");
    }
}
