/*
 * Writes catalogue.ts from the controls in the folders of this one: `node lib/oauth/controls/write-catalogue.mjs`.
 * A control is every file that default-exports `defineControl(...)`. A test fails when the list is out of date.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const room = dirname(fileURLToPath(import.meta.url));

export function catalogueSource() {
  const paths = readdirSync(room, { recursive: true })
    .filter(
      (path) => path.endsWith('.ts') && readFileSync(join(room, path), 'utf8').includes('export default defineControl'),
    )
    .map((path) => path.slice(0, -3))
    .sort();
  const name = (path) => basename(path).replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return `// Written by write-catalogue.mjs: run it after adding or removing a control.
import type { Control } from '@/lib/oauth/controls/control';
${paths.map((path) => `import ${name(path)} from '@/lib/oauth/controls/${path}';`).join('\n')}

/** Every control that is judged. */
export const CATALOGUE: readonly Control[] = [
${paths.map((path) => `  ${name(path)},`).join('\n')}
];
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(room, 'catalogue.ts'), catalogueSource());
