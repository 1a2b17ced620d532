import { Connection, requireOperation } from '@/cli/connection';
import { type CommandContext, requireAdminToken } from '@/cli/context';
import { createUsageFailure, EXIT, Failure } from '@/cli/failure';
import { chooseServerUrl, locateSettingsFile, readSettings, writeSettings } from '@/cli/settings';

/** Stores a server and a token that it accepts. Asks for missing values. @throws Failure */
export async function logIn(context: CommandContext, server: string | undefined): Promise<void> {
  const saved = readSettings(context.env);
  const typedUrl = server ?? context.options.url;
  const url = chooseServerUrl(typedUrl ?? (await askForServer(context)), context.env, () => saved);
  const token = await obtainToken(context, url);
  requireAdminToken(token, url);
  const owner = await findTokenOwner(context, url, token);
  const { origin } = new URL(url);
  writeSettings(context.env, { ...saved, url, servers: { ...saved.servers, [origin]: { token } } });
  if (context.output.json) return context.output.show({ url, ...owner });
  if (isUnprotected(url))
    context.output.note('The connection is not encrypted: anybody on the way can read the token.');
  return context.output.printLine(
    `Signed in at ${url} as ${owner.name} (${owner.role}). Kept in ${locateSettingsFile(context.env)}.`,
  );
}

async function askForServer({ output, url }: CommandContext): Promise<string> {
  if (!output.canAsk) return url;
  const answer = await output.ask(`Address of the server (${url})`);
  return answer.trim() === '' ? url : answer.trim();
}

async function obtainToken(context: CommandContext, url: string): Promise<string> {
  if (context.options.tokenStdin) return (await context.readToken()) ?? '';
  if (!context.output.canAsk)
    throw createUsageFailure('Nobody can be asked for the token.', 'Pipe it in, with --token-stdin.');
  const token = (
    await context.output.ask(`Admin token for ${url} (made at ${url}/settings?tab=tokens)`, { hidden: true })
  ).trim();
  return token;
}

/** Finds the owner of a token. @throws Failure if the server rejects it or does not answer */
async function findTokenOwner(
  context: CommandContext,
  url: string,
  token: string,
): Promise<{ name: string; role: string }> {
  const connection = new Connection({
    url,
    credentials: () => ({ authorization: `Bearer ${token}` }),
    timeoutMs: context.options.timeoutMs,
    userAgent: `sluice/${context.manifest.version}`,
    now: () => context.now(),
  });
  try {
    const { body } = await connection.request(requireOperation(context.manifest.operations, 'whoAmI'));
    const { name, kind, role } = body as { name: string | null; kind: string; role: string };
    return { name: name ?? kind, role };
  } catch (fault) {
    // A gateway token may only request decisions, so it cannot even ask for its owner.
    if (fault instanceof Failure && fault.code === 'forbidden') return { name: 'a token', role: 'gateway' };
    if (fault instanceof Failure && fault.exitCode === EXIT.refused && fault.more.status === 401)
      throw new Failure(EXIT.refused, fault.code, 'The server rejects this token; nothing was stored.');
    throw fault;
  }
}

/** True if a token would be sent unencrypted. */
function isUnprotected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
