import type { CommandContext } from '@/cli/context';
import { createUsageFailure, EXIT, Failure } from '@/cli/failure';
import type { Reference } from '@/cli/operation/form';
import { formatCell } from '@/cli/output/cell';
import { isRow } from '@/cli/output/rows';
import { isUuid } from '@/cli/values';

interface Named {
  id: string;
  /** Name that people use. */
  name: string;
  /** Prefixes that identify it too. */
  prefixes: readonly string[];
}

/** Rules for references. */
interface MatchRules {
  /** Requires the full name or id, because the operation affects others at once. */
  exactly?: boolean;
  /** True if the object may be revoked. */
  evenRevoked?: boolean;
}

interface Source {
  list: string;
  noun: string;
  read(item: Readonly<Record<string, unknown>>): Named;
}

const readString = (value: unknown) => (typeof value === 'string' ? value : '');

const SOURCES: Readonly<Record<Reference, Source>> = {
  key: {
    list: 'listApiKeys',
    noun: 'API key',
    read: ({ id, name, prefix }) => ({
      id: readString(id),
      name: readString(name),
      prefixes: [readString(id), readString(prefix)],
    }),
  },
  token: {
    list: 'listTokens',
    noun: 'token',
    read: ({ id, name }) => ({ id: readString(id), name: readString(name), prefixes: [readString(id)] }),
  },
  member: {
    list: 'listMembers',
    noun: 'member',
    read: ({ id, email }) => ({ id: readString(id), name: readString(email), prefixes: [readString(id)] }),
  },
};

const MOST_NAMED = 5;
const SECRET = /^sl[kt]_[\w-]{30,}$/;

/** True if a text is the secret of a key or token. */
export function isWholeSecret(typed: string): boolean {
  return SECRET.test(typed);
}

/**
 * Resolves a reference to an id. It may be an id, an exact name, or a unique prefix of a name, id or key prefix. The
 * context stores the name for later messages.
 * @throws Failure with exit code 1 if nothing matches, 2 if several objects do
 */
export async function resolveReference(
  context: CommandContext,
  kind: Reference,
  typed: string,
  { exactly = false, evenRevoked = false }: MatchRules = {},
): Promise<string> {
  if (isUuid(typed)) return typed.toLowerCase();
  if (isWholeSecret(typed)) {
    throw createUsageFailure(
      'That is a whole secret, which others on this machine can now see.',
      'Rotate it, and name the key or token by its name, its id or the prefix that lists show. `check` takes the secret of a key from SLUICE_API_KEY.',
    );
  }
  const { noun } = SOURCES[kind];
  const all = await listMatches(context, kind, typed);
  const [named] = all.filter(({ name }) => name === typed);
  const matches = named === undefined ? all.filter((one) => hasPrefix(one, typed)) : [named];
  const [only, ...others] = matches;
  if (only === undefined) return findRevoked(context, kind, typed, evenRevoked);
  if (exactly && named === undefined) {
    throw createUsageFailure(
      `No ${noun} is called exactly that. Like it: ${joinNames(matches)}.`,
      'This affects its users at once, so give the full name or the id.',
    );
  }
  if (others.length > 0)
    throw createUsageFailure(`Several match: ${joinNames(matches)}.`, 'Give a longer part of the name, or the id.');
  context.names.set(only.id, only.name);
  return only.id;
}

function joinNames(matches: readonly Named[]): string {
  const names = matches.slice(0, MOST_NAMED).map(({ id, name }) => `${name} (${id.slice(0, 8)})`);
  const more = matches.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Finds the newest revoked key of that name or prefix, if revoked keys are allowed. Otherwise it reports that the key
 * is revoked or missing.
 */
async function findRevoked(
  context: CommandContext,
  kind: Reference,
  typed: string,
  evenRevoked: boolean,
): Promise<string> {
  const { noun, list, read } = SOURCES[kind];
  if (kind === 'key') {
    const { body } = await context.request(list, { query: { q: typed, status: 'revoked', limit: '1000' } });
    const rows = Array.isArray(body) ? body.filter(isRow) : [];
    const revoked = rows.find((row) => row.name === typed) ?? rows.find((row) => hasPrefix(read(row), typed));
    if (revoked !== undefined && evenRevoked) return read(revoked).id;
    if (revoked !== undefined) {
      const message = `The API key ${formatCell(revoked.name, { now: null })} was revoked at ${readString(revoked.revoked_at)}.`;
      const hint = '`sluice keys list --status revoked` lists such keys, `sluice audit list` who revoked them.';
      throw new Failure(EXIT.refused, 'not_found', message, { hint });
    }
  }
  throw new Failure(EXIT.refused, 'not_found', `There is no ${noun} of that id, name or prefix.`);
}

/** Lists objects on the server whose name, id or prefix resembles the text. An empty text lists all. */
export async function listMatches(context: CommandContext, kind: Reference, typed: string): Promise<Named[]> {
  const { list, read } = SOURCES[kind];
  const takesQuery = context.lookUpOperation(list).query !== undefined;
  const q = typed === '' ? undefined : typed;
  const { body } = await context.request(list, takesQuery ? { query: { q, limit: '1000' } } : {});
  return (Array.isArray(body) ? body : []).map(read);
}

function hasPrefix({ name, prefixes }: Named, typed: string): boolean {
  const beginning = typed.toLowerCase();
  return [name, ...prefixes].some((one) => one.toLowerCase().startsWith(beginning));
}
