import { beforeAll, expect, it } from 'vitest';
import type { AssessmentReport, StoredAssessment } from '@/lib/contract/assessment-report';
import type { ApiKey } from '@/lib/contract/keys';
import { version } from '@/package.json';
import { CONSOLE_TITLES } from '../../../fixtures/console-pages';
import { complaints, demoSuite, open, page, read, write } from '../../../fixtures/demo-suite';
import { Answers } from './answers';
import { type Claim, expectNoOtherNumbers } from './claims';
import { addWhatIsMissing } from './demonstration';
import { claimKey, claimKeys } from './key-claims';
import {
  claimCandidates,
  claimExplain,
  claimExplainStart,
  claimInspector,
  claimLimits,
  claimRouteRules,
} from './limit-claims';
import {
  claimAccount,
  claimAlertSettings,
  claimAllowlist,
  claimAudit,
  claimExceptions,
  claimOverrides,
  claimRows,
} from './list-claims';
import {
  claimAssessments,
  claimBuilder,
  claimNewAssessment,
  claimProfiles,
  claimReport,
  claimSetUp,
  claimThreats,
  type LabControl,
} from './oauth-claims';
import { claimAlerts, claimCallers, claimDecisions, claimOverview } from './traffic-claims';

demoSuite();

let answers: Answers;
beforeAll(async () => {
  answers = new Answers(page);
  await addWhatIsMissing();
});

const none = (): Claim[] => [];

/** What the numbers of each page must be. A page without numbers claims none. */
const CLAIMS: Record<string, (answers: Answers) => Claim[]> = {
  '/': claimOverview,
  '/decisions': claimDecisions,
  '/decisions?by=caller': claimCallers,
  '/limits': claimLimits,
  '/limits?tab=routes': claimRouteRules,
  '/limits?tab=candidates': claimCandidates,
  '/limits/inspect?type=ip&identifier=203.0.113.9': claimInspector,
  '/limits/explain': claimExplainStart,
  '/limits/explain?class=auth&ip=203.0.113.9': claimExplain,
  '/limits/overrides': claimOverrides,
  '/allowlist': claimAllowlist,
  '/alerts': claimAlerts,
  '/exceptions': claimExceptions,
  '/keys': claimKeys,
  '/audit': claimAudit,
  '/audit?target=10.0.0.0%2F24': claimAudit,
  '/settings': claimRows('/v1/admin/tokens'),
  '/settings?tab=members': claimRows('/v1/admin/members'),
  '/settings?tab=alerts': claimAlertSettings,
  '/settings?tab=account': claimAccount,
  '/settings?tab=about': () => [{ in: 'dd', like: /^v?\d+\.\d+\.\d+$/, say: [version, process.version] }],
  '/oauth': none,
  '/oauth/client': () => [{ in: 'button', like: /^200 (Metadata|Keys) GET / }],
  '/oauth/assessments': claimAssessments,
  '/oauth/assessments/new': claimNewAssessment,
};

/** Compares the numbers of a screen. */
async function walk(path: string, claim: (answers: Answers) => Claim[], ready = async () => {}): Promise<void> {
  await page.goto('/icon.svg');
  answers.clear();
  await open(path);
  await page.waitForLoadState('networkidle');
  await ready();
  await answers.complete();
  await expectNoOtherNumbers(page, answers, claim(answers), decodeURIComponent(page.url()));
}

// The reference shows the OpenAPI document, which its own tests compare. Keys and reports are walked one by one.
const screens = Object.keys(CONSOLE_TITLES).filter((path) => !/^\/docs|:/.test(path));

it('has claims for every page of the console', () => {
  expect(Object.keys(CLAIMS)).toEqual(screens);
});

it.each(screens.filter((path) => path !== '/oauth'))('every number of %s is compared', (path) =>
  walk(path, CLAIMS[path] ?? none),
);

it.each(['Partner feed', 'Hackathon', 'Mobile app', 'Prototype', 'Nightly export'])(
  'every number of the key %s is compared',
  async (q) => {
    const [key] = await read<ApiKey[]>('/v1/admin/api-keys', { q });
    await walk(`/keys/${key!.id}`, (all) => claimKey(all, key!.id));
  },
);

it('every number of the reports is compared', async () => {
  const reports = await read<{ id: string }[]>('/v1/oauth/assessments');
  expect(reports.length).toBeGreaterThan(2);
  for (const { id } of reports) await walk(`/oauth/assessments/${id}`, (all) => claimReport(all, id));
  const { id } = reports.at(-1)!;
  await walk(`/oauth/assessments/${id}?tab=profiles`, (all) => claimProfiles(all, id));
  await walk(`/oauth/assessments/${id}?tab=threats`, (all) => claimThreats(all, id));
  await walk(`/oauth/assessments/${id}?tab=set-up`, (all) => claimSetUp(all, id));
});

it('every number of the builder is that of the report on a lab with every control', async () => {
  const reports = await read<{ id: string; name: string }[]>('/v1/oauth/assessments');
  const { id } = reports.find(({ name }) => name.endsWith('after hardening'))!;
  const report = await read<AssessmentReport>(`/v1/oauth/assessments/${id}`, { format: 'json' });
  const controls = await read<LabControl[]>('/v1/oauth/controls');
  const measured = () => page.getByText(/^\d+ failed · \d+ passed$/).waitFor();
  await walk('/oauth', () => claimBuilder(controls, report), measured);
});

it('every number of the builder with every control off is that of a report on such a lab', async () => {
  const controls = await read<LabControl[]>('/v1/oauth/controls');
  const off = controls.filter(({ switchable }) => switchable).map(({ id }) => id);
  const name = 'Every control off';
  await write('POST', '/v1/oauth/assessments', { target: { lab: { off } }, name });
  const reports = await read<StoredAssessment[]>('/v1/oauth/assessments');
  const { id } = reports.find((each) => each.name === name)!;
  const report = await read<AssessmentReport>(`/v1/oauth/assessments/${id}`, { format: 'json' });
  const turnOff = async () => {
    await page.getByRole('radio', { name: 'insecure' }).click();
    await page.getByText(new RegExp(`^${report.summary.failed} failed · ${report.summary.passed} passed$`)).waitFor();
    await page.getByText(/more attacks succeed than before/).waitFor();
  };
  await walk('/oauth', (all) => claimBuilder(controls, report, all.findAll('/v1/oauth/replays/')), turnOff);
});

it('leaves the console silent', () => {
  expect(complaints).toEqual([]);
});
