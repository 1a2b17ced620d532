import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const INSTALLED = '/etc/apache2';

/** Where an Apache of a test has its files. */
export function apacheEnvironment(directory: string): Record<string, string> {
  const own = join(directory, 'apache');
  return {
    APACHE_CONFDIR: own,
    APACHE_STATE_DIRECTORY: join(own, 'state'),
    APACHE_RUN_USER: 'www-data',
    APACHE_RUN_GROUP: 'www-data',
    APACHE_PID_FILE: join(own, 'apache.pid'),
    APACHE_RUN_DIR: own,
    APACHE_LOCK_DIR: own,
    APACHE_LOG_DIR: own,
  };
}

/**
 * Does with a copy of Debian's configuration what the page says: switches on the modules that the file names, and the file
 * as a site. Only Debian's own site on port 80 goes.
 */
export function prepareApache(directory: string, file: string, securePort: number): void {
  const env = { PATH: process.env.PATH, ...apacheEnvironment(directory) } as unknown as NodeJS.ProcessEnv;
  const own = join(directory, 'apache');
  cpSync(INSTALLED, own, { recursive: true, verbatimSymlinks: true });
  mkdirSync(join(own, 'state'));
  const ports = readFileSync(join(INSTALLED, 'ports.conf'), 'utf8');
  const moved = ports.replace('Listen 80\n', '').replaceAll('Listen 443', `Listen 127.0.0.1:${securePort}`);
  writeFileSync(join(own, 'ports.conf'), moved);
  copyFileSync(file, join(own, 'sites-available/sluice.conf'));
  const [, modules = ''] = /^# Modules: a2enmod ([\w ]+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
  const commands = [
    ['a2enmod', ...modules.split(' ')],
    ['a2dissite', '000-default'],
    ['a2ensite', 'sluice'],
  ];
  for (const [program = '', ...args] of commands) {
    const { status, stderr, stdout } = spawnSync(program, ['--quiet', ...args], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
  }
}
