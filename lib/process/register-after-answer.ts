import type { AnswerRequest } from '@/lib/api/guard';
import type { Services } from '@/lib/operation/services';

/** Runs work after the answer of the current request: `after` of `next/server`, which `lib` does not import. */
export type After = (work: () => Promise<void>) => void;

/**
 * On Vercel, registers the work that follows the answer of the current request. The platform keeps the function running
 * until it ends (`waitUntil`). Elsewhere a permanent process does it with timers (`housekeeping.ts`).
 */
export function registerAfterAnswer(after: After, services: Services, hasChanged = false): void {
  if (!services.config.VERCEL) return;
  after(async () => {
    // The first decision does not wait for these modules.
    const { workAfterAnswer } = await import('@/lib/admin/housekeeping/after-answer');
    await workAfterAnswer(services, hasChanged);
  });
}

/** Adds `registerAfterAnswer` to every answer of an API. @param services services of the process, if they start */
export function registerWork(after: After, services: () => Promise<Services>, answer: AnswerRequest): AnswerRequest {
  return async (request) => {
    const response = await answer(request);
    const current = await services().catch(() => null);
    if (current !== null) registerAfterAnswer(after, current, response.headers.has('x-audit-seq'));
    return response;
  };
}
