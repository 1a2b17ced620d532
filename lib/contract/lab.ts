import { z } from 'zod';
import { COMPARISON_PATH, LAB_PATHS } from '@/lib/contract/lab-paths';
import { json, object, ok, resource } from '@/lib/contract/resource';

const headerText = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

export const CompareInput = z.strictObject({
  method: z.enum(['GET', 'POST']),
  path: z
    .string()
    .max(8_192)
    .refine(
      (path) => Object.values<string>(LAB_PATHS).includes(path.split('?')[0] ?? ''),
      'must be an endpoint of the lab',
    ),
  headers: z.array(z.tuple([z.string().regex(/^[A-Za-z0-9-]{1,64}$/), headerText(16_384)])).max(20),
  body: z.string().max(65_536).nullable(),
});

const compare = resource(COMPARISON_PATH, { tag: 'OAuth lab', servedBy: 'lab' });

export const compareInLab = compare.post('compareInLab', 'public', {
  command: 'lab compare',
  summary: 'Compare a request with the secure configuration',
  description: 'Sends a request to the lab and compares it with a dry run of the same request with every control on.',
  body: json(CompareInput),
  example: {
    body: { method: 'GET', path: '/api/data', headers: [['Sluice-Lab-Controls', 'validate-audience=?0']], body: null },
  },
  response: ok(
    'Both exchanges, and every control that would have refused.',
    object('LabComparison', { given: z.looseObject({}), secure: z.looseObject({}), blocked_by: z.array(z.string()) }),
  ),
  errors: ['not_found'],
});
