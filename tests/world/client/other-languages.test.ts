import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';

/** 120 callers at once of one address, which may read 100 times, and one check that cannot be read. */
const LANGUAGES = {
  python: {
    page: 'docs/client-python.md',
    file: 'main.py',
    run: ['python3', 'main.py'],
    program: `
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(121) as pool:
    good = [pool.submit(check, **{"class": "read", "ip": "203.0.113.7"}) for _ in range(120)]
    bad = pool.submit(check, **{"class": "read", "ip": "nowhere"}).result()
    print(sum(one.result()["allowed"] for one in good), bad["allowed"], bad["error"])
`,
  },
  go: {
    page: 'docs/client-go.md',
    file: 'main.go',
    run: ['go', 'run', 'main.go'],
    program: `
func main() {
	go work()
	good := make(chan Answer, 120)
	for i := 0; i < 120; i++ {
		go func() { good <- Decide(Check{"class": "read", "ip": "203.0.113.8"}) }()
	}
	bad := Decide(Check{"class": "read", "ip": "nowhere"})
	allowed := 0
	for i := 0; i < 120; i++ {
		if (<-good).Allowed {
			allowed++
		}
	}
	println(allowed, bad.Allowed, bad.Error)
}
`,
  },
} as const;

let place: TestServices;
let sluice: Awaited<ReturnType<typeof decisionServer>>;
beforeAll(async () => {
  place = await testServices();
  sluice = await decisionServer(place.services);
});
afterAll(async () => {
  await sluice.stop();
  place[Symbol.dispose]();
});

for (const [language, { page, file, run, program }] of Object.entries(LANGUAGES)) {
  const suite = `the page for ${language}`;
  describe.skipIf(partsAreMissing(suite, language as keyof typeof LANGUAGES))(suite, () => {
    it('has a program that batches, and that one bad check does not mislead', async () => {
      const [, code = ''] = /```\w+\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8')) ?? [];
      const folder = mkdtempSync(join(tmpdir(), 'sluice-language-'));
      writeFileSync(join(folder, file), code + program);
      const [command, ...args] = run;
      const env = { ...process.env, SLUICE_URL: sluice.url, SLUICE_TOKEN: TEST_ADMIN_TOKEN };
      const child = spawn(command, args, { cwd: folder, env });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
      await new Promise((resolve) => child.once('close', resolve));
      rmSync(folder, { recursive: true, force: true });
      expect(output.trim().toLowerCase()).toBe('100 false invalid_request');
    });
  });
}
