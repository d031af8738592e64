// Runs a PHP script in PHP of another version: node php.mjs 7-4 <plugin's folder> <script> < input
// The script finds the plugin in /plugin and its input in /input.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [version, plugin, script] = process.argv.slice(2);
const there = createRequire(join(process.env.NODE_MODULES, 'x.js'));
const load = (name) => import(pathToFileURL(there.resolve(name)).href);
const { PHP, loadPHPRuntime } = await load('@php-wasm/universal');
const { getPHPLoaderModule } = await load(`@php-wasm/node-${version}`);
const php = new PHP(await loadPHPRuntime(await getPHPLoaderModule(), {}));

function copy(from, to) {
  php.mkdir(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), `${to}/${entry.name}`];
    entry.isDirectory() ? copy(source, target) : php.writeFile(target, readFileSync(source));
  }
}

copy(plugin, '/plugin');
php.writeFile('/input', readFileSync(0));
const done = await php.run({ code: readFileSync(script, 'utf8') });
process.stderr.write(done.errors);
process.stdout.write(done.text, () => process.exit(done.exitCode)); // PHP's own timers would keep it alive
