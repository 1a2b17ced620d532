import type { AnswerRequest } from '@/lib/api/guard';
import { type Handlers, handleEveryMethod } from '@/lib/http/methods';
import { bridge } from '@/lib/process/bridge';
import { type After, registerWork } from '@/lib/process/register-after-answer';
import { loadServices } from '@/lib/process/runtime';

/** True if the route files answer with their own copy of the API, because only that copy follows the sources. */
// biome-ignore lint/style/noProcessEnv: Next puts the value in when it builds.
const isDevelopment = process.env.NODE_ENV === 'development';
let own: Promise<AnswerRequest> | undefined;

/**
 * Answers the API on Next's routes. `instrumentation.ts` has loaded the function that `server.mjs` calls too, so a process
 * loads the API once.
 */
const answerApi: AnswerRequest = async (request) => {
  if (!isDevelopment && bridge.answerApi !== undefined) return bridge.answerApi(request);
  own ??= import('@/lib/api/mount').then(({ mountApi }) => mountApi(loadServices, () => bridge.isStopping === true));
  return (await own)(request);
};

/** Returns the exports of a route file of the API. @param after schedules the work that follows an answer, if any */
export function createApiHandlers(after?: After): Handlers<AnswerRequest> {
  return handleEveryMethod(after === undefined ? answerApi : registerWork(after, loadServices, answerApi));
}
