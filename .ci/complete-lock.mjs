// Completes package-lock.json after an `npm install`: npm leaves out the optional packages of other platforms whose
// exact version the registry in use does not carry, and `npm ci` then refuses the lock file. Their names and versions
// stand in the packages that want them, their platforms in their names; nothing of them is ever installed here.
import { readFileSync, writeFileSync } from 'node:fs';

const OS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32'];
const CPU = {
  arm64: 'arm64',
  x64: 'x64',
  ia32: 'ia32',
  arm: 'arm',
  ppc64: 'ppc64',
  s390x: 's390x',
  riscv64: 'riscv64',
  wasm32: 'wasm32',
};
const OTHER_CPU = {
  gnueabihf: 'arm',
  eabi: 'arm',
  armv7: 'arm',
  loong64: 'loong64',
  mips64el: 'mips64el',
  ppc64le: 'ppc64',
  ia32: 'ia32',
};

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { packages } = lock;
let added = 0;
for (const [path, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (found(path, name) || !/^\d/.test(version)) continue;
    const words = name.split('/').at(-1).split('-');
    const os = OS.filter((one) => words.includes(one));
    const cpu = words.flatMap((word) => CPU[word] ?? OTHER_CPU[word] ?? []);
    if (os.length === 0 && !cpu.includes('wasm32')) throw new Error(`${name} names no platform.`);
    const libc =
      words.includes('musl') || words.includes('musleabihf') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
    packages[`node_modules/${name}`] = {
      version,
      cpu: [...new Set(cpu)],
      ...(entry.dev ? { dev: true } : {}),
      ...(libc.length > 0 && os.includes('linux') ? { libc } : {}),
      optional: true,
      ...(os.length > 0 ? { os } : {}),
    };
    added += 1;
  }
}
const [root, ...rest] = Object.entries(packages);
rest.sort(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries([root, ...rest]);
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages of other platforms added.`);

/** Whether a package that is wanted at a path is in the lock file, there or above. */
function found(path, name) {
  for (let place = path; ; place = place.slice(0, place.lastIndexOf('/node_modules/'))) {
    if (packages[`${place === '' ? '' : `${place}/`}node_modules/${name}`] !== undefined) return true;
    if (!place.includes('/node_modules/')) return packages[`node_modules/${name}`] !== undefined;
  }
}
