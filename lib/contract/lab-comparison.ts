import { z } from 'zod';
import { COMPARISON_PATH, LAB_PATHS } from '@/lib/contract/lab-paths';
import { json, namedObject, ok, resource } from '@/lib/contract/resource';

const labPaths: readonly string[] = Object.values(LAB_PATHS);
const HeaderText = z
  .string()
  .max(16_384)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

/** A request to one of the lab's endpoints, as the builder would send it. */
export const CompareInput = z.strictObject({
  method: z.enum(['GET', 'POST']),
  path: z
    .string()
    .max(8_192)
    .refine((path) => labPaths.includes(path.split('?')[0] ?? ''), 'must be an endpoint of the lab'),
  headers: z.array(z.tuple([z.string().regex(/^[A-Za-z0-9-]{1,64}$/), HeaderText])).max(20),
  body: z.string().max(65_536).nullable(),
});

const anyObject = z.looseObject({});
const compare = resource(COMPARISON_PATH, { tag: 'OAuth lab', servedBy: 'lab' });

export const compareInLab = compare.post('compareInLab', 'public', {
  summary: 'Compare a request with the secure configuration',
  description: 'Sends a request to the lab for real, and the same with every control on and without effect.',
  body: json(CompareInput),
  example: {
    body: { method: 'GET', path: '/api/data', headers: [['Sluice-Lab-Controls', 'validate-audience=?0']], body: null },
  },
  response: ok(
    'Both exchanges, and every control that would have refused.',
    namedObject('LabComparison', { given: anyObject, secure: anyObject, blocked_by: z.array(z.string()) }),
  ),
  errors: ['not_found'],
});
