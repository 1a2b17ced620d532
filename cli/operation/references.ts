import type { CommandContext } from '@/cli/context';
import { EXIT, Failure, wrongUsage } from '@/cli/failure';
import type { Reference } from '@/cli/operation/form';
import { isUuid } from '@/cli/values';

interface Named {
  id: string;
  /** What people call it. */
  name: string;
  /** Beginnings by which it is recognised too. */
  prefixes: readonly string[];
}

interface Source {
  list: string;
  noun: string;
  read(item: Readonly<Record<string, unknown>>): Named;
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

const SOURCES: Readonly<Record<Reference, Source>> = {
  key: {
    list: 'listApiKeys',
    noun: 'API key',
    read: ({ id, name, prefix }) => ({ id: text(id), name: text(name), prefixes: [text(id), text(prefix)] }),
  },
  token: {
    list: 'listTokens',
    noun: 'token',
    read: ({ id, name }) => ({ id: text(id), name: text(name), prefixes: [text(id)] }),
  },
  member: {
    list: 'listMembers',
    noun: 'member',
    read: ({ id, email }) => ({ id: text(id), name: text(email), prefixes: [text(id)] }),
  },
};

const MOST_NAMED = 5;
/** The secret of a key or of a token. */
const SECRET = /^sl[kt]_[\w-]{30,}$/;

/**
 * The id of what somebody means: an id, the exact name, or the beginning of a name, id or prefix that only one has.
 * @throws Failure with exit code 1 when there is none, 2 when there are several
 */
export async function resolveReference(context: CommandContext, kind: Reference, said: string): Promise<string> {
  if (isUuid(said)) return said.toLowerCase();
  if (SECRET.test(said)) {
    throw wrongUsage(
      'That is a whole secret, which others on this machine can now see.',
      'Rotate it, and name the key or token by its name, its id or the prefix that lists show. `check` takes the secret of a key from SLUICE_API_KEY.',
    );
  }
  const { noun } = SOURCES[kind];
  const all = await namedLike(context, kind, said);
  const exact = all.filter(({ name }) => name === said);
  const [only, ...others] = exact.length > 0 ? exact : all.filter((one) => startsWith(one, said));
  if (only === undefined)
    throw new Failure(EXIT.refused, 'not_found', `There is no ${noun} of that id, name or prefix.`);
  if (others.length === 0) return only.id;
  const names = [only, ...others].slice(0, MOST_NAMED).map(({ id, name }) => `${name} (${id.slice(0, 8)})`);
  const more = others.length + 1 - names.length;
  throw wrongUsage(
    `Several are meant: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    'Say more of the name, or the id.',
  );
}

/** What the server has whose name, id or prefix is like what somebody says; all of it for an empty text. */
export async function namedLike(context: CommandContext, kind: Reference, said: string): Promise<Named[]> {
  const { list, read } = SOURCES[kind];
  const takesQuery = context.operation(list).query !== undefined;
  const q = said === '' ? undefined : said;
  const { body } = await context.request(list, takesQuery ? { query: { q, limit: '1000' } } : {});
  return (Array.isArray(body) ? body : []).map(read);
}

function startsWith({ name, prefixes }: Named, said: string): boolean {
  const beginning = said.toLowerCase();
  return [name, ...prefixes].some((one) => one.toLowerCase().startsWith(beginning));
}
