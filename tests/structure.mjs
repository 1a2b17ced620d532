// The structure check of npm test: dependency-cruiser's rules over the product, and that it saw the product at all (without
// a parser for TypeScript it reads no module, finds no fault and is content); names of exported types that stand twice.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const ROOMS = ['app', 'cli', 'client', 'components', 'lib', 'server', 'server.mjs', 'proxy.ts', 'instrumentation.ts'];

const files = ROOMS.flatMap((room) =>
  /\.\w+$/.test(room)
    ? [room]
    : readdirSync(room, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.(tsx?|mjs)$/.test(path))
        .map((path) => join(room, path)),
);

const options = await extractDepcruiseOptions('./.dependency-cruiser.cjs');
const { output } = await cruise(ROOMS, { ...options, validate: true }, undefined, {
  tsConfig: extractTSConfig('./tsconfig.json'),
});
const faults = output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);

const seen = new Set(output.modules.map(({ source }) => source));
const unseen = files.filter((file) => !seen.has(file));
if (unseen.length > 0) faults.push(`${unseen.length} of ${files.length} modules were not read, such as ${unseen[0]}`);

const types = new Map();
for (const file of files) {
  const source = readFileSync(file, 'utf8');
  for (const [, name] of source.matchAll(/^export (?:abstract )?(?:type|interface|class) (\w+)/gm)) {
    types.set(name, [...(types.get(name) ?? []), file]);
  }
}
for (const [name, places] of types) {
  if (places.length > 1) faults.push(`the exported type ${name} stands in ${places.join(' and ')}`);
}

for (const fault of faults) console.error(fault);
console.log(`${files.length} modules, ${output.summary.totalDependenciesCruised} imports, ${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);
