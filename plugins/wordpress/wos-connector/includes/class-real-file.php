<?php
/**
 * A real file in the website's folder. It is replaced as a whole: the new text is written to a temporary file beside
 * it, which is then renamed. A full disk or a killed process leaves the old file.
 *
 * A symbolic link is followed, and stays: the file that it leads to is replaced. Only one process may call `replace` at
 * a time; the caller holds a lock.
 */

namespace Wos;

defined('ABSPATH') || exit;

final class Real_File
{
    const MOST_BYTES = 512000; // crawlers read no more of a robots.txt
    const STALE_SECONDS = 300; // after which a temporary file is that of a process that died

    private $name;
    private $path;

    private function __construct(string $name, string $path)
    {
        $this->name = $name;
        $this->path = $path;
    }

    /** The file that the web server answers by itself at this name below the host; null: none. */
    public static function find(string $name): ?self
    {
        clearstatcache(true); // PHP remembers for minutes where a link led
        foreach (self::folders() as $folder) {
            if (is_file("$folder/$name")) {
                $path = realpath("$folder/$name");
                return new self($name, false === $path ? "$folder/$name" : $path);
            }
        }
        return null;
    }

    /** Removes temporary files of processes that died while they replaced a file of this name. */
    public static function remove_temporary(string $name, int $seconds = self::STALE_SECONDS): void
    {
        $file = self::find($name);
        $places = null === $file ? [] : [$file->path];
        foreach (self::folders() as $folder) {
            $places[] = "$folder/$name";
        }
        foreach (array_unique($places) as $place) {
            self::remove_beside($place, $seconds);
        }
    }

    /** The folders of the host's own files, found by the home address. */
    private static function folders(): array
    {
        // WordPress may lie in a folder of its own and answer at the host's root: files of that folder are not the root's.
        $below = untrailingslashit((string) wp_parse_url(site_url(), PHP_URL_PATH));
        $core = untrailingslashit(wp_normalize_path(ABSPATH));
        $found = [];
        if (substr($core, strlen($core) - strlen($below)) === $below) {
            $found[] = substr($core, 0, strlen($core) - strlen($below));
        }
        if (!empty($_SERVER['DOCUMENT_ROOT'])) {
            $found[] = untrailingslashit(wp_normalize_path($_SERVER['DOCUMENT_ROOT']));
        }
        return array_unique($found);
    }

    /** Why the file cannot be replaced, as far as its rights and size say; null: it can. */
    public function why_not(): ?string
    {
        clearstatcache(true, $this->path);
        if (!is_readable($this->path)) {
            return $this->unreadable();
        }
        if (!wp_is_writable($this->path)) {
            /* translators: %s: name of a file */
            return $this->named(__('A file %s lies in the website’s folder, and WordPress may not write it.', 'wos-connector'));
        }
        if (!wp_is_writable(dirname($this->path))) {
            /* translators: %s: name of a file */
            return $this->named(__('WordPress may not make files in the folder of %s, so it cannot replace it safely.', 'wos-connector'));
        }
        return filesize($this->path) > self::MOST_BYTES ? $this->too_large() : null;
    }

    /** All its bytes. Throws Unwritten. */
    public function read(): string
    {
        $handle = @fopen($this->path, 'rb');
        if (false === $handle) {
            throw new Unwritten($this->unreadable());
        }
        $about = fstat($handle);
        $text = @stream_get_contents($handle, self::MOST_BYTES + 1);
        fclose($handle);
        if (is_string($text) && strlen($text) > self::MOST_BYTES) {
            throw new Unwritten($this->too_large());
        }
        // A read that fails in the middle returns what came before.
        if (!is_string($text) || false === $about || strlen($text) !== $about['size']) {
            throw new Unwritten($this->unreadable());
        }
        return $text;
    }

    /** Replaces what was read by another text. Throws Unwritten, and then the file is as it was. */
    public function replace(string $read, string $text): void
    {
        if (strlen($text) > self::MOST_BYTES) {
            throw new Unwritten($this->too_large());
        }
        self::remove_beside($this->path, 0); // nobody else is writing
        $temporary = dirname($this->path) . '/' . self::prefix($this->path) . bin2hex(random_bytes(16));
        try {
            $this->write($temporary, $text);
            $this->make_alike($temporary);
            if ($this->read() !== $read) {
                /* translators: %s: name of a file */
                throw new Unwritten($this->named(__('%s was changed by somebody else at this moment.', 'wos-connector')));
            }
            if (!@rename($temporary, $this->path)) {
                /* translators: %s: name of a file */
                throw new Unwritten($this->named(__('%s could not be replaced.', 'wos-connector')));
            }
        } catch (Unwritten $problem) {
            @unlink($temporary);
            throw $problem;
        }
    }

    private function write(string $temporary, string $text): void
    {
        $handle = @fopen($temporary, 'xb');
        $done = 0;
        while (false !== $handle && $done < strlen($text)) {
            $count = @fwrite($handle, substr($text, $done));
            if (!$count) {
                break;
            }
            $done += $count;
        }
        $flush = function_exists('fsync') ? 'fsync' : 'fflush'; // the first is newer than PHP 7.4
        $kept = false !== $handle && @$flush($handle);
        $kept = false !== $handle && @fclose($handle) && $kept;
        clearstatcache(true, $temporary);
        if (!$kept || @filesize($temporary) !== strlen($text)) {
            /* translators: 1: name of a file, 2: bytes, 3: bytes */
            $message = __('%1$s was left as it was: of the new text only %2$d of %3$d bytes could be written. The disk may be full.', 'wos-connector');
            throw new Unwritten(sprintf($message, $this->name, $done, strlen($text)));
        }
    }

    /** Gives the temporary file the mode of the file, and its owner and group as far as PHP may. */
    private function make_alike(string $temporary): void
    {
        $wanted = stat($this->path);
        if (function_exists('chown') && function_exists('chgrp')) {
            @chown($temporary, $wanted['uid']);
            @chgrp($temporary, $wanted['gid']);
        }
        @chmod($temporary, $wanted['mode'] & 07777);
        clearstatcache(true, $temporary);
        $made = stat($temporary);
        $same_owner = $made['uid'] === $wanted['uid'] && $made['gid'] === $wanted['gid'];
        // With another owner, a file that not everybody may read could be closed to the web server.
        if ($made['mode'] !== $wanted['mode'] || !($same_owner || $wanted['mode'] & 0004)) {
            /* translators: %s: name of a file */
            throw new Unwritten($this->named(__('%s belongs to another user, and could not be replaced by a file with the same rights.', 'wos-connector')));
        }
    }

    private static function prefix(string $path): string
    {
        return '.' . basename($path) . '.wos-';
    }

    private static function remove_beside(string $path, int $seconds): void
    {
        $folder = dirname($path);
        $prefix = self::prefix($path);
        foreach (@scandir($folder) ?: [] as $name) {
            $is_ours = 0 === strpos($name, $prefix) && preg_match('/\A[0-9a-f]{32}\z/', substr($name, strlen($prefix)));
            if ($is_ours && (int) @filemtime("$folder/$name") <= time() - $seconds) {
                @unlink("$folder/$name");
            }
        }
    }

    private function unreadable(): string
    {
        /* translators: %s: name of a file */
        return $this->named(__('A file %s lies in the website’s folder, and WordPress cannot read it.', 'wos-connector'));
    }

    private function too_large(): string
    {
        /* translators: 1: name of a file, 2: bytes */
        $message = __('%1$s would have more than %2$d bytes: crawlers do not read what comes after them.', 'wos-connector');
        return sprintf($message, $this->name, self::MOST_BYTES);
    }

    private function named(string $message): string
    {
        return sprintf($message, $this->name);
    }
}
