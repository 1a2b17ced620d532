import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Installed {
  version?: string;
  hasInstallScript?: boolean;
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Installed> };

/** Below these versions each has a fault that opens or stops this product. */
const FLOORS = {
  // Remote code execution: CVE-2026-96889, GHSA-673q-mjm6-r5xr.
  next: '16.4.1',
  react: '19.2.6',
  'react-dom': '19.2.6',
  // CVE-2026-73418 to -73421.
  'next-auth': '4.24.15',
};

describe('what is installed', () => {
  it.each(Object.entries(FLOORS))('%s is at least %s', (name, floor) => {
    const { version = '' } = packages[`node_modules/${name}`] ?? {};
    const [have, least] = [version, floor].map((text) => text.split('.').map(Number));
    const difference = least!.map((number, i) => (have![i] ?? 0) - number).find((part) => part !== 0) ?? 0;
    expect([version, difference >= 0]).toEqual([version, true]);
  });

  it('has exact versions of its own, so that nothing changes by itself', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    for (const [name, given] of Object.entries({ ...dependencies, ...devDependencies })) {
      // A folder of this repository.
      if (given.startsWith('file:')) continue;
      // A second version of a package, under another name.
      const version = given.replace(/^npm:.+@/, '');
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)]);
      expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
    }
  });

  it('runs nothing while it is installed', () => {
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });
});
