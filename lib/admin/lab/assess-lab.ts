import { assessmentResponse } from '@/lib/admin/lab/assessment-response';
import { requireLab } from '@/lib/admin/lab/require-lab';
import { sandboxedLab } from '@/lib/admin/lab/sandboxed-lab';
import { AssessmentEventSchema, LabRunInput } from '@/lib/contract/lab';
import { operation } from '@/lib/operation/operation';

/** The whole catalogue, measured at the built-in lab with some of its controls left out. */
export const auditLab = operation({
  id: 'auditLab',
  method: 'POST',
  path: '/v1/oauth-lab/audits',
  tag: 'OAuth lab',
  summary: 'Judge the built-in lab by the whole catalogue',
  description: 'Runs in a sandbox in process. Answers with progress, one JSON object a line.',
  access: 'viewer',
  body: { schema: LabRunInput, required: true },
  response: {
    status: 200,
    description: 'What is found, as it is found.',
    schema: AssessmentEventSchema,
    mediaTypes: ['application/x-ndjson'],
  },
  errors: ['not_found'],
  run: async (context, { body }) => {
    requireLab(context);
    return assessmentResponse(context, sandboxedLab(context, body?.off ?? []));
  },
});
