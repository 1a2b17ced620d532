import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { z } from 'zod';
import { ExchangeSchema, finding, type KeptFindings, KeptFindingsSchema } from '@/lib/contract/assessment-events';
import { restoreExchanges, shareExchanges } from '@/lib/oauth/report/share-exchanges';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Fast, and within a few percent of the best ratio: about 45 KB for a report of 2 MB. */
const OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const PackedSchema = z.object({
  findings: z.array(z.object({ ...finding, exchanges: z.array(z.string()) })),
  exchanges: z.record(z.string(), ExchangeSchema),
});

/** Packs findings as JSON compressed with Brotli, each exchange once. */
export const packFindings = (findings: KeptFindings): Promise<Buffer> =>
  compress(JSON.stringify(shareExchanges(findings)), OPTIONS);

export async function unpackFindings(packed: Buffer): Promise<KeptFindings> {
  const value: unknown = JSON.parse((await decompress(packed)).toString('utf8'));
  // Earlier versions stored the exchanges within each finding.
  return Array.isArray(value) ? KeptFindingsSchema.parse(value) : restoreExchanges(PackedSchema.parse(value));
}
