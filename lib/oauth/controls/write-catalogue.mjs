/*
 * Writes catalogue.ts from the files in this room: `node lib/oauth/controls/write-catalogue.mjs`.
 * A control is every file that default-exports `defineControl(...)`. A test fails when the list is out of date.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const room = dirname(fileURLToPath(import.meta.url));

export function catalogueSource() {
  const ids = readdirSync(room)
    .filter(
      (name) => name.endsWith('.ts') && readFileSync(join(room, name), 'utf8').includes('export default defineControl'),
    )
    .map((name) => name.slice(0, -3))
    .sort();
  const name = (id) => id.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return `// Written by write-catalogue.mjs: run it after adding or removing a control.
import type { Control } from '@/lib/oauth/controls/control';
${ids.map((id) => `import ${name(id)} from '@/lib/oauth/controls/${id}';`).join('\n')}

/** Every control that is judged. */
export const CATALOGUE: readonly Control[] = [
${ids.map((id) => `  ${name(id)},`).join('\n')}
];
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(room, 'catalogue.ts'), catalogueSource());
