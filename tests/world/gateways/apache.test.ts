import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { partsAreMissing } from '../../fixtures/programs';

const page = readFileSync('docs/gateways/apache.md', 'utf8');
const modulesOf = (file: string) =>
  /^# Modules: (a2enmod [\w ]+)$/m.exec(readFileSync(`docs/gateways/${file}`, 'utf8'))?.[1] ?? '';

/** What the page says of the files, and of Debian's. */
describe('the page about Apache', () => {
  it('switches on the modules that its files name', () => {
    expect(page).toContain(`\n${modulesOf('apache.conf')}\n`);
    expect(page).toContain('its third line names them');
    expect(readFileSync('docs/gateways/apache-behind.conf', 'utf8').split('\n')[2]).toContain(
      modulesOf('apache-behind.conf'),
    );
  });

  it.skipIf(partsAreMissing('gateways/apache (settings)', 'apache'))("is right about Debian's settings", () => {
    const read = (file: string) => readFileSync(`/etc/apache2/${file}`, 'utf8');
    expect(page).toContain('has 150');
    expect(read('mods-available/mpm_event.conf')).toMatch(/^MaxRequestWorkers\s+150$/m);
    expect(page).toContain('slower than 500 bytes a second');
    expect(read('mods-available/reqtimeout.conf')).toMatch(/^\s*RequestReadTimeout body=10,minrate=500$/m);
    expect(read('ports.conf')).toMatch(/<IfModule ssl_module>\s+Listen 443/);
  });
});
