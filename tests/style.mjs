// `npm test style`: Biome, and words that stop a reader, in code, comments and pages.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The banned words, and plain ones to use. */
const BANNED = [
  [/\bwhoever\b/i, 'the caller, the request, the person'],
  [/\banew\b/i, 'again'],
  [/\bmeanwhile\b/i, 'concurrently'],
  [/\bnow and then\b/i, 'intermittently'],
  [/\bstrangers?\b/i, 'unauthenticated callers'],
  [/\b(?:is|are|was|were|be|been) told\b/i, 'is notified, is reported'],
  [/\bvigil\b|\bstays? awake\b/i, 'busy polling'],
  [/\bshel(?:f|ves)\b/i, 'snapshot'],
  [/\bholds? back\b|\bheld back\b/i, 'minimum interval'],
  [/\bwhatever\b/i, 'any, of any kind'],
  [/\bsomebody\b/i, 'a member, a person'],
  [/^\s*\/\*\* (?:Of|Where|Whom) /, 'a noun or a verb first'],
];

/** The same for names and texts of code. */
const BANNED_IN_CODE = [
  [/inOrder/i, 'valid, correct'],
  [/instant(?!ly)/i, 'time, timestamp'],
  [/stranger/i, 'unauthenticated, unknown'],
  [/\b(?:foretold|vigil|anew|meanwhile|whoever|whatever|somebody)/i, 'preview, again, concurrently, the caller'],
];

const CODE = ['app', 'lib', 'components', 'cli', 'client', 'server', 'drizzle', 'bench'].flatMap((folder) =>
  listFiles(folder, true).filter((path) => /\.(?:ts|tsx|mjs)$/.test(path)),
);
const PAGES = ['README.md', 'CONTRIBUTING.md', 'client/README.md', ...listFiles('docs'), ...listFiles('docs/gateways')];
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm;
const findings = [];

for (const file of ['proxy.ts', 'server.mjs', ...CODE]) {
  const text = readFileSync(file, 'utf8');
  for (const { 0: comment, index } of text.matchAll(COMMENT))
    check(file, comment, text.slice(0, index).split('\n').length);
  check(file, text, 1, BANNED_IN_CODE);
}
for (const file of PAGES.filter((path) => path.endsWith('.md'))) check(file, readFileSync(file, 'utf8'), 1);

// Without a time, `vi.waitFor` gives up after a second. `untilPasses` does not depend on the speed of the machine.
for (const file of listFiles('tests', true).filter((path) => path.endsWith('.test.ts')))
  if (/\bvi\.wait(?:For|Until)\(/.test(readFileSync(file, 'utf8'))) findings.push(`${file}: use until or untilPasses`);

for (const finding of findings) console.error(finding);
const { status } = spawnSync(join('node_modules', '.bin', 'biome'), ['check', '.'], { stdio: 'inherit' });
process.exit(findings.length === 0 ? (status ?? 1) : 1);

function listFiles(folder, recursive = false) {
  return readdirSync(folder, { recursive }).map((name) => join(folder, name));
}

function check(file, text, first, banned = BANNED) {
  for (const [at, line] of text.split('\n').entries())
    for (const [word, instead] of banned)
      if (word.test(line)) findings.push(`${file}:${first + at}: not "${word.exec(line)?.[0]}" but: ${instead}`);
}
