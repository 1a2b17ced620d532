import { defineCommand, isOn } from '@/cli/command';
import { Connection, operationNamed } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import { EXIT, Failure, wrongUsage } from '@/cli/failure';
import { readSettings, serverUrl, settingsFile, writeSettings } from '@/cli/settings';

export const login = defineCommand({
  name: 'login',
  summary: 'Keep a server and a token for later commands',
  description:
    'Asks for the address and for an admin token, which the screen does not show; the server is asked whose it is before anything is kept. Both stand in the configuration folder of this user, in a file that nobody else can read. The token is sent to this server only. SLUICE_URL and SLUICE_TOKEN go before what is kept.',
  arguments: [
    { name: 'server', description: 'Address of the server, such as https://sluice.example.com.', optional: true },
  ],
  examples: [
    'sluice login https://sluice.example.com',
    'pass show sluice | sluice login https://sluice.example.com --token-stdin',
  ],
  async run(context, input) {
    const saved = readSettings(context.env);
    const given = input.arguments.server ?? context.options.url;
    const url = serverUrl(given ?? (await askForServer(context)), context.env, saved);
    const token = await tokenFor(context, url);
    const who = await whoseToken(context, url, token);
    const { origin } = new URL(url);
    writeSettings(context.env, { ...saved, url, servers: { ...saved.servers, [origin]: { token } } });
    if (context.output.json) return context.output.show({ url, ...who });
    if (isUnprotected(url))
      context.output.note('The connection is not encrypted: anybody on the way can read the token.');
    return context.output.line(
      `Signed in at ${url} as ${who.name} (${who.role}). Kept in ${settingsFile(context.env)}.`,
    );
  },
});

export const logout = defineCommand({
  name: 'logout',
  summary: 'Forget the token of a server',
  description: 'The token itself stays valid: `sluice tokens revoke` ends it.',
  options: [{ flag: 'all', description: 'Forget every server and token.' }],
  examples: ['sluice logout', 'sluice logout --all'],
  async run(context, input) {
    const saved = readSettings(context.env);
    const { origin } = new URL(context.url);
    const { [origin]: own, ...others } = saved.servers;
    if (isOn(input, 'all')) {
      writeSettings(context.env, { servers: {} });
      return context.output.line(`Forgot ${Object.keys(saved.servers).length} tokens.`);
    }
    if (own === undefined) return context.output.note(`No token is kept for ${origin}.`);
    const url = saved.url !== undefined && new URL(saved.url).origin !== origin ? { url: saved.url } : {};
    writeSettings(context.env, { ...url, servers: others });
    return context.output.line(`Forgot the token for ${origin}.`);
  },
});

async function askForServer({ output, url }: CommandContext): Promise<string> {
  if (!output.canAsk) return url;
  const answer = await output.ask(`Address of the server (${url})`);
  return answer.trim() === '' ? url : answer.trim();
}

async function tokenFor(context: CommandContext, url: string): Promise<string> {
  if (context.options.tokenStdin) return (await context.token()) ?? '';
  if (!context.output.canAsk) throw wrongUsage('Nobody can be asked for the token.', 'Pipe it in, with --token-stdin.');
  const token = (await context.output.ask(`Admin token for ${url}`, { hidden: true })).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw wrongUsage('That is no token.');
  return token;
}

/** Who a token belongs to. @throws Failure where the server does not take it, or does not answer */
async function whoseToken(
  context: CommandContext,
  url: string,
  token: string,
): Promise<{ name: string; role: string }> {
  const connection = new Connection({
    url,
    credentials: () => ({ authorization: `Bearer ${token}` }),
    timeoutMs: context.options.timeoutMs,
    userAgent: `sluice/${context.manifest.version}`,
  });
  try {
    const { body } = await connection.request(operationNamed(context.manifest.operations, 'whoAmI'));
    const { name, kind, role } = body as { name: string | null; kind: string; role: string };
    return { name: name ?? kind, role };
  } catch (fault) {
    // A token for gateways may decide, and nothing else: not even ask who it is.
    if (fault instanceof Failure && fault.code === 'forbidden') return { name: 'a token', role: 'gateway' };
    if (fault instanceof Failure && fault.exitCode === EXIT.refused && fault.more.status === 401)
      throw new Failure(EXIT.refused, fault.code, 'The server does not take this token; nothing was kept.');
    throw fault;
  }
}

/** Whether a token would travel in the clear. */
function isUnprotected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
