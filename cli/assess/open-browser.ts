import { spawn } from 'node:child_process';

/** Returns the command that opens an address. Null if the machine has no screen. */
function findOpenCommand(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string[] | null {
  if (env.BROWSER !== undefined && env.BROWSER !== '') return [env.BROWSER];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null;
}

/**
 * Opens an http or https address in the local browser (`BROWSER`, or the system's default). Other schemes are never
 * opened, because the address comes from a server's metadata. A browser that fails to start is ignored, because the
 * address is printed too.
 */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  const [command, ...args] = findOpenCommand(env, process.platform) ?? [];
  if (command === undefined || !/^https?:$/.test(new URL(url).protocol)) return;
  const child = spawn(command, [...args, new URL(url).href], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
