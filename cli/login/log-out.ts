import type { CommandContext } from '@/cli/context';
import { readSettings, writeSettings } from '@/cli/settings';

/** Deletes the stored token of the server, or all tokens. */
export async function logOut(context: CommandContext, all: boolean): Promise<void> {
  const saved = readSettings(context.env);
  const { origin } = new URL(context.url);
  const { [origin]: own, ...others } = saved.servers;
  if (all) {
    writeSettings(context.env, { servers: {} });
    const count = Object.keys(saved.servers).length;
    return context.output.printLine(`Forgot ${count} ${count === 1 ? 'token' : 'tokens'}.`);
  }
  if (own === undefined) return context.output.note(`No token is kept for ${origin}.`);
  const url = saved.url !== undefined && new URL(saved.url).origin !== origin ? { url: saved.url } : {};
  writeSettings(context.env, { ...url, servers: others });
  return context.output.printLine(`Forgot the token for ${origin}.`);
}
