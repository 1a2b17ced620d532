import type { CandidateLimit } from '@/lib/contract/candidates';
import type { ApiKey, ApiKeyWithUsage } from '@/lib/contract/keys';
import { page, read, write } from '../../../fixtures/demo-suite';
import { until } from '../../../fixtures/until';
import { listReached } from './key-claims';

/** Adds what the demonstration lacks: a candidate that has counted, and a grant. Stops the clock of the page. */
export async function addWhatIsMissing(): Promise<void> {
  const reason = 'A test of the numbers';
  await write('PUT', '/v1/admin/candidates', { place: 'classes.read.ip', limit: 4, window_seconds: 60, reason });
  const checks = Array.from({ length: 9 }, () => ({ class: 'read', ip: '203.0.113.241' }));
  await write('POST', '/v1/check/batch', checks);
  await until(async () => {
    const [candidate] = await read<CandidateLimit[]>('/v1/admin/candidates');
    return candidate !== undefined && candidate.requests >= checks.length;
  });
  const [key] = await read<ApiKey[]>('/v1/admin/api-keys', { q: 'Nightly export' });
  const end = new Date(Date.now() + 60 * 3_600_000).toISOString();
  await write('POST', '/v1/admin/grants', { api_key: key!.id, requests: 1_500, until: end, reason });
  // Thresholds that the history of the demonstration passed are recorded soon after the start.
  const keys = await read<ApiKeyWithUsage[]>('/v1/admin/api-keys');
  const reached = keys.flatMap((each) => listReached(each));
  await until(async () => {
    const records = await read<unknown[]>('/v1/admin/audit', { action: 'quota.threshold', limit: '100' });
    return records.length >= reached.length;
  });
  // The screens end at the time of the last request.
  await page.clock.setFixedTime(Date.now());
}
