import { readFileSync } from 'node:fs';
import { type Document, isNode, type LineCounter } from 'yaml';
import type { CommandContext } from '@/cli/context';
import { createUsageFailure, Failure } from '@/cli/failure';
import { readYaml, writeYaml } from '@/cli/yaml';

const SCHEMA_PATH = '/v1/state.schema.json';

/** Parsed state document that remembers the lines of its members. */
export interface StateFile {
  body: unknown;
  /** Returns the line of a member, such as `allowlist.3.reason`. Null if the document does not contain it. */
  lineOf(path: string): number | null;
}

/** Reads a document in YAML, which includes JSON. @param name of a file, or `-` for stdin @throws Failure */
export async function readStateFile(context: CommandContext, name: string): Promise<StateFile> {
  const { value, document, lines } = readYaml(await readSource(context, name), name);
  return { body: value, lineOf: (path) => findLine(document, lines, path) };
}

async function readSource(context: CommandContext, name: string): Promise<string> {
  if (name === '-') {
    if (context.options.tokenStdin) throw createUsageFailure('FILE - and --token-stdin cannot both read stdin.');
    return context.readAllStdin();
  }
  try {
    return readFileSync(name, 'utf8');
  } catch (error) {
    throw createUsageFailure(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function findLine(document: Document, lines: LineCounter, path: string): number | null {
  const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  for (; steps.length > 0; steps.pop()) {
    const node = document.getIn(steps, true);
    if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
  }
  return null;
}

/** Adds line numbers to the errors of a refused document. */
export function addLines(error: unknown, file: StateFile): unknown {
  if (!(error instanceof Failure) || error.more.details === undefined) return error;
  const details = error.more.details.map(({ path, message }) => {
    const line = file.lineOf(path);
    return { path: line === null ? path : `${path} (line ${line})`, message };
  });
  return new Failure(error.exitCode, error.code, error.message, { ...error.more, details });
}

/** Default values, which entries may omit. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  expires_at: null,
  user_id: null,
  client_type: 'confidential',
  overage_allowed: false,
  month_starts_on: 1,
};

type Members = Readonly<Record<string, unknown>>;

/** Writes a document for reading, comparing and editing. Default values are omitted. @param url of the server */
export function formatStateDocument(state: Members, format: 'yaml' | 'json', url: string): string {
  const brief = Object.fromEntries(
    Object.entries(state).map(([name, section]) => [
      name,
      Array.isArray(section) ? section.map(omitDefaults) : section,
    ]),
  );
  if (format === 'json') return `${JSON.stringify({ $schema: url + SCHEMA_PATH, ...brief }, null, 2)}\n`;
  return `# yaml-language-server: $schema=${url}${SCHEMA_PATH}\n${writeYaml(brief)}`;
}

function omitDefaults(entry: Members): Members {
  return Object.fromEntries(
    Object.entries(entry).filter(([name, value]) => !(name in DEFAULTS) || DEFAULTS[name] !== value),
  );
}
