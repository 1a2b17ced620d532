import { spawn } from 'node:child_process';

/** How this machine opens an address; null where it has no screen. */
function opener(env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform): string[] | null {
  if (env.BROWSER !== undefined && env.BROWSER !== '') return [env.BROWSER];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null;
}

/**
 * Opens an http or https address in the browser of the person at this machine (`BROWSER`, or what the system has).
 * Nothing else is ever opened: the address comes from the metadata of a server. A browser that does not start is no
 * fault: the address is printed as well.
 */
export function openBrowser(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): void {
  const [command, ...args] = opener(env, platform) ?? [];
  if (command === undefined || !/^https?:$/.test(new URL(url).protocol)) return;
  const child = spawn(command, [...args, new URL(url).href], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
