import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { Judged } from '@/lib/oauth/report/causes';
import { CONTROLS, describeControl } from '@/lib/oauth/report/describe-control';
import { summarize } from '@/lib/oauth/report/summary';

const KINDS = ['passed', 'failed', 'not_applicable', 'inconclusive'] as const;
const ORDER = ['A', 'B', 'C', 'D', 'F'];
const judgements = fc
  .uniqueArray(fc.constantFrom(...CONTROLS.map(({ id }) => id)), { minLength: 1 })
  .chain((ids) => fc.tuple(...ids.map((control) => fc.record({ control: fc.constant(control), verdict: mostly() }))));

/** Reports in which nearly all is well are the ones that a grade could flatter. */
function mostly(): fc.Arbitrary<VerdictKind> {
  return fc.oneof({ weight: 20, arbitrary: fc.constant('passed' as const) }, fc.constantFrom(...KINDS));
}

const gradeOf = (findings: readonly Judged[]) => summarize(findings).grade;
const isNoBetter = (grade: string | null, than: string) =>
  grade === null || ORDER.indexOf(grade) >= ORDER.indexOf(than);
const has = (findings: readonly Judged[], verdict: VerdictKind, severity: string) =>
  findings.some((one) => one.verdict === verdict && describeControl(one.control).severity === severity);

describe('whatever was found', () => {
  test('a failed critical control makes it F, and nothing else does', () => {
    fc.assert(
      fc.property(judgements, (findings) => (gradeOf(findings) === 'F') === has(findings, 'failed', 'critical')),
    );
  });

  test('a failed high control caps it at C', () => {
    fc.assert(
      fc.property(judgements, (findings) => {
        fc.pre(has(findings, 'failed', 'high'));
        expect(['C', 'D', 'F']).toContain(gradeOf(findings));
      }),
    );
  });

  test('what is undecided never makes it better', () => {
    fc.assert(
      fc.property(judgements, fc.nat(), (findings, at) => {
        const index = at % findings.length;
        const undecided = findings.map((one, position) =>
          position === index ? { ...one, verdict: 'inconclusive' as const } : one,
        );
        const [before, after] = [gradeOf(findings), gradeOf(undecided)];
        if (findings[index]?.verdict === 'failed' || before === null) return;
        expect(isNoBetter(after, before)).toBe(true);
      }),
    );
  });

  test('a failure never makes it better', () => {
    fc.assert(
      fc.property(judgements, fc.nat(), (findings, at) => {
        const index = at % findings.length;
        fc.pre(findings[index]?.verdict === 'passed');
        const worse = findings.map((one, position) =>
          position === index ? { ...one, verdict: 'failed' as const } : one,
        );
        const [before, after] = [gradeOf(findings), gradeOf(worse)];
        if (before !== null) expect(after !== null && isNoBetter(after, before)).toBe(true);
      }),
    );
  });

  test('no grade is given where less was decided than not', () => {
    fc.assert(
      fc.property(judgements, (findings) => {
        const { passed, failed, inconclusive, grade } = summarize(findings);
        if (grade === 'A' || grade === 'B') expect(passed + failed).toBeGreaterThanOrEqual(Math.max(1, inconclusive));
      }),
    );
  });
});
