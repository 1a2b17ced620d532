import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { labTarget } from '@/lib/oauth/assessment/lab-target';
import { auditAll, type Finding, runAudit } from '@/lib/oauth/assessment/run';
import { type Controls, controlsWithout, SECURE_CONTROLS, SWITCHES, switchedOff } from '@/lib/oauth/lab/controls';
import { ORIGIN, START } from './lab-fixture';

const clock = () => performance.now();
const random = (length: number) => randomBytes(length);
const target = (controls: Controls) => labTarget({ origin: ORIGIN, controls, startAt: START, clock, random });
const judge = (controls: Controls) => auditAll(target(controls), { clock, random });
const ofKind = (findings: readonly Finding[], kind: string) =>
  findings.filter((one) => one.verdict.kind === kind).map((one) => one.control);

/** Controls whose verdict has no meaning while another is off: neither passed nor failed, with the reason. */
const MEANINGLESS: Record<string, string[]> = {
  // A code that works at any time cannot be raced for.
  'code-single-use': ['code-race'],
  // Where tokens do not rotate, no old one can be reused.
  'refresh-rotation': ['refresh-reuse-revokes'],
};

describe('the judgement of the lab', () => {
  test('everything on is everything green', async () => {
    const findings = await judge(SECURE_CONTROLS);
    expect(findings.filter((one) => one.verdict.kind !== 'passed').map((one) => [one.control, one.verdict])).toEqual(
      [],
    );
  });

  test('every verdict stands on exchanges', async () => {
    for (const finding of await judge(SECURE_CONTROLS)) {
      expect(finding.exchanges.length, finding.control).toBeGreaterThan(0);
      expect(finding.verdict.reason, finding.control).toMatch(/\S/);
    }
  });

  test.each(SWITCHES)('without %s exactly that control is red', async (id) => {
    const findings = await judge(controlsWithout(id));
    expect(ofKind(findings, 'failed')).toEqual([id]);
    expect(ofKind(findings, 'inconclusive')).toEqual([]);
    expect(ofKind(findings, 'not_applicable').sort()).toEqual(MEANINGLESS[id] ?? []);
  });

  test('everything off is red for every switch that can be told', async () => {
    const findings = await judge(controlsWithout(...SWITCHES));
    const meaningless = Object.values(MEANINGLESS).flat();
    expect(ofKind(findings, 'failed').sort()).toEqual(SWITCHES.filter((id) => !meaningless.includes(id)).sort());
  });

  test('progress is told as it is made, and an audit can be stopped', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    for await (const event of runAudit(target(SECURE_CONTROLS), { clock, random, signal: controller.signal })) {
      seen.push(event.type);
      if (event.type === 'found' && event.done === 3) controller.abort();
    }
    expect(seen).toEqual(['started', 'found', 'found', 'found', 'finished']);
  });
});

test('switchedOff names what is off', () => {
  expect(switchedOff(controlsWithout('par'))).toEqual(['par']);
});
