import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** What the bundler and Next fix; everything else of the environment is in `Config`. */
const FIXED = /^process\.env\.(?:NODE_ENV|NEXT_RUNTIME|NEXT_PHASE)\b(?!\s*=[^=])/;
/** Examples of code for people, in the documentation of the API. */
/** These write code that others run. */
const SAMPLES = new Set(['lib/openapi/code-samples.ts', 'lib/oauth/client/code/code-values.ts']);

describe('the environment', () => {
  it('is read once, as a whole, at the start, and never written', () => {
    const files = ['lib', 'app', 'components'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /[.]tsx?$/.test(path))
        .map((path) => `${folder}/${path}`),
    );
    expect(files.length).toBeGreaterThan(300);
    const uses = [...files, 'proxy.ts', 'instrumentation.ts']
      .filter((file) => !SAMPLES.has(file))
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/process\.env.*/g)]
          .map(([text]) => text)
          .filter((text) => !FIXED.test(text))
          .map((text) => `${file}: ${text}`),
      );
    expect(uses).toEqual(['lib/process/start-services.ts: process.env;']);
  });
});
