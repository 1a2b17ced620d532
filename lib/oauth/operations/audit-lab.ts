import { operation } from '@/lib/http/operation';
import { auditResponse } from '@/lib/oauth/operations/audit-response';
import { AuditEventSchema, LabRunInput } from '@/lib/oauth/operations/lab-schemas';
import { requireLab } from '@/lib/oauth/operations/require-lab';
import { sandboxedLab } from '@/lib/oauth/operations/sandboxed-lab';

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
    schema: AuditEventSchema,
    mediaTypes: ['application/x-ndjson'],
  },
  errors: ['not_found'],
  run: async (context, { body }) => {
    requireLab(context);
    return auditResponse(context, sandboxedLab(context, body?.off ?? []));
  },
});
