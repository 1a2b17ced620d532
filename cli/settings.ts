import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createUsageFailure } from '@/cli/failure';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that `sluice login` writes: the default server, and tokens by origin. */
export interface SavedSettings {
  /** Origin of the default server. */
  url?: string;
  /** Tokens by origin. A token is sent only to its own origin. */
  servers: Record<string, { token: string }>;
}

const DEFAULT_URL = 'http://localhost:3000';

/** Returns the path in the user's configuration folder: XDG's, or that of Windows. */
export function locateSettingsFile(env: Environment): string {
  const folder = env.XDG_CONFIG_HOME || env.APPDATA || join(env.HOME || homedir(), '.config');
  return join(folder, 'sluice', 'config.json');
}

/** @throws Failure if the file is not a settings file */
export function readSettings(env: Environment): SavedSettings {
  const file = locateSettingsFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { servers: {} };
  }
  try {
    const saved: unknown = JSON.parse(text);
    if (isSettings(saved)) return saved;
  } catch {
    // The code below reports it.
  }
  throw createUsageFailure(`${file} holds no settings of sluice.`, 'Remove it, and run `sluice login` again.');
}

/** Writes the settings with permissions for this user only. @public */
export function writeSettings(env: Environment, settings: SavedSettings): void {
  const file = locateSettingsFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

/** True if other users may read the settings. Always false on Windows, which has no permission bits. */
export function canOthersReadSettings(env: Environment): boolean {
  try {
    return process.platform !== 'win32' && (statSync(locateSettingsFile(env)).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}

function isSettings(value: unknown): value is SavedSettings {
  if (typeof value !== 'object' || value === null || !('servers' in value)) return false;
  const { servers, url } = value as { servers: unknown; url?: unknown };
  if (url !== undefined && typeof url !== 'string') return false;
  return (
    typeof servers === 'object' &&
    servers !== null &&
    Object.values(servers).every((server: unknown) => typeof (server as { token?: unknown })?.token === 'string')
  );
}

/**
 * Returns the URL of the server without a trailing slash: from the option, `SLUICE_URL`, the settings, or localhost. The
 * settings are read only if they decide, so a damaged file does not matter to scripts.
 */
export function chooseServerUrl(
  option: string | undefined,
  env: Environment,
  readSaved: () => Pick<SavedSettings, 'url'>,
): string {
  const text = option ?? (env.SLUICE_URL || readSaved().url) ?? DEFAULT_URL;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw createUsageFailure(
      'The address of the server must begin with http:// or https://.',
      'Set SLUICE_URL or --url.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw createUsageFailure('The address of the server must hold no credentials.', 'Set SLUICE_TOKEN.');
  }
  if (url.search !== '' || url.hash !== '') throw createUsageFailure('The address of the server must have no query.');
  return (url.origin + url.pathname).replace(/\/+$/, '');
}
