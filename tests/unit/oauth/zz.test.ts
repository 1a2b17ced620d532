import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { labTarget } from '@/lib/oauth/assessment/lab-target';
import { assessAll } from '@/lib/oauth/assessment/run';
import { controlsWithout } from '@/lib/oauth/lab/controls';
import { ORIGIN, START } from './lab-fixture';
const clock = () => performance.now(); const random = (n: number) => randomBytes(n);
test('x', async () => {
  const base = new Map();
  for (const off of [[], ...SWITCHES.map((s) => [s])]) {
    const t = clock();
    const fs = await assessAll(labTarget({ origin: ORIGIN, controls: controlsWithout(...off), startAt: START, clock, random }), { clock, random, sleep });
    const out = [];
    for (const f of fs) { if (off.length === 0) base.set(f.control, f.verdict.kind); if (off.length === 0 ? f.verdict.kind !== 'passed' : base.get(f.control) !== f.verdict.kind && !(f.control === off[0] && f.verdict.kind === 'failed')) out.push(`${f.control}=${f.verdict.kind} ${f.verdict.reason}`); }
    if (off.length && !fs.some((f) => f.control === off[0] && f.verdict.kind === 'failed')) out.push('!!! NOT RED');
    console.log((off[0] ?? 'ALL ON'), Math.round(clock() - t), '\n     ', out.join('\n      '));
  }
});
