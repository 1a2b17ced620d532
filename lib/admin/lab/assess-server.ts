import { assessmentResponse } from '@/lib/admin/lab/assessment-response';
import { requireLab } from '@/lib/admin/lab/require-lab';
import { AssessmentEventSchema } from '@/lib/contract/lab';
import { ApiError } from '@/lib/http/api-error';
import { guardedFetch } from '@/lib/oauth/assessment/guarded-fetch';
import { RemoteTargetInput, remoteTarget } from '@/lib/oauth/assessment/remote-target';
import { operation } from '@/lib/operation/operation';

/** The whole catalogue, measured at an authorization server somewhere else. */
export const auditServer = operation({
  id: 'auditServer',
  method: 'POST',
  path: '/v1/oauth-lab/server-audits',
  tag: 'OAuth lab',
  summary: 'Judge an authorization server by the whole catalogue',
  description:
    'Sends requests to a public address only. Answers with progress, one JSON object a line; secrets are taken out of it.',
  access: 'operator',
  body: { schema: RemoteTargetInput, required: true },
  response: {
    status: 200,
    description: 'What is found, as it is found.',
    schema: AssessmentEventSchema,
    mediaTypes: ['application/x-ndjson'],
  },
  errors: ['not_found'],
  run: async (context, { body }) => {
    requireLab(context);
    if (body === undefined) throw new ApiError('bad_request', 'A description of the server is required.');
    return assessmentResponse(context, remoteTarget(body, guardedFetch({ allowPrivate: false })));
  },
});
