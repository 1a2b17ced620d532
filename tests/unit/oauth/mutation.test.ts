import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { labTarget } from '@/lib/oauth/assessment/lab-target';
import { assess, assessAll, type Finding } from '@/lib/oauth/assessment/run';
import { type Controls, controlsWithout, SECURE_CONTROLS, switchedOff } from '@/lib/oauth/lab/controls';
import { ORIGIN, START } from './lab-fixture';

const clock = () => performance.now();
const random = (length: number) => randomBytes(length);
const target = (controls: Controls) => labTarget({ origin: ORIGIN, controls, startAt: START, clock, random });
const run = (controls: Controls) => assessAll(target(controls), { clock, random, sleep });
const ofKind = (findings: readonly Finding[], kind: string) =>
  findings.filter((finding) => finding.verdict.kind === kind).map((finding) => finding.control);

/** Controls whose verdict has no meaning while another is off: neither passed nor failed, with the reason. */
const MEANINGLESS: Record<string, string[]> = {
  // A code that works at any time cannot be raced for.
  'code-single-use': ['code-race'],
  // Where tokens do not rotate, no old one can be reused.
  'refresh-rotation': ['refresh-reuse-revokes'],
};

describe('the assessment of the lab', () => {
  test('everything on is everything green', async () => {
    const findings = await run(SECURE_CONTROLS);
    expect(
      findings
        .filter((finding) => finding.verdict.kind !== 'passed')
        .map((finding) => [finding.control, finding.verdict]),
    ).toEqual([]);
  });

  test('each verdict is backed by real requests', async () => {
    for (const finding of await run(SECURE_CONTROLS)) {
      expect(finding.exchanges.length, finding.control).toBeGreaterThan(0);
      expect(finding.verdict.reason, finding.control).toMatch(/\S/);
    }
  });

  test.each(SWITCHES)('without %s exactly that control is red', async (id) => {
    const findings = await run(controlsWithout(id));
    expect(ofKind(findings, 'failed')).toEqual([id]);
    expect(ofKind(findings, 'inconclusive')).toEqual([]);
    expect(ofKind(findings, 'not_applicable').sort()).toEqual(MEANINGLESS[id] ?? []);
  });

  test('everything off turns every switch red that can be tested', async () => {
    const findings = await run(controlsWithout(...SWITCHES));
    const meaningless = Object.values(MEANINGLESS).flat();
    expect(ofKind(findings, 'failed').sort()).toEqual(SWITCHES.filter((id) => !meaningless.includes(id)).sort());
  });

  test('progress arrives event by event, and an assessment can be stopped', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    for await (const event of assess(target(SECURE_CONTROLS), { clock, random, sleep, signal: controller.signal })) {
      seen.push(event.type);
      if (event.type === 'found' && event.done === 3) controller.abort();
    }
    expect(seen).toEqual(['started', 'preflight', 'found', 'found', 'found', 'finished']);
  });
});

test('switchedOff names what is off', () => {
  expect(switchedOff(controlsWithout('par'))).toEqual(['par']);
});
