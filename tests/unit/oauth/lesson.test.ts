import { describe, expect, it } from 'vitest';
import { OTHER_SERVICE } from '@/lib/contract/lab-paths';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { assess, type Finding } from '@/lib/oauth/assessment/run';
import { findDecidingStep, pairExchanges, readAuthorizationFields } from '@/lib/oauth/builder/lesson';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { type ControlSwitch, enableControlsExcept } from '@/lib/oauth/lab/controls';
import { ORIGIN, START, VERDICTS_ALONE } from './lab-fixture';

const { redaction: _, ...REDACTED } = VERDICTS_ALONE;

async function findEvidence(id: ControlSwitch, off: readonly ControlSwitch[]): Promise<Finding> {
  const target = createLabTarget({
    ...REDACTED,
    origin: ORIGIN,
    controls: enableControlsExcept(...off),
    startAt: START,
  });
  const controls = CATALOGUE.filter((control) => control.id === id);
  for await (const step of assess(target, { ...REDACTED, controls }))
    if (step.type === 'finished' && step.findings[0] !== undefined) return step.findings[0];
  throw new Error(`${id} has no finding.`);
}

const lessonOf = async (id: ControlSwitch) => {
  const [weakened, secure] = await Promise.all([findEvidence(id, [id]), findEvidence(id, [])]);
  expect([weakened.verdict.kind, secure.verdict.kind]).toEqual(['failed', 'passed']);
  const steps = pairExchanges(weakened.exchanges, secure.exchanges);
  return steps;
};

/** Statuses of the deciding step where they are equal, because only a line differs. */
const EQUAL_STATUS = [
  'issuer-in-response',
  'frame-protection',
  'referrer-policy',
  'token-no-store',
  'short-token-lifetime',
];

describe('a lesson', () => {
  it.each(SWITCHES)('shows the request that only the lab without %s accepts', async (id) => {
    const steps = await lessonOf(id);
    const step = steps[findDecidingStep(steps)];
    expect(step?.weakened.status).toBeLessThan(400);
    if (EQUAL_STATUS.includes(id))
      expect(step).toMatchObject({ differs: true, secure: { status: step?.weakened.status } });
    else expect(step?.secure?.status).not.toBe(step?.weakened.status);
    for (const value of Object.values(readAuthorizationFields(id, steps))) expect(value).not.toContain('[');
  });

  it('sets the request that the seed teaches first', async () => {
    const fieldsOf = async (id: ControlSwitch) => readAuthorizationFields(id, await lessonOf(id));
    expect(await fieldsOf('validate-audience')).toMatchObject({ resource: OTHER_SERVICE });
    expect(await fieldsOf('strict-redirect-uri')).toMatchObject({
      redirect_uri: 'https://unregistered.example/callback',
    });
    expect(await fieldsOf('require-state')).toMatchObject({ state: '' });
    expect(await fieldsOf('require-pkce')).toMatchObject({ code_challenge: '', code_challenge_method: '' });
  });
});
