import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InstalledClient, installClient } from '@/tests/fixtures/installed-client';

let client: InstalledClient;
beforeAll(async () => {
  client = await installClient();
});
afterAll(() => client[Symbol.dispose]());

const read = (path: string) => readFileSync(path, 'utf8');
const manifest = () => JSON.parse(read(client.path('package.json')));
/** The paths that a program imports, `sluice/client` and so on. */
const entries = () =>
  Object.keys(manifest().exports)
    .filter((path) => !path.endsWith('.json'))
    .map((path) => path.replace('.', 'sluice'));

describe('the archive that npm would publish', () => {
  it('has types that resolve as its modules do', async () => {
    const found = await checkPackage(createPackageFromTarballData(readFileSync(client.tarball)));
    if (found.types === false) throw new Error('The package has no types.');
    expect(Object.keys(found.entrypoints).length).toBeGreaterThan(entries().length);
    // The profile `esm-only`: no resolution without `exports`, and no types for CommonJS under `node16`.
    const isOther = (problem: (typeof found.problems)[number]) =>
      'resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind);
    expect(found.problems.filter((problem) => !isOther(problem))).toEqual([]);
  });

  it('has no fault that publint finds', async () => {
    const tarball = new Uint8Array(readFileSync(client.tarball)).buffer;
    const { messages } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map(({ code, path }) => [code, path])).toEqual([]);
  });

  it('says where it comes from as far as the product does, and has its own README and changelog', () => {
    const product = JSON.parse(read('package.json'));
    for (const field of ['repository', 'homepage', 'bugs', 'license'])
      expect([field, manifest()[field]]).toEqual([field, product[field]]);
    expect(manifest()).toMatchObject({ publishConfig: { access: 'public', provenance: true } });
    expect(manifest().private).toBeUndefined();
    expect(manifest().keywords).toContain('rate-limit');
    for (const path of entries()) expect(read(client.path('README.md')), path).toContain(`\`${path}\``);
    expect(read(client.path('CHANGELOG.md'))).toMatch(/^## \[/m);
  });
});

describe.each(['edge-light', 'workerd', 'browser'])('under the condition `%s`', (condition) => {
  it('no module names what edge runtimes lack', async () => {
    const { EDGE_UNSUPPORTED_NODE_APIS: names } = createRequire(resolve('tests/servers/package.json'))(
      'next/dist/shared/lib/constants',
    );
    expect(names).toContain('setImmediate');
    const { outputFiles, metafile } = await build({
      stdin: {
        // Exported, so that nothing is left out as unused.
        contents: entries()
          .map((path, index) => `export * as module${index} from '${path}';`)
          .join('\n'),
        resolveDir: client.folder,
      },
      ...{ bundle: true, splitting: true, format: 'esm', outdir: join(client.folder, condition), write: false },
      ...{ conditions: [condition], external: ['next/server.js'], metafile: true },
    });
    const text = outputFiles.map((file) => file.text).join('\n');
    expect(text.length).toBeGreaterThan(10_000);
    expect(names.filter((name: string) => new RegExp(`(?<![.\\w$])${name}\\b`).test(text))).toEqual([]);
    // Other names of Node: modules, and globals besides the variables of the environment.
    expect(text.match(/["'`]node:\w+|\bBuffer\b|\b__dirname\b|(?<!typeof )\bprocess\b(?!\.env)/g)).toBeNull();
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(imports.filter(({ external }) => external === true).map(({ path }) => path)).toEqual(['next/server.js']);
  });
});

/** Compiler options of a program that checks the declarations of its packages too. */
const STRICT = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2022' };
const WEB = { lib: ['es2022', 'dom', 'dom.iterable'], types: [] };
const NODE = { lib: ['es2022'], types: ['node'], typeRoots: [resolve('node_modules/@types')] };

const PROGRAMS = {
  'node16, for Node': { file: 'main.mts', options: { module: 'node16', ...NODE } },
  'nodenext, for Node': { file: 'main.mts', options: { module: 'nodenext', ...NODE } },
  'nodenext, for the web': { file: 'main.mts', options: { module: 'nodenext', ...WEB } },
  'nodenext, in a CommonJS file': { file: 'main.cts', options: { module: 'nodenext', ...NODE } },
  'bundler, for the web': { file: 'main.ts', options: { module: 'esnext', moduleResolution: 'bundler', ...WEB } },
  'bundler, for Node': { file: 'main.ts', options: { module: 'esnext', moduleResolution: 'bundler', ...NODE } },
};

describe.each(Object.entries(PROGRAMS))('the types under %s', (_, { file, options }) => {
  it('compile with those of the libraries', () => {
    const names = entries().map((path, index) => `import * as module${index} from '${path}';`);
    const all = entries().map((_path, index) => `module${index}`);
    const source = `${names.join('\n')}
      import { Sluice } from 'sluice/client';
      const sluice = new Sluice({ url: 'https://sluice.example.com', token: 'token' });
      const limited: Promise<number | null> = sluice.check({ class: 'read', ip: '::1' }).then(({ limit }) => limit);
      console.log(limited, ${all.join(', ')});
      // @ts-expect-error a class that there is not: the types are no \`any\`
      sluice.check({ class: 'reed' });`;
    writeFileSync(join(client.folder, file), source);
    const config = join(client.folder, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: [file] }));
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});

describe('require() from CommonJS', () => {
  it('loads every module where Node can, and fails by the documented code elsewhere', () => {
    // An application of Next brings Next.
    symlinkSync(resolve('node_modules/next'), join(client.folder, 'node_modules/next'));
    const source = `const loaded = ${JSON.stringify(entries())}.map((name) => {
        try { return [name, typeof Object.values(require(name))[0]]; } catch ({ code }) { return [name, code]; }
      });
      console.log(JSON.stringify(loaded));`;
    writeFileSync(join(client.folder, 'main.cjs'), source);
    const { stdout, stderr } = spawnSync(process.execPath, ['main.cjs'], { cwd: client.folder, encoding: 'utf8' });
    const canRequire = 'require_module' in process.features && process.features.require_module === true;
    const expected = canRequire ? 'function' : 'ERR_REQUIRE_ESM';
    expect(JSON.parse(stdout), stderr).toEqual(entries().map((name) => [name, expected]));
  });
});
