import { mountApi } from '@/lib/api/mount';
import { bridge } from '@/lib/process/bridge';
import { runtime } from '@/lib/process/runtime';

/** Answers a request to the API of this process. Next's route handlers and the self-hosted server call it. */
export const answerApi = mountApi(runtime, () => bridge.isStopping === true);
